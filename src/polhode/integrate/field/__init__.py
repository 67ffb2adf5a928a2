"""What a method steps: first-order equations, states, scales, dense output."""
