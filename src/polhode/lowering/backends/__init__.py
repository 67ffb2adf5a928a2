"""Code for machines and for people: LLVM, CUDA, XLA, C and MATLAB source."""
