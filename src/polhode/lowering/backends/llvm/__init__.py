"""Native code: the scalar program as LLVM with one system a SIMD lane."""
