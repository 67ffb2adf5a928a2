"""Taylor series of solutions of x_dot = f(t, x), node by node of the program."""
