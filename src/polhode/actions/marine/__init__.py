"""What water does to a craft: buoyancy, drag by coefficients, propellers."""
