"""The folded scalar program as text that people keep: C and MATLAB source."""
