// The tables of a block of variables, and a draw from them (block_chain.hpp), in plain numbers or with exponents.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dagscape/numbers/random_bits.hpp"
#include "dagscape/numbers/scaled.hpp"

namespace dagscape {

struct PlainArithmetic {
    using Number = double;
    static Number plus(Number a, Number b) noexcept { return a + b; }
    static Number times(Number a, Number b) noexcept { return a * b; }
    static Number share(double part, Number a) noexcept { return part * a; }
    static bool less(Number a, Number b) noexcept { return a < b; }
    static bool positive(Number a) noexcept { return a > 0; }
};

// Normal numbers, which are not negative.
struct WideArithmetic {
    using Number = ScaledNumber;
    static Number plus(Number a, Number b) noexcept { return plus_carried(a, b); }
    static Number times(Number a, Number b) noexcept { return normalised(dagscape::times(a, b)); }
    static Number share(double part, Number a) noexcept { return normalised({part * a.mantissa, a.exponent}); }
    static bool less(Number a, Number b) noexcept {
        return a.exponent < b.exponent || (a.exponent == b.exponent && a.mantissa < b.mantissa);
    }
    static bool positive(Number a) noexcept { return a.mantissa > 0; }
};

// `sums` holds a_v(S) for member v of the block at [S * stride + v], and `forward` F(S).
template <class Arithmetic> class BlockTables {
public:
    using Number = typename Arithmetic::Number;

    BlockTables(unsigned width, std::vector<Number>& sums, std::vector<Number>& forward)
        : width_(width), sets_(1u << width), stride_((width + 3) & ~3u), sums_(sums), forward_(forward) {
        // One row more is for impossible families.
        sums_.assign(std::size_t{sets_ + 1} * stride_, Number{});
        forward_.assign(sets_, Number{});
    }

    // Adds the families of a member: their needs and weights.
    template <class Weight>
    void add(unsigned member, const std::uint32_t* needs, std::uint32_t families, const Weight& weight) {
        Number* const column = sums_.data() + member;
        const std::uint32_t own = 1u << member;
        for (std::uint32_t f = 0; f < families; ++f) {
            const std::uint32_t row = (needs[f] & own) != 0 ? sets_ : needs[f];
            column[row * stride_] = Arithmetic::plus(column[row * stride_], weight(f));
        }
    }

    // After all members: sums over subsets, and F, which begins with `one`.
    void finish(Number one) {
        for (unsigned i = 0; i < width_; ++i) {
            for (std::uint32_t block = 0; block < sets_; block += 2u << i) {
                Number* const without = sums_.data() + block * stride_;
                Number* const with = without + (stride_ << i);
                for (std::uint32_t k = 0; k < stride_ << i; ++k) with[k] = Arithmetic::plus(with[k], without[k]);
            }
        }
        forward_[0] = one;
        for (std::uint32_t set = 0; set + 1 < sets_; ++set) {
            if (!Arithmetic::positive(forward_[set])) continue;
            const Number* const row = sums_.data() + set * stride_;
            for (std::uint32_t rest = (sets_ - 1) & ~set; rest != 0; rest &= rest - 1) {
                const auto v = static_cast<unsigned>(std::countr_zero(rest));
                Number& sum = forward_[set | 1u << v];
                sum = Arithmetic::plus(sum, Arithmetic::times(forward_[set], row[v]));
            }
        }
    }

    Number total() const noexcept { return forward_[sets_ - 1]; }

    // The product of a_v(W∖v) over all members.
    Number largest_product() const noexcept {
        Number product = sums_[std::size_t{sets_ - 2} * stride_];
        for (unsigned v = 1; v < width_; ++v) {
            product = Arithmetic::times(product, sums_[std::size_t{(sets_ - 1) ^ 1u << v} * stride_ + v]);
        }
        return product;
    }

    // The last member of the order of a set.
    unsigned draw_last(std::uint32_t set, RandomBits& random) const noexcept {
        const Number target = Arithmetic::share(random.unit(), forward_[set]);
        Number sum{};
        unsigned last = 0;
        for (std::uint32_t rest = set; rest != 0; rest &= rest - 1) {
            const auto v = static_cast<unsigned>(std::countr_zero(rest));
            const std::uint32_t before = set ^ 1u << v;
            const Number term = Arithmetic::times(forward_[before], sums_[before * stride_ + v]);
            if (!Arithmetic::positive(term)) continue;
            last = v;
            sum = Arithmetic::plus(sum, term);
            if (Arithmetic::less(target, sum)) break;
        }
        return last;
    }

    // The family of a member, given what precedes it.
    template <class Weight>
    std::uint32_t draw_family(unsigned member, std::uint32_t before, const std::uint32_t* needs, std::uint32_t families,
                              const Weight& weight, RandomBits& random) const noexcept {
        const Number target = Arithmetic::share(random.unit(), sums_[before * stride_ + member]);
        Number sum{};
        std::uint32_t drawn = 0;
        for (std::uint32_t f = 0; f < families; ++f) {
            if ((needs[f] & ~before) != 0 || !Arithmetic::positive(weight(f))) continue;
            drawn = f;
            sum = Arithmetic::plus(sum, weight(f));
            if (Arithmetic::less(target, sum)) break;
        }
        return drawn;
    }

private:
    unsigned width_;
    std::uint32_t sets_, stride_;
    std::vector<Number>& sums_;
    std::vector<Number>& forward_;
};

}  // namespace dagscape
