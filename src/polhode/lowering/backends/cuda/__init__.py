"""The scalar program as a CUDA kernel: one thread a system."""

from polhode.lowering.backends.cuda.runner import CudaRunner

__all__ = ["CudaRunner"]
