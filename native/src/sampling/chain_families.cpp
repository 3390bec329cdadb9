#include "dagscape/sampling/chain_families.hpp"

#include <algorithm>
#include <cmath>

#include "dagscape/numbers/random_bits.hpp"
#include "dagscape/numbers/score_weights.hpp"

namespace dagscape {
namespace {

constexpr std::int64_t kLeastExponent = -1000;
constexpr std::int64_t kNegligible = -(std::int64_t{1} << 30);

void set_weight(ChainFamilies::List& list, std::uint32_t family, std::int64_t score, int unit_bits) {
    const BinaryLog log = binary_log(score, unit_bits);
    const std::int64_t exponent = std::max(log.whole + 1, kNegligible);
    list.exponents[family] = static_cast<std::int32_t>(exponent);
    list.mantissas[family] = half_power(log.fraction);
    const bool representable = exponent > kLeastExponent;
    list.plain[family] = representable ? std::ldexp(list.mantissas[family], static_cast<int>(exponent)) : 0.0;
}

std::vector<std::uint32_t> mentioned(const ChainFamilies::List& list, std::uint32_t families, unsigned n) {
    std::vector<char> there(n + 1, 0);
    for (std::uint32_t k = 0; k < list.most_parents; ++k) {
        for (std::uint32_t f = 0; f < families; ++f) there[list.parents[std::size_t{k} * list.size + f]] = 1;
    }
    std::vector<std::uint32_t> found;
    for (std::uint32_t u = 0; u < n; ++u) {
        if (there[u] != 0) found.push_back(u);
    }
    return found;
}

}  // namespace

ChainFamilies::ChainFamilies(const ListedFamilies& listed)
    : unit_bits_(listed.unit_bits), lists_(listed.first.size() - 1), words_(lists_.size()), places_(lists_.size()) {
    RandomBits random(0);
    for (std::uint64_t& word : words_) word = random.next();
    const unsigned n = this->n();
    for (unsigned v = 0; v < n; ++v) {
        const auto begin = static_cast<std::size_t>(listed.first[v]), end = static_cast<std::size_t>(listed.first[v + 1]);
        List& list = lists_[v];
        list.size = static_cast<std::uint32_t>(end - begin);
        list.core = static_cast<std::uint32_t>(listed.core[v]);
        for (std::size_t f = begin; f < end; ++f) {
            const auto count = static_cast<std::uint32_t>(listed.parent_first[f + 1] - listed.parent_first[f]);
            list.most_parents = std::max(list.most_parents, count);
        }
        list.parents.assign(std::size_t{list.most_parents} * list.size, n);
        list.scores.assign(listed.scores.begin() + listed.first[v], listed.scores.begin() + listed.first[v + 1]);
        const std::int64_t best = *std::max_element(list.scores.begin(), list.scores.end());
        list.plain.resize(list.size);
        list.mantissas.resize(list.size);
        list.exponents.resize(list.size);
        for (std::uint32_t f = 0; f < list.size; ++f) {
            std::uint64_t word = 0;
            const auto first = static_cast<std::size_t>(listed.parent_first[begin + f]);
            const auto last = static_cast<std::size_t>(listed.parent_first[begin + f + 1]);
            for (std::size_t at = first; at < last; ++at) {
                list.parents[(at - first) * list.size + f] = listed.parents[at];
                word += words_[listed.parents[at]];
            }
            set_weight(list, f, list.scores[f] - best, listed.unit_bits);
            places_[v].emplace(word, f);
        }
        list.core_mentions = mentioned(list, list.core, n);
        list.mentions = mentioned(list, list.size, n);
    }
}

std::int64_t ChainFamilies::find(unsigned child, std::span<const std::uint32_t> parents) const {
    std::uint64_t word = 0;
    for (const std::uint32_t parent : parents) word += words_[parent];
    const auto found = places_[child].find(word);
    return found == places_[child].end() ? -1 : static_cast<std::int64_t>(found->second);
}

std::vector<double> ChainFamilies::local_shares() const {
    const std::size_t n = lists_.size();
    std::vector<double> shares(n * n, 0.0);
    for (std::size_t v = 0; v < n; ++v) {
        const List& list = lists_[v];
        double total = 0;
        for (const double weight : list.plain) total += weight;
        for (std::uint32_t k = 0; k < list.most_parents; ++k) {
            for (std::uint32_t f = 0; f < list.size; ++f) {
                const std::uint32_t parent = list.parents[std::size_t{k} * list.size + f];
                if (parent < n) shares[v * n + parent] += list.plain[f] / total;
            }
        }
    }
    return shares;
}

}  // namespace dagscape
