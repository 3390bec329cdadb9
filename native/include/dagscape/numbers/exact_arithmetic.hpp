// Refuses to compile under options that let the compiler change the results of floating-point operations.
//
// Double-double arithmetic, compensated sums and the bounds on their errors need every operation on doubles to be
// rounded as IEEE 754 says. This file comes first in every source of the kernels and bindings, with native/common.hpp
// or alone (`-include`, in CMakeLists.txt and the Makefile). Some options define no macro in some compilers;
// CMakeLists.txt refuses these by name.
#pragma once

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || \
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || (defined(__GCC_IEC_559) && __GCC_IEC_559 == 0)
#error "dagscape needs exact IEEE 754 arithmetic: compile without -ffast-math, -Ofast and the options they imply"
#endif

#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
#error "dagscape needs doubles without excess precision: compile with -msse2 -mfpmath=sse, or for a 64-bit processor"
#endif
