"""One rigid body, or a rotor and its gimbals: free, about a point, in a fluid."""
