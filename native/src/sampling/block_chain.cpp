#include "dagscape/sampling/block_chain.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

#include "dagscape/numbers/lanes.hpp"
#include "dagscape/numbers/score_weights.hpp"
#include "dagscape/sampling/block_tables.hpp"

namespace dagscape {
namespace {

// F(∅) in plain numbers.
constexpr double kPlainOne = 0x1p900;
// Let M be the product of a_v(W∖v) over W. Plain numbers lose families below 2^-1000: at most 2^20 of a member, with
// factors of at most 2^16. Since a_v(W∖v) is at least 2^-101 (kLowExponent), the orders in which a member has such a
// family could have added at most w! 2^900 M · 2^(36 - 1000 + 101), together less than 2^70 M for w = 12. If F(W) is at
// least 2^110 M, that is a share below 2^-40. Otherwise exponents are needed, as they are above 2^1000.
constexpr double kLeastPlainShare = 0x1p110;
constexpr double kLargestPlain = 0x1p1000;
// Weights relative to the best family of a child serve as they are, unless the heaviest possible one is below this.
constexpr std::int32_t kLowExponent = -100;
constexpr std::int32_t kVanishing = -1000;
// Families with less than this share together are left out of conditional probabilities.
constexpr double kNegligibleShare = 1e-5;

// mantissa · 2^exponent, for a mantissa in [1/2, 1)
double plain_number(double mantissa, std::int32_t exponent) noexcept {
    if (exponent < kVanishing) return 0.0;
    return std::bit_cast<double>(std::bit_cast<std::int64_t>(mantissa) + (std::int64_t{exponent} << kFractionBits));
}

// The sum of the weights of families without needs, four at a time. (GCC 12.2 gets the same sum wrong if it is left to
// vectorise a loop with a condition.)
double sum_possible(std::span<const double> weights, const std::uint32_t* needs) noexcept {
    Lanes sums{};
    std::size_t f = 0;
    for (; f + 4 <= weights.size(); f += 4) {
        const LaneBits blocked{needs[f], needs[f + 1], needs[f + 2], needs[f + 3]};
        sums += lanes_of(bits_of(load(weights.data() + f)) & (blocked == LaneBits{}));
    }
    double rest = 0;
    for (; f < weights.size(); ++f) {
        if (needs[f] == 0) rest += weights[f];
    }
    return sum(sums) + rest;
}

}  // namespace

BlockChain::BlockChain(std::shared_ptr<const ChainFamilies> families, const std::vector<Parents>& start,
                       const ChainOptions& options, std::uint64_t seed)
    : families_(std::move(families)), n_(families_->n()), options_(options), rules_(*families_), random_(seed),
      parents_(n_), family_(n_), scores_(n_), edge_sums_(std::size_t{n_} * n_, 0.0), needs_(n_ + 1, 0),
      stamps_(n_ + 1, 0) {
    for (unsigned v = 0; v < n_; ++v) {
        const std::int64_t family = families_->find(v, start[v]);
        assert(family >= 0);
        set_family(v, static_cast<std::uint32_t>(family));
    }
    for (unsigned v = 0; v < n_; ++v) most_parents_ = std::max(most_parents_, families_->list(v).most_parents);
}

void BlockChain::clear_sums() {
    std::fill(edge_sums_.begin(), edge_sums_.end(), 0.0);
    added_ = 0;
}

std::int64_t BlockChain::score() const noexcept {
    std::int64_t sum = 0;
    for (const std::int64_t score : scores_) sum += score;
    return sum;
}

unsigned BlockChain::unlisted() const noexcept {
    return static_cast<unsigned>(std::count(family_.begin(), family_.end(), -1));
}

void BlockChain::set_family(unsigned v, std::uint32_t family) {
    const ChainFamilies::List& list = families_->list(v);
    family_[v] = family;
    scores_[v] = list.scores[family];
    parents_[v].clear();
    for (std::uint32_t k = 0; k < list.most_parents; ++k) {
        const std::uint32_t parent = list.parents[std::size_t{k} * list.size + family];
        if (parent == n_) break;
        parents_[v].push_back(parent);
    }
}

void BlockChain::restore(const std::vector<Parents>& parents, std::span<const std::int64_t> scores,
                         std::uint64_t random_state) {
    parents_ = parents;
    scores_.assign(scores.begin(), scores.end());
    for (unsigned v = 0; v < n_; ++v) family_[v] = families_->find(v, parents_[v]);
    random_ = RandomBits(random_state);
}

bool BlockChain::has_parent(unsigned child, unsigned parent) const noexcept {
    return std::find(parents_[child].begin(), parents_[child].end(), parent) != parents_[child].end();
}

void BlockChain::start_block(const Block& block) {
    ++block_;
    for (unsigned i = 0; i < block.width; ++i) {
        stamps_[block.members[i]] = block_;
        needs_[block.members[i]] = 1u << i;
    }
}

// A(u), from the parents of u, which are kept: members of the block have theirs already.
std::uint32_t BlockChain::needs_of(std::uint32_t variable) {
    if (stamps_[variable] == block_) return needs_[variable];
    std::uint32_t needs = 0;
    for (const std::uint32_t parent : parents_[variable]) needs |= needs_of(parent);
    stamps_[variable] = block_;
    return needs_[variable] = needs;
}

// The needs of the first families of a list. A place without a parent holds n, which needs nothing.
void BlockChain::find_needs(const ChainFamilies::List& list, std::uint32_t families,
                            std::vector<std::uint32_t>& needs) const {
    if (needs.size() < families) needs.resize(families);
    std::uint32_t* const found = needs.data();
    const std::uint32_t *const of = needs_.data(), *const first = list.parents.data();
    const std::size_t size = list.size;
    switch (list.most_parents) {
        case 0:
            std::fill_n(found, families, 0u);
            break;
        case 1:
            for (std::size_t f = 0; f < families; ++f) found[f] = of[first[f]];
            break;
        case 2:
            for (std::size_t f = 0; f < families; ++f) found[f] = of[first[f]] | of[first[size + f]];
            break;
        case 3:
            for (std::size_t f = 0; f < families; ++f) {
                found[f] = of[first[f]] | of[first[size + f]] | of[first[2 * size + f]];
            }
            break;
        default:
            for (std::size_t f = 0; f < families; ++f) {
                found[f] = of[first[f]] | of[first[size + f]] | of[first[2 * size + f]] | of[first[3 * size + f]];
            }
            for (std::size_t k = 4; k < list.most_parents; ++k) {
                for (std::size_t f = 0; f < families; ++f) found[f] |= of[first[k * size + f]];
            }
    }
}

void BlockChain::single(unsigned v, bool all, bool add) {
    double* const sums = edge_sums_.data() + std::size_t{v} * n_;
    const ChainFamilies::List& list = families_->list(v);
    const std::uint32_t families = all ? list.size : list.core;
    if (family_[v] < 0 || family_[v] >= families) {
        if (add) {
            for (const std::uint32_t parent : parents_[v]) sums[parent] += 1;
        }
        return;
    }
    start_block({{v}, 1});
    for (const std::uint32_t u : all ? list.mentions : list.core_mentions) needs_of(u);
    std::vector<std::uint32_t>& needs = family_needs_[0];
    find_needs(list, families, needs);
    std::span<const double> weights(list.plain.data(), families);
    if (list.exponents[static_cast<std::size_t>(family_[v])] < kLowExponent) {
        // Nothing that is possible need be near the best family of all.
        std::int32_t highest = std::numeric_limits<std::int32_t>::min() / 2;
        for (std::uint32_t f = 0; f < families; ++f) {
            if (needs[f] == 0) highest = std::max(highest, list.exponents[f]);
        }
        std::vector<double>& shifted = weights_[0];
        if (shifted.size() < families) shifted.resize(families);
        for (std::uint32_t f = 0; f < families; ++f) {
            shifted[f] = needs[f] == 0 ? plain_number(list.mantissas[f], list.exponents[f] - highest) : 0.0;
        }
        weights = {shifted.data(), families};
    }
    const double total = sum_possible(weights, needs.data()), target = random_.unit() * total;
    const double enough = add ? total * (1 - kNegligibleShare) : 0.0;
    double sum = 0;
    std::uint32_t drawn = static_cast<std::uint32_t>(family_[v]), end = 0;
    for (bool found = false; end < families && !(found && sum >= enough); ++end) {
        if (needs[end] != 0) continue;
        sum += weights[end];
        if (!found) drawn = end;
        found = found || sum > target;
    }
    if (add) add_shares(list, {weights.data(), end}, needs.data(), 1 / sum, sums);
    set_family(v, drawn);
}

// Adds the conditional probabilities of the families, which are their weights times `scale`, to those of the edges.
void BlockChain::add_shares(const ChainFamilies::List& list, std::span<const double> weights,
                            const std::uint32_t* needs, double scale, double* sums) const {
    for (std::uint32_t f = 0; f < weights.size(); ++f) {
        if (needs[f] != 0) continue;
        const double share = weights[f] * scale;
        for (std::uint32_t k = 0; k < list.most_parents; ++k) {
            const std::uint32_t parent = list.parents[std::size_t{k} * list.size + f];
            if (parent == n_) break;
            sums[parent] += share;
        }
    }
}

// Finds the weights of the core families of a member, relative to a power of two; those that are impossible may have
// any.
void BlockChain::weigh(unsigned member, unsigned v, unsigned hub) {
    const ChainFamilies::List& list = families_->list(v);
    const std::uint32_t* const needs = family_needs_[member].data();
    const std::uint32_t own = 1u << member;
    std::uint32_t first = 0;
    while ((needs[first] & own) != 0) ++first;
    plain_[member] = list.plain.data();
    std::vector<double>& weights = weights_[member];
    const std::int32_t highest = list.exponents[first];
    if (highest < kLowExponent) {
        if (weights.size() < list.core) weights.resize(list.core);
        for (std::uint32_t f = 0; f < list.core; ++f) {
            weights[f] = (needs[f] & own) != 0 ? 0.0 : plain_number(list.mantissas[f], list.exponents[f] - highest);
        }
        plain_[member] = weights.data();
    }
    if (hub == n_ || hub == v) return;
    if (weights.size() < list.core) weights.resize(list.core);
    const double factor = 1 / rules_.hub_chance(hub, v);
    const double* const from = plain_[member];
    std::copy(from, from + list.core, weights.data());
    for (std::uint32_t k = 0; k < list.most_parents; ++k) {
        const std::uint32_t* const parents = list.parents.data() + std::size_t{k} * list.size;
        for (std::uint32_t f = 0; f < list.core; ++f) weights[f] *= parents[f] == hub ? factor : 1.0;
    }
    plain_[member] = weights.data();
}

void BlockChain::resample(const Block& block, unsigned hub) {
    const auto& [members, width] = block;
    ++counts_.blocks;
    for (unsigned i = 0; i < width; ++i) {
        const std::int64_t family = family_[members[i]];
        if (family < 0 || family >= families_->list(members[i]).core) {
            ++counts_.unlisted;
            return;
        }
    }
    start_block(block);
    for (unsigned i = 0; i < width; ++i) {
        for (const std::uint32_t u : families_->list(members[i]).core_mentions) needs_of(u);
    }
    for (unsigned i = 0; i < width; ++i) {
        const ChainFamilies::List& list = families_->list(members[i]);
        find_needs(list, list.core, family_needs_[i]);
        weigh(i, members[i], hub);
    }
    Members drawn{};
    if (!draw_plain(block, drawn)) {
        ++counts_.wide;
        draw_wide(block, hub, drawn);
    }
    if (!accepts(block, drawn)) return;
    ++counts_.accepted;
    for (unsigned i = 0; i < width; ++i) {
        if (drawn[i] != family_[members[i]]) set_family(members[i], drawn[i]);
    }
}

// Returns false if exponents are needed.
bool BlockChain::draw_plain(const Block& block, Members& drawn) {
    const unsigned width = block.width;
    const auto& members = block.members;
    BlockTables<PlainArithmetic> tables(width, plain_sums_, plain_forward_);
    const auto weights = [&](unsigned i) { return [weight = plain_[i]](std::uint32_t f) { return weight[f]; }; };
    for (unsigned i = 0; i < width; ++i) {
        tables.add(i, family_needs_[i].data(), families_->list(members[i]).core, weights(i));
    }
    tables.finish(kPlainOne);
    const double total = tables.total();
    if (!(total > kLeastPlainShare * tables.largest_product() && total < kLargestPlain)) return false;
    for (std::uint32_t set = (1u << width) - 1; set != 0;) {
        const unsigned i = tables.draw_last(set, random_);
        set ^= 1u << i;
        const std::uint32_t core = families_->list(members[i]).core;
        drawn[i] = tables.draw_family(i, set, family_needs_[i].data(), core, weights(i), random_);
    }
    return true;
}

void BlockChain::draw_wide(const Block& block, unsigned hub, Members& drawn) {
    const unsigned width = block.width;
    const auto& members = block.members;
    BlockTables<WideArithmetic> tables(width, wide_sums_, wide_forward_);
    const auto weights = [&](unsigned i) {
        const ChainFamilies::List& list = families_->list(members[i]);
        const bool of_hub = hub != n_ && hub != members[i];
        const double factor = of_hub ? 1 / rules_.hub_chance(hub, members[i]) : 1.0;
        return [&list, factor, hub](std::uint32_t f) {
            double mantissa = list.mantissas[f];
            for (std::uint32_t k = 0; k < list.most_parents; ++k) {
                if (list.parents[std::size_t{k} * list.size + f] == hub) mantissa *= factor;
            }
            return normalised({mantissa, static_cast<double>(list.exponents[f])});
        };
    };
    for (unsigned i = 0; i < width; ++i) {
        tables.add(i, family_needs_[i].data(), families_->list(members[i]).core, weights(i));
    }
    tables.finish({0.5, 1});
    for (std::uint32_t set = (1u << width) - 1; set != 0;) {
        const unsigned i = tables.draw_last(set, random_);
        set ^= 1u << i;
        const std::uint32_t core = families_->list(members[i]).core;
        drawn[i] = tables.draw_family(i, set, family_needs_[i].data(), core, weights(i), random_);
    }
}

bool BlockChain::accepts(const Block& block, const Members& drawn) {
    const auto& [members, width] = block;
    Members before{}, after{};
    for (unsigned i = 0; i < width; ++i) {
        before[i] = family_needs_[i][static_cast<std::size_t>(family_[members[i]])];
        after[i] = family_needs_[i][drawn[i]];
    }
    if (before == after) return true;
    const double old = linear_extensions({before.data(), width}), now = linear_extensions({after.data(), width});
    return now <= old || random_.unit() * now < old;
}

// The number of orders in which the needs of each member precede it.
double BlockChain::linear_extensions(std::span<const std::uint32_t> needs) {
    const std::uint32_t all = (1u << needs.size()) - 1;
    orders_.assign(std::size_t{all} + 1, 0.0);
    orders_[0] = 1;
    for (std::uint32_t set = 0; set < all; ++set) {
        if (orders_[set] == 0) continue;
        for (std::uint32_t rest = all & ~set; rest != 0; rest &= rest - 1) {
            const auto v = static_cast<unsigned>(std::countr_zero(rest));
            if ((needs[v] & ~set) == 0) orders_[set | 1u << v] += orders_[set];
        }
    }
    return orders_[all];
}

// Reverses a random edge u → v if it is covered: if v has the parents of u, and u besides. The graph stays acyclic, and
// in its equivalence class.
void BlockChain::reverse_covered() {
    const std::uint32_t v = random_.below(n_), k = random_.below(most_parents_);
    if (k >= parents_[v].size() || family_[v] < 0) return;
    const std::uint32_t u = parents_[v][k];
    if (parents_[u].size() + 1 != parents_[v].size() || family_[u] < 0) return;
    for (const std::uint32_t parent : parents_[u]) {
        if (!has_parent(v, parent)) return;
    }
    // v takes the parents of u, and u the same ones and v.
    const std::int64_t of_v = families_->find(v, parents_[u]);
    turned_.assign(parents_[u].begin(), parents_[u].end());
    turned_.push_back(v);
    const std::int64_t of_u = families_->find(u, turned_);
    if (of_v < 0 || of_u < 0) return;
    const std::int64_t gain = families_->list(v).scores[static_cast<std::size_t>(of_v)] +
                              families_->list(u).scores[static_cast<std::size_t>(of_u)] - scores_[v] - scores_[u];
    if (!accepts_gain(gain)) return;
    set_family(v, static_cast<std::uint32_t>(of_v));
    set_family(u, static_cast<std::uint32_t>(of_u));
}

// The Metropolis rule.
bool BlockChain::accepts_gain(std::int64_t gain) {
    if (gain >= 0) return true;
    const BinaryLog log = binary_log(gain, families_->unit_bits());
    return random_.unit() < half_power(log.fraction) * power_of_two(static_cast<double>(log.whole + 1));
}

void BlockChain::sweep(bool add) {
    const auto blocks = static_cast<std::uint64_t>(options_.blocks * n_ + 0.5);
    for (std::uint64_t i = 0; i < blocks; ++i) {
        if (random_.unit() >= options_.hub_share) {
            resample(rules_.draw(options_.width, random_), n_);
            continue;
        }
        ++counts_.hubs;
        if (const auto block = rules_.draw_hub(parents_, options_.widest_hub, random_)) {
            resample(*block, block->members[0]);
        } else {
            ++counts_.too_wide_hubs;
        }
    }
    const auto edges = static_cast<std::uint64_t>(options_.covered * n_ + 0.5);
    for (std::uint64_t i = 0; i < edges; ++i) reverse_covered();
    for (unsigned v = 0; v < n_; ++v) single(v, random_.unit() < options_.whole_lists, add);
    added_ += add ? 1 : 0;
}

std::vector<std::uint32_t> BlockChain::descendants(unsigned v) {
    start_block({{v}, 1});
    std::vector<std::uint32_t> found;
    for (std::uint32_t u = 0; u < n_; ++u) {
        if (u != v && needs_of(u) != 0) found.push_back(u);
    }
    return found;
}

void BlockChain::set_parents(unsigned v, Parents parents, std::int64_t score) {
    const std::int64_t family = families_->find(v, parents);
    if (family >= 0) return set_family(v, static_cast<std::uint32_t>(family));
    parents_[v] = std::move(parents);
    family_[v] = -1;
    scores_[v] = score;
}

}  // namespace dagscape
