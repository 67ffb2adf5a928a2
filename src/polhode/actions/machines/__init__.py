"""Forces of machine elements: bushings, stops, curves, motors and gas."""
