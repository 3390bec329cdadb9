// What all samplers share: uniform numbers, the networks that they draw, and the digits that their sums lose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <vector>

#include "dagscape/numbers/random_bits.hpp"
#include "dagscape/runtime/monitor.hpp"
#include "dagscape/sets/subset.hpp"

namespace dagscape {

// A number in [0, 1).
inline double uniform(RandomBits& random) noexcept { return static_cast<double>(random.next() >> 11) * 0x1p-53; }

// How much the rounding errors of sums are amplified in the weights of what is drawn: Σ |terms| / Σ terms, added up
// over all decisions of a sample. Times the relative error of a term, it bounds the error of the sample's probability.
struct Loss {
    double of_sets = 0;      // for terms with a number of a set of variables: H or F
    double of_families = 0;  // for sums over families: A
    double repeated = 0;     // attempts that ended where no digit was left

    Loss& operator+=(const Loss& other) noexcept {
        of_sets += other.of_sets;
        of_families += other.of_families;
        repeated += other.repeated;
        return *this;
    }
};

// Thrown if no sample can be drawn, because rounding errors exceed the weights.
struct LostSample : std::exception {
    const char* what() const noexcept override { return "no digit is left of the weights of samples"; }
};

// Sampled networks: for each seed, n sets of parents and the exact score. A network depends on its own seed only.
struct SampledRows {
    std::span<const std::uint64_t> seeds;
    std::span<Subset> parents;
    std::span<std::int64_t> scores;
};

// Calls draw(random, parents, worker), which returns the score and its loss, for each seed, and returns the sum of the
// losses. Any number of threads gives the same bits.
struct Drawn {
    std::int64_t score = 0;
    Loss loss;
};
Loss draw_rows(unsigned n, const SampledRows& rows, unsigned threads, Monitor& monitor,
               const std::function<Drawn(RandomBits&, std::span<Subset>, unsigned worker)>& draw);

}  // namespace dagscape
