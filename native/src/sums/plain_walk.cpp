#include "dagscape/sums/plain_walk.hpp"

#include <algorithm>
#include <utility>

#include "dagscape/sets/subset.hpp"

namespace dagscape {
namespace {

double* numbers(std::vector<Lanes>& vectors) { return reinterpret_cast<double*>(vectors.data()); }

}  // namespace

PlainWalk::PlainWalk(const PlainProblem& problem)
    : problem_(problem), columns_(problem.own), buffers_(problem.own),
      lists_(problem.own + 1, std::vector<const double*>(problem.tiles.n)),
      decided_(problem.tiles.n, std::vector<Subset>(problem.own, kUndecided)) {
    const unsigned n = problem_.tiles.n, top = problem_.sets.front().top();
    for (unsigned r = kLow; r < problem_.own; ++r) {
        if (r > top) {
            columns_[r].resize(n);
            for (Column& column : columns_[r]) column.reset(problem_.tiles.sets(r), false);
        } else {
            for (unsigned v = 0; v < n; ++v) buffers_[r].emplace_back(problem_.sets[v].size(r) / 4);
        }
    }
    if (problem_.own > top) last_column_.reset(problem_.tiles.sets(top), false);
    if (problem_.own > top) return;
    for (unsigned v = 0; v < n; ++v) {
        lists_[problem_.own][v] = problem_.families[v].mantissa.data();
        for (unsigned r = kLow; r < problem_.own; ++r)
            problem_.sets[v].copy_largest(r, lists_[problem_.own][v], numbers(buffers_[r][v]));
    }
}

void PlainWalk::forward(Subset pattern, unsigned bits, const ReceivedBlocks& received, Monitor& monitor) {
    walk(Direction::forwards, pattern, bits, received, monitor);
}

Shares PlainWalk::backward(Subset pattern, unsigned bits, ScaledNumber total, const ReceivedBlocks& received,
                           Monitor& monitor) {
    total_ = total;
    reserve_shares(bits);
    walk(Direction::backwards, pattern, bits, received, monitor);
    return shares_of_unit(bits, pattern | problem_.fixed);
}

void PlainWalk::walk(Direction direction, Subset pattern, unsigned bits, const ReceivedBlocks& received,
                     Monitor& monitor) {
    direction_ = direction;
    bits_ = bits;
    received_ = &received;
    const Subset tiles = Subset{1} << (bits - kLow);
    for (Subset i = 0; i < tiles; ++i) {
        monitor.check();
        fill(pattern | (backwards() ? tiles - 1 - i : i) << kLow);
        monitor.advance(1);
    }
}

// The families of v, restricted to the members above a tile: from the first level where this has not been done yet.
LaneList PlainWalk::list(Subset tile, unsigned v) {
    std::vector<Subset>& decided = decided_[v];
    const auto members = [&](unsigned r) { return tile >> r << r; };
    unsigned r = kLow;
    while (r < problem_.own && decided[r] != members(r)) ++r;
    for (; r > kLow; --r) {
        // No family of a variable contains it.
        decide(r, v, contains(tile, r - 1) && v != r - 1);
        decided[r - 1] = members(r - 1);
    }
    return {problem_.sets[v].offsets(), lists_[kLow][v]};
}

// Restricts the families of v from the first r variables to the first r - 1.
void PlainWalk::decide(unsigned r, unsigned v, bool take) {
    const unsigned top = problem_.sets.front().top();
    if (r <= top) {
        lists_[r - 1][v] = lists_[r][v];
        if (!take) return;
        double* buffer = numbers(buffers_[r - 1][v]);
        problem_.sets[v].take(r, lists_[r][v], buffer);
        lists_[r - 1][v] = buffer;
        return;
    }
    const Column& from = r == problem_.own ? problem_.families[v] : columns_[r][v];
    restrict_column<ScaledArithmetic>(problem_.tiles, r, take, from, r - 1 == top ? last_column_ : columns_[r - 1][v]);
    if (r - 1 > top) return;
    double* list = numbers(buffers_[top][v]);
    problem_.sets[v].spread(last_column_.mantissa.data(), list);
    lists_[top][v] = list;
    for (unsigned below = kLow; below < top; ++below)
        problem_.sets[v].copy_largest(below, list, numbers(buffers_[below][v]));
}

Subset PlainWalk::high() const noexcept { return ((Subset{1} << problem_.tiles.n) - 1) & ~(Subset{kTile} - 1); }

// The packed numbers of the tile with variable i more or fewer, and their exponents.
const std::int64_t* PlainWalk::packed_of(Subset tile, unsigned i) const {
    return i < problem_.own ? &problem_.packed[tile ^ singleton(i)] : received_->tile(i - problem_.own, tile);
}

ExponentRange PlainWalk::range_of(Subset tile, unsigned i) const {
    const ExponentRange range = i < problem_.own ? problem_.ranges[(tile ^ singleton(i)) / kTile] : ExponentRange{};
    return range.known() ? range : exponents_of(packed_of(tile, i));
}

void PlainWalk::fill(Subset tile) {
    const Subset members = tile | problem_.fixed;
    ExponentRange neighbours;
    for_each_member(backwards() ? high() & ~members : members,
                    [&](unsigned i) { neighbours.include(range_of(tile, i)); });
    if (!neighbours.known()) neighbours = PlainTile::without_neighbours();
    bool plain = PlainTile::suits(neighbours);
    if (plain && backwards()) {
        const ExponentRange known = problem_.ranges[tile / kTile];
        const ExponentRange own = known.known() ? known : exponents_of(&problem_.packed[tile]);
        plain = PlainTile::suits_shares(neighbours, own, total_);
    }
    if (!plain || !fill_plain(tile, neighbours)) fill_scaled(tile);
}

// Returns false if a number is too small for that.
bool PlainWalk::fill_plain(Subset tile, ExponentRange neighbours) {
    const Subset members = tile | problem_.fixed;
    std::int64_t* packed = &problem_.packed[tile];
    tile_.start(neighbours);
    if (members == (backwards() ? high() : 0)) tile_.set_first_to_one(direction_);
    if (backwards()) {
        tile_.read_forward(packed, total_);
        for_each_member(high() & ~members, [&](unsigned i) {
            tile_.add_neighbour(list(tile, i), packed_of(tile, i), list_shares(tile, i));
            join(tile, i);
        });
    } else {
        for_each_member(members, [&](unsigned i) { tile_.add_neighbour(list(tile, i), packed_of(tile, i)); });
    }
    for (unsigned i = 0; i < kLow; ++i) tile_.set_low(i, list(tile, i));
    if (!tile_.finish(direction_)) return false;
    problem_.ranges[tile / kTile] = tile_.store(packed);
    if (!backwards()) return true;
    for (unsigned v = 0; v < kLow; ++v) {
        tile_.low_shares(v, list(tile, v), list_shares(tile, v));
        join(tile, v);
    }
    return true;
}

// Observes a tile of scaled numbers in the backward walk.
struct PlainWalk::ScaledShares : TileObserver {
    ScaledShares(PlainWalk& owner, Subset observed)
        : walk(owner), tile(observed), forward(kTile / 4), after(kTile / 4), weights(kTile / 4) {
        for (std::size_t q = 0; q < kTile / 4; ++q)
            forward[q] = ScaledArithmetic::load(&walk.problem_.packed[tile + 4 * q]);
    }

    void neighbour(std::size_t q, const ScaledLanes& four) { after[q] = four; }
    void neighbours_seen(unsigned v) {
        for (std::size_t q = 0; q < kTile / 4; ++q) weights[q] = to_plain(weight_of(forward[q], after[q], walk.total_));
        walk.tile_.shares_of(weights.data(), walk.list(tile, v), walk.list_shares(tile, v));
        walk.join(tile, v);
    }
    void end(const std::vector<ScaledLanes>& filled) {
        for (unsigned v = 0; v < kLow; ++v) {
            for (std::size_t q = 0; q < kTile / 4; ++q) after[q] = with_member(filled, q, v);
            neighbours_seen(v);
        }
    }

    PlainWalk& walk;
    Subset tile;
    std::vector<ScaledLanes> forward, after;
    Numbers weights;
};

void PlainWalk::fill_scaled(Subset tile) {
    std::int64_t* packed = &problem_.packed[tile];
    Numbers sums(kTile / 4);
    const auto neighbour = [&](unsigned i) { return packed_of(tile, i); };
    const auto spread = [&](unsigned i, std::vector<ScaledLanes>& spread_sums) {
        tile_.sums_over_subsets(list(tile, i), sums.data());
        for (std::size_t q = 0; q < kTile / 4; ++q) spread_sums[q] = ScaledArithmetic::from_plain(sums[q]);
    };
    const Subset members = tile | problem_.fixed;
    if (backwards()) {
        scaled_.fill(problem_.tiles.n, direction_, members, packed, neighbour, spread, ScaledShares(*this, tile));
    } else {
        scaled_.fill(problem_.tiles.n, direction_, members, packed, neighbour, spread, TileObserver{});
    }
    problem_.ranges[tile / kTile] = exponents_of(packed);
}

void PlainWalk::reserve_shares(unsigned bits) {
    const unsigned n = problem_.tiles.n, top = problem_.sets.front().top();
    const unsigned lists = std::min(bits, top);
    taken_shares_.resize(std::max<std::size_t>(taken_shares_.size(), lists));
    for (unsigned r = kLow; r < lists; ++r) {
        for (auto v = static_cast<unsigned>(taken_shares_[r].size()); v < n; ++v)
            taken_shares_[r].emplace_back(problem_.sets[v].size(r) / 4);
    }
    unit_shares_.resize(n);
    for (unsigned v = 0; v < n; ++v) {
        const std::size_t vectors = problem_.sets[v].size(lists) / 4;
        if (unit_shares_[v].size() < vectors) unit_shares_[v].resize(vectors);
    }
    column_shares_.resize(std::max<std::size_t>(column_shares_.size(), bits + 1));
    for (unsigned r = top; r <= bits; ++r) {
        for (const bool taken : {false, true}) {
            // A unit as a whole is neither.
            if ((r == bits && taken) || !column_shares_[r][taken].empty()) continue;
            Shares columns(n);
            for (Column& column : columns) column.reset(problem_.tiles.sets(r), false);
            column_shares_[r][taken] = std::move(columns);
        }
    }
}

// Whether the node above a tile at level r takes its last variable; if it is a whole unit, this does not matter.
bool PlainWalk::taken(unsigned r, Subset tile) const noexcept { return r < bits_ && contains(tile, r); }

// Where the shares of a tile are: the list of a node that leaves its last variable out is the beginning of that of the
// node above it.
double* PlainWalk::list_shares(Subset tile, unsigned v) {
    const unsigned end = std::min(bits_, problem_.sets.front().top());
    unsigned r = kLow;
    while (r < end && !contains(tile, r)) ++r;
    return numbers(r == end ? unit_shares_[v] : taken_shares_[r][v]);
}

// Adds up the shares of v in the nodes above a tile that it completes (share_tree.hpp). Nodes that contain v have no
// shares, and what is in their buffers is old.
void PlainWalk::join(Subset tile, unsigned v) {
    const unsigned top = problem_.sets.front().top();
    const LaneSets& sets = problem_.sets[v];
    double* list = list_shares(tile, v);
    unsigned r = kLow;
    for (; r < std::min(bits_, top) && !contains(tile, r); ++r)
        sets.join(r + 1, numbers(taken_shares_[r][v]), list, list);
    if (r == top) sets.gather(list, column_shares_[r][taken(r, tile)][v].mantissa.data());
    for (; r >= top && r < bits_ && !contains(tile, r); ++r) {
        Column& parent = column_shares_[r + 1][taken(r + 1, tile)][v];
        if (v == r) {
            parent.reset(parent.mantissa.size(), false);
        } else {
            add_taken(problem_.tiles, r + 1, parent, column_shares_[r][true][v]);
        }
        add_left_out(problem_.tiles, r + 1, parent, column_shares_[r][false][v]);
    }
}

Shares PlainWalk::shares_of_unit(unsigned bits, Subset members) const {
    Shares shares(problem_.tiles.n);
    for (unsigned v = 0; v < problem_.tiles.n; ++v) {
        std::vector<double>& column = shares[v].mantissa;
        const bool as_list = bits < problem_.sets.front().top();
        column.assign(as_list ? problem_.sets[v].size(bits) : problem_.tiles.sets(bits), 0.0);
        if (v >= bits && contains(members, v)) continue;
        if (as_list) {
            const auto* list = reinterpret_cast<const double*>(unit_shares_[v].data());
            std::copy_n(list, column.size(), column.begin());
        } else {
            column = column_shares_[bits][false][v].mantissa;
        }
    }
    return shares;
}

}  // namespace dagscape
