#include "dagscape/student/state_tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>

namespace dagscape {
namespace {

constexpr std::size_t substates(std::uint32_t set) noexcept { return std::size_t{1} << std::popcount(set); }

// A node with its children: their numbers and sets. The leaves have the first numbers.
struct Union {
    std::uint32_t set, left_set, right_set;
    std::size_t left, right;
};

// A child with the same set shares the table of its parent: there is nothing to be summed for it.
constexpr std::size_t cost(std::uint32_t a, std::uint32_t b) noexcept {
    const std::uint32_t both = a | b;
    return (both == a || both == b ? 2 : 3) * substates(both);
}

// Joins nodes two by two, always those with the cheapest union.
class Joining {
public:
    // Only the first of the leaves are joined; the numbers of unions follow those of all leaves.
    Joining(std::span<const std::uint32_t> leaves, std::size_t joined) {
        for (const std::uint32_t set : leaves.first(joined)) add(set);
        set_.insert(set_.end(), leaves.begin() + static_cast<std::ptrdiff_t>(joined), leaves.end());
    }

    std::vector<Union> join() {
        std::vector<Union> unions;
        while (active_.size() > 1) {
            const auto cheapest = std::min_element(active_.begin(), active_.end(),
                                                   [](const Active& a, const Active& b) { return a.cost < b.cost; });
            std::size_t first = cheapest->number, second = cheapest->partner;
            // A child with the same set as the union becomes the left one.
            if ((set_[first] | set_[second]) == set_[second]) std::swap(first, second);
            unions.push_back({set_[first] | set_[second], set_[first], set_[second], first, second});
            std::erase_if(active_, [&](const Active& one) { return one.number == first || one.number == second; });
            for (Active& one : active_) {
                if (one.partner == first || one.partner == second) find_partner(one);
            }
            add(unions.back().set);
        }
        return unions;
    }

private:
    struct Active {
        std::size_t number, partner, cost;
    };

    void add(std::uint32_t set) {
        set_.push_back(set);
        Active added{set_.size() - 1, 0, std::numeric_limits<std::size_t>::max()};
        for (Active& one : active_) {
            if (cost_of(one, added) < one.cost) offer(one, added);
        }
        find_partner(added);
        active_.push_back(added);
    }

    void find_partner(Active& one) const {
        one.cost = std::numeric_limits<std::size_t>::max();
        for (const Active& other : active_) {
            if (other.number != one.number && cost_of(one, other) < one.cost) offer(one, other);
        }
    }

    void offer(Active& one, const Active& other) const {
        one.partner = other.number;
        one.cost = cost_of(one, other);
    }

    std::size_t cost_of(const Active& a, const Active& b) const { return cost(set_[a.number], set_[b.number]); }

    std::vector<std::uint32_t> set_;  // by number
    std::vector<Active> active_;
};

// The unions from the sets and the empty set, whose number is next to theirs, to the root.
std::vector<Union> plan(unsigned skills, std::span<const std::uint32_t> sets) {
    const std::uint32_t all = (1U << skills) - 1;
    const std::uint32_t joined = std::accumulate(sets.begin(), sets.end(), 0U, std::bit_or<>());
    std::vector<std::uint32_t> leaves(sets.begin(), sets.end());
    leaves.push_back(0);
    if (joined == all) return Joining(leaves, leaves.size()).join();
    std::vector<Union> unions = Joining(leaves, sets.size()).join();
    const std::size_t top = unions.empty() ? 0 : leaves.size() + unions.size() - 1;
    unions.push_back({all, joined, 0, top, sets.size()});
    return unions;
}

// A run of one child's table: its values move with the states, or one value stays.
template <bool moves>
Lanes value(const Lanes* table, std::size_t i) noexcept {
    return table[moves ? i : 0];
}

// Long runs are added up in four parts, so that no addition waits for the previous one. The length is a power of two.
Lanes sum_of_run(const Lanes* states, std::size_t run) noexcept {
    if (run < 8) {
        Lanes sum = states[0];
        for (std::size_t i = 1; i < run; ++i) sum += states[i];
        return sum;
    }
    Lanes a = states[0], b = states[1], c = states[2], d = states[3];
    for (std::size_t i = 4; i < run; i += 4) {
        a += states[i];
        b += states[i + 1];
        c += states[i + 2];
        d += states[i + 3];
    }
    return (a + b) + (c + d);
}

template <bool moves>
void add_run(const Lanes* states, std::size_t run, Lanes* table) noexcept {
    if constexpr (moves) {
        for (std::size_t i = 0; i < run; ++i) table[i] += states[i];
    } else {
        *table += sum_of_run(states, run);
    }
}

// Calls action<left_moves, right_moves>().
template <class Action>
void with_moves(bool left, bool right, Action&& action) {
    if (left) {
        right ? action.template operator()<true, true>() : action.template operator()<true, false>();
    } else {
        right ? action.template operator()<false, true>() : action.template operator()<false, false>();
    }
}

}  // namespace

std::vector<unsigned> fast_order(unsigned skills, std::span<const std::uint32_t> sets) {
    std::vector<Union> unions = plan(skills, sets);
    // From the largest node to the smallest, skills are told apart by the children that they are in. Of those alike so
    // far, the larger part comes first.
    std::vector<std::vector<unsigned>> blocks(1, std::vector<unsigned>(skills));
    std::iota(blocks[0].begin(), blocks[0].end(), 0U);
    std::stable_sort(unions.begin(), unions.end(),
                     [](const Union& a, const Union& b) { return std::popcount(a.set) > std::popcount(b.set); });
    for (const Union& node : unions) {
        std::vector<std::vector<unsigned>> refined;
        for (const std::vector<unsigned>& block : blocks) {
            std::array<std::vector<unsigned>, 4> part;
            for (const unsigned skill : block) {
                part[(node.left_set >> skill & 1) + 2 * (node.right_set >> skill & 1)].push_back(skill);
            }
            std::stable_sort(part.begin(), part.end(), [](auto& a, auto& b) { return a.size() > b.size(); });
            for (auto& own : part) {
                if (!own.empty()) refined.push_back(std::move(own));
            }
        }
        blocks = std::move(refined);
    }
    std::vector<unsigned> order;
    for (const auto& block : blocks) order.insert(order.end(), block.begin(), block.end());
    return order;
}

StateTree::StateTree(unsigned skills, std::span<const std::uint32_t> sets) {
    const std::vector<Union> unions = plan(skills, sets);
    std::vector<std::size_t> table;  // by number
    for (const std::uint32_t set : sets) {
        table.push_back(table_size_);
        table_size_ += substates(set);
    }
    empty_set_ = table_size_++;
    table.push_back(empty_set_);
    for (const Union& joined : unions) {
        Node node = node_of(joined.set, joined.left_set, joined.right_set);
        node.left = table[joined.left];
        node.right = table[joined.right];
        const bool root = &joined == &unions.back(), shares = joined.set == joined.left_set;
        node.table = shares ? node.left : table_size_;
        if (!root && !shares) table_size_ += substates(joined.set);
        operations_ += static_cast<double>(cost(joined.left_set, joined.right_set));
        table.push_back(node.table);
        nodes_.push_back(std::move(node));
    }
}

// Everything but where the tables are.
StateTree::Node StateTree::node_of(std::uint32_t set, std::uint32_t left, std::uint32_t right) {
    const std::uint32_t in_left = packed_substate(left, set), in_right = packed_substate(right, set);
    Node node{0, 0, 0, 1, (in_left & 1) != 0, (in_right & 1) != 0, {}};
    while (node.run < substates(set) && ((in_left & node.run) != 0) == node.left_moves &&
           ((in_right & node.run) != 0) == node.right_moves) {
        node.run *= 2;
    }
    for (std::size_t state = 0; state < substates(set); state += node.run) {
        const auto first = static_cast<std::uint32_t>(state);
        node.starts.push_back({static_cast<std::uint16_t>(packed_substate(first, in_left)),
                               static_cast<std::uint16_t>(packed_substate(first, in_right))});
    }
    return node;
}

std::size_t StateTree::bytes() const noexcept {
    std::size_t bytes = 0;
    for (const Node& node : nodes_) bytes += sizeof(Node) + node.starts.size() * sizeof(Start);
    return bytes;
}

template <class Space>
void StateTree::combine(Lanes* tables, const double* prior, Lanes* states) const {
    tables[empty_set_] = Space::none();
    for (const Node& node : nodes_) {
        const bool root = &node == &nodes_.back();
        with_moves(node.left_moves, node.right_moves, [&]<bool left_moves, bool right_moves>() {
            Lanes* out = root ? states : tables + node.table;
            const double* weight = prior;
            for (const Start& start : node.starts) {
                const Lanes* left = tables + node.left + start.left;
                const Lanes* right = tables + node.right + start.right;
                const auto product = [&](std::size_t i) {
                    return Space::combine(value<left_moves>(left, i), value<right_moves>(right, i));
                };
                if (root) {
                    for (std::size_t i = 0; i < node.run; ++i) {
                        out[i] = Space::combine(product(i), broadcast(weight[i]));
                    }
                } else {
                    for (std::size_t i = 0; i < node.run; ++i) out[i] = product(i);
                }
                out += node.run;
                weight += node.run;
            }
        });
    }
}

template void StateTree::combine<Multiplied>(Lanes*, const double*, Lanes*) const;
template void StateTree::combine<Added>(Lanes*, const double*, Lanes*) const;

Lanes StateTree::sum(const Lanes* states, Lanes* tables) const {
    std::fill_n(tables, table_size_, broadcast(0));
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
        const bool root = node == nodes_.rbegin(), shares = !root && node->table == node->left;
        const Lanes* from = root ? states : tables + node->table;
        with_moves(node->left_moves, node->right_moves, [&]<bool left_moves, bool right_moves>() {
            for (const Start& start : node->starts) {
                if (!shares) add_run<left_moves>(from, node->run, tables + node->left + start.left);
                add_run<right_moves>(from, node->run, tables + node->right + start.right);
                from += node->run;
            }
        });
    }
    return tables[empty_set_];
}

}  // namespace dagscape
