"""Bodies that attract each other, and spacecraft."""
