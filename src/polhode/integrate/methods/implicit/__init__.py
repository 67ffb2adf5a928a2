"""What implicit methods share: Newton, stages, linear solves, constrained steps."""
