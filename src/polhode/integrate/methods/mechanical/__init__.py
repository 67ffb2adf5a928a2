"""Methods that know the equations are mechanics: momenta, constraints, contacts."""
