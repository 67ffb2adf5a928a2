"""Taylor series of the solutions of x_dot = f(t, x), node by node of the scalar program."""
