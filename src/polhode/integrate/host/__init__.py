"""The loop on the host: options, checks, buffers, progress."""
