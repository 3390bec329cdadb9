// A minimal test framework: CHECK(condition) and CHECK_NEAR(a, b, tolerance).
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>

inline void report_failure(const char* file, int line, const char* what) {
    std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, what);
    std::exit(1);
}

#define CHECK(condition)                                                  \
    do {                                                                  \
        if (!(condition)) report_failure(__FILE__, __LINE__, #condition); \
    } while (false)

#define CHECK_NEAR(a, b, tolerance) CHECK(std::abs((a) - (b)) <= (tolerance))
