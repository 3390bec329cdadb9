#include <vector>

#include "check.hpp"
#include "dagscape/scores/cell_terms.hpp"

using namespace dagscape;

namespace {

double nats(std::int64_t units, int bits) { return std::ldexp(static_cast<double>(units), -bits); }

void dirichlet_terms_match_the_gamma_function() {
    const std::vector<std::uint32_t> arities{3, 2, 5};
    const LogStates log_states(arities);
    Fixed all = 0;
    for (std::size_t i = 0; i < arities.size(); ++i) all += log_states.of_variable(i);
    CHECK_NEAR(nearest_double(all), std::log(30.0), 1e-15);

    CellTermCache cache({CellTermKind::dirichlet_shared, 2.5, 30});
    // Around the end of the table (2^14), where Stirling's series takes over, and far beyond it.
    for (const std::uint32_t count : {0U, 1U, 2U, 17U, 16383U, 16384U, 16385U, 20000U, 3000000U}) {
        const double alpha = 2.5 / 30;
        const double expected = std::lgamma(count + alpha) - std::lgamma(alpha);
        CHECK_NEAR(nats(cache.terms(all, count)(count), 30), expected, 1e-9 + 1e-14 * std::abs(expected));
    }
}

void constant_terms_do_not_depend_on_the_states() {
    const std::vector<std::uint32_t> arities{3, 4};
    const LogStates log_states(arities);
    CellTermCache cache({CellTermKind::dirichlet_constant, 3.0, 40});
    const std::int64_t one = cache.terms(log_states.of_variable(0), 10)(10);
    CHECK(one == cache.terms(log_states.of_variable(1), 10)(10));
    CHECK_NEAR(nats(one, 40), std::lgamma(13.0) - std::lgamma(3.0), 1e-11);
}

void entropy_terms() {
    CellTermCache cache({CellTermKind::entropy, 1.0, 30});
    CHECK(cache.terms(0, 5)(0) == 0);
    CHECK(cache.terms(0, 5)(1) == 0);
    for (const std::uint32_t count : {2U, 5U, 16384U, 16390U, 1000000U}) {
        CHECK_NEAR(nats(cache.terms(0, count)(count), 30), count * std::log(static_cast<double>(count)), 1e-8);
    }
}

// With large parameters, lnΓ is far larger than the terms, which are its differences: its rounding must not affect
// them.
void large_parameters_lose_nothing() {
    CellTermCache cache({CellTermKind::dirichlet_shared, 1e9, 38});
    CHECK(cache.terms(0, 20000)(20000) == 113927413738544735);
    CHECK(cache.terms(0, 100000)(100000) == 569638168160373806);
}

void guard_bits_are_rounded_away() {
    const CellTermSpec spec{CellTermKind::entropy, 1.0, 10, 4};
    CHECK(spec.fine(fixed(std::uint64_t{1})) == 1 << 14);
    CHECK(spec.rounded(7) == 0 && spec.rounded(8) == 1 && spec.rounded(-8) == 0 && spec.rounded(-9) == -1);
    CHECK((CellTermSpec{CellTermKind::entropy, 1.0, 10}.rounded(-9) == -9));
}

// With this many joint states, alpha/q underflows; ln(alpha/q) must not.
void tiny_parameters_do_not_underflow() {
    const std::vector<std::uint32_t> arities(2000, 1000000);
    const LogStates log_states(arities);
    Fixed all = 0;
    for (std::size_t i = 0; i < arities.size(); ++i) all += log_states.of_variable(i);
    CellTermCache cache({CellTermKind::dirichlet_shared, 1.0, 20});
    CHECK_NEAR(nats(cache.terms(all, 3)(3), 20), -2000 * std::log(1e6) + std::log(2.0), 1e-5);
}

// A term must not depend on how far the table had grown when it was requested.
void growth_does_not_change_terms() {
    CellTermCache slow({CellTermKind::dirichlet_shared, 1.0, 40});
    CellTermCache fast({CellTermKind::dirichlet_shared, 1.0, 40});
    fast.terms(0, 100000);
    for (std::uint32_t count = 0; count < 20000; count += 7) {
        CHECK(slow.terms(0, count)(count) == fast.terms(0, 100000)(count));
    }
}

// A digest that must hold with every compiler, C library and processor.
void terms_are_the_same_everywhere() {
    std::uint64_t digest = 0xCBF29CE484222325;
    const auto include = [&](const CellTermSpec& spec, Fixed log_states) {
        CellTermCache cache(spec);
        const CellTerms& terms = cache.terms(log_states, 100000);
        for (std::uint32_t count = 0; count < 100000; count += count < 20000 ? 1 : 777) {
            digest = (digest ^ static_cast<std::uint64_t>(terms(count))) * 0x100000001B3;
        }
    };
    for (const std::uint64_t states : {1U, 2U, 3U, 30U, 77777U, 4000000000U}) {
        for (const double alpha : {1e-9, 0.1, 1.0, 10.0, 1e9}) {
            include({CellTermKind::dirichlet_shared, alpha, 30, 7}, fixed_log(states));
        }
        include({CellTermKind::dirichlet_constant, static_cast<double>(states), 30, 7}, 0);
    }
    include({CellTermKind::entropy, 1.0, 40}, 0);
    CHECK(digest == 0xD9B6B8BEF5E964EE);
}

}  // namespace

int main() {
    dirichlet_terms_match_the_gamma_function();
    constant_terms_do_not_depend_on_the_states();
    entropy_terms();
    large_parameters_lose_nothing();
    guard_bits_are_rounded_away();
    tiny_parameters_do_not_underflow();
    growth_does_not_change_terms();
    terms_are_the_same_everywhere();
}
