"""What rolls, or slides along a blade: nonholonomic systems."""
