"""Cars on roads: a quarter of one, one in its plane, one with four wheels."""
