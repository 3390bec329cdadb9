#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "dagscape/scores/joint_counts.hpp"

using namespace dagscape;

namespace {

constexpr JointScoreSpec kSpec{{CellTermKind::entropy, 1.0, 30, 8}, 0.75, 1 << 20};

std::vector<std::uint64_t> random_counts(std::mt19937_64& random, unsigned n, int count_bits) {
    std::vector<std::uint64_t> units(std::size_t{1} << n);
    for (auto& count : units) {
        // Some are 0, some are below 1.
        count = random() % 4 == 0 ? 0 : (random() % 1000 << count_bits) + (random() >> (64 - count_bits));
        if (random() % 4 == 0) count >>= count_bits;
    }
    return units;
}

// J of one set, directly from its definition, with the same rounded terms.
std::int64_t obvious_score(const std::vector<std::uint64_t>& units, int count_bits, std::uint64_t mask) {
    std::vector<std::uint64_t> marginal(units.size());
    for (std::uint64_t state = 0; state < units.size(); ++state) marginal[state & mask] += units[state];
    std::int64_t sum = 0;
    for (const std::uint64_t count : marginal) sum += count_term(count, count_bits, kSpec.term);
    return kSpec.value(sum, std::uint64_t{1} << std::popcount(mask));
}

std::vector<std::uint16_t> members(std::uint64_t mask) {
    std::vector<std::uint16_t> found;
    for (std::uint16_t i = 0; i < 64; ++i) {
        if (mask >> i & 1) found.push_back(i);
    }
    return found;
}

void terms_are_accurate() {
    const CellTermSpec fine{CellTermKind::entropy, 1.0, 40, 0};
    std::mt19937_64 random(1);
    CHECK(count_term(0, 50, fine) == 0 && count_term(std::uint64_t{1} << 50, 50, fine) == 0);
    for (int trial = 0; trial < 10000; ++trial) {
        const int count_bits = 1 + static_cast<int>(random() % 63);
        const std::uint64_t units = 1 + (random() >> (2 + random() % 62));
        const auto count = std::ldexp(static_cast<long double>(units), -count_bits);
        if (count > 1e5L) continue;
        const auto expected = static_cast<double>(count * std::log(count));
        CHECK_NEAR(std::ldexp(static_cast<double>(count_term(units, count_bits, fine)), -40), expected,
                   1e-12 + 1e-14 * std::fabs(expected));
    }
}

// Counts of data have the same terms as scores of the data.
void integers_have_the_terms_of_data() {
    CellTermCache cache(kSpec.term);
    for (std::uint32_t count = 0; count < 40000; count += 1 + count / 50) {
        CHECK(count_term(std::uint64_t{count} << 40, 40, kSpec.term) == cache.terms(0, count)(count));
    }
}

void sets_are_scored() {
    std::mt19937_64 random(2);
    for (unsigned n = 0; n <= 10; ++n) {
        const int count_bits = 20 + static_cast<int>(random() % 20);
        const auto units = random_counts(random, n, count_bits);
        for (unsigned max_size = 0; max_size <= n; ++max_size) {
            const SetIndex index(n, max_size);
            for (const unsigned threads : {1U, 3U}) {
                Monitor monitor;
                std::vector<std::int64_t> out(index.size(), 12345);
                joint_count_scores({units, count_bits}, index, kSpec, out, threads, monitor);
                CHECK(monitor.done() == monitor.total() && monitor.total() == out.size());
                for (std::uint64_t mask = 0; mask < units.size(); ++mask) {
                    if (static_cast<unsigned>(std::popcount(mask)) > max_size) continue;
                    CHECK(out[index.rank(members(mask))] == obvious_score(units, count_bits, mask));
                }
            }
        }
    }
}

void work_can_be_stopped() {
    const std::vector<std::uint64_t> units(1 << 10, 3);
    const SetIndex index(10, 10);
    std::vector<std::int64_t> out(index.size());
    Monitor monitor;
    monitor.stop();
    bool stopped = false;
    try {
        joint_count_scores({units, 1}, index, kSpec, out, 2, monitor);
    } catch (const Stopped&) {
        stopped = true;
    }
    CHECK(stopped);
}

}  // namespace

int main() {
    terms_are_accurate();
    integers_have_the_terms_of_data();
    sets_are_scored();
    work_can_be_stopped();
}
