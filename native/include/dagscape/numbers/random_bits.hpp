// Random numbers that are the same everywhere: SplitMix64 [steele2014].
#pragma once

#include <cstdint>

namespace dagscape {

class RandomBits {
public:
    explicit RandomBits(std::uint64_t seed) noexcept : state_(seed) {}

    std::uint64_t next() noexcept {
        state_ += 0x9E3779B97F4A7C15;
        std::uint64_t bits = state_;
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
        return bits ^ (bits >> 31);
    }

    // A number below `bound`, which is at least 1; the bias is below bound / 2^32.
    std::uint32_t below(std::uint32_t bound) noexcept {
        return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
    }

    // A number from 0 to `most`, which is at least 0; the bias is below most / 2^64.
    std::int64_t up_to(std::int64_t most) noexcept {
        return static_cast<std::int64_t>(next() % (static_cast<std::uint64_t>(most) + 1));
    }

    // A number in [0, 1), a multiple of 2^-53.
    double unit() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }

    // A generator that is made from this number continues where this one is.
    std::uint64_t state() const noexcept { return state_; }

    bool coin() noexcept { return (next() >> 63) != 0; }

private:
    std::uint64_t state_;
};

}  // namespace dagscape
