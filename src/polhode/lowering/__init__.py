"""Small-array JAX functions to programs: native code, GPU kernels, mathematics.

Nothing here knows mechanics; any JAX user could want it.
"""
