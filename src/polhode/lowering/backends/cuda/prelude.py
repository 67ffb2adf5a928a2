"""What every kernel begins with: names of types, and operations that C lacks.

The same text compiles for the device (nvcc, NVRTC) and, one thread after another, as
plain C++ for the host, where it gives the same bits.
"""

THREADS_A_BLOCK = 128
# With 128 threads a block that is 255 registers a thread, the most there are. Told
# nothing, CUDA's assembler gives 32 to kernels that call functions of many arguments.
LEAST_BLOCKS = 2

PRELUDE = (
    """\
typedef double f64;
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

#ifdef __CUDACC__
#define INLINE static __device__ __forceinline__
#define OUTLINED static __device__ __noinline__
#define TABLE static __device__ const
#define RESTRICT __restrict__
#define KERNEL extern "C" __global__ void __launch_bounds__("""
    + f"{THREADS_A_BLOCK}, {LEAST_BLOCKS}"
    + """)
#define EACH_THREAD                                                      \\
    const i64 thread = (i64)blockIdx.x * (i64)blockDim.x + threadIdx.x; \\
    if (thread < threads)
INLINE f64 from_bits(u64 b) { return __longlong_as_double((i64)b); }
INLINE u64 to_bits(f64 x) { return (u64)__double_as_longlong(x); }
INLINE int ones32(u32 a) { return __popc(a); }
INLINE int ones64(u64 a) { return __popcll((i64)a); }
INLINE int zeros32(u32 a) { return __clz((i32)a); }
INLINE int zeros64(u64 a) { return __clzll((i64)a); }
INLINE bool any_lane(bool a) { return __any_sync(__activemask(), a); }
#else
#include <math.h>
#include <string.h>
#define INLINE static inline
#define OUTLINED static __attribute__((noinline))
#define TABLE static const
#define RESTRICT __restrict__
#define KERNEL extern "C" void
#define EACH_THREAD for (i64 thread = 0; thread < threads; ++thread)
INLINE f64 from_bits(u64 b) { f64 x; memcpy(&x, &b, 8); return x; }
INLINE u64 to_bits(f64 x) { u64 b; memcpy(&b, &x, 8); return b; }
INLINE int ones32(u32 a) { return __builtin_popcount(a); }
INLINE int ones64(u64 a) { return __builtin_popcountll(a); }
INLINE int zeros32(u32 a) { return a ? __builtin_clz(a) : 32; }
INLINE int zeros64(u64 a) { return a ? __builtin_clzll(a) : 64; }
INLINE bool any_lane(bool a) { return a; }
#endif

// The lesser and the greater; a NaN wins, and -0 is less than 0.
INLINE f64 minimum(f64 a, f64 b) {
    return a < b ? a : b < a ? b : a == b ? from_bits(to_bits(a) | to_bits(b)) : a + b;
}
INLINE f64 maximum(f64 a, f64 b) {
    return a > b ? a : b > a ? b : a == b ? from_bits(to_bits(a) & to_bits(b)) : a + b;
}
// To a whole number: towards zero, the nearest there is, NaN to 0.
template <typename T>
INLINE T saturated(f64 x, f64 low, f64 high, T least, T most) {
    return x != x ? (T)0 : x <= low ? least : x >= high ? most : (T)x;
}
// By zero all ones, and the remainder is the dividend; the least by -1 wraps.
template <typename T>
INLINE T quotient(T a, T b) {
    if (b == 0) return (T)-1;
    if ((T)-1 < (T)0 && b == (T)-1) return (T)(0 - (u64)a);
    return (T)(a / b);
}
template <typename T>
INLINE T remainder_of(T a, T b) {
    if (b == 0) return a;
    if ((T)-1 < (T)0 && b == (T)-1) return (T)0;
    return (T)(a % b);
}
"""
)
