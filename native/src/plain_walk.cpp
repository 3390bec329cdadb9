#include "dagscape/plain_walk.hpp"

#include <algorithm>

#include "dagscape/subset.hpp"

namespace dagscape {
namespace {

double* numbers(std::vector<Lanes>& vectors) { return reinterpret_cast<double*>(vectors.data()); }

void restrict_column(const Tiles& tiles, unsigned r, bool take, const Column& from, Column& to) {
    tiles.decide(r, take, [&](std::size_t to_at, std::size_t from_at, std::size_t count, bool taken) {
        taken ? add(to, to_at, from, from_at, count) : copy(to, to_at, from, from_at, count);
    });
}

}  // namespace

PlainWalk::PlainWalk(const PlainProblem& problem)
    : problem_(problem), decided_(problem.own, kUndecided), columns_(problem.own), rooms_(problem.own),
      lists_(problem.own + 1, std::vector<const double*>(problem.tiles.n)) {
    const unsigned n = problem_.tiles.n, top = problem_.sets.front().top();
    for (unsigned r = kLow; r < problem_.own; ++r) {
        if (r > top) {
            columns_[r].resize(n);
            for (Column& column : columns_[r]) column.reset(problem_.tiles.sets(r), false);
        } else {
            for (unsigned v = 0; v < n; ++v) rooms_[r].emplace_back(problem_.sets[v].size(r) / 4);
        }
    }
    if (problem_.own > top) last_column_.reset(problem_.tiles.sets(top), false);
    if (problem_.own > top) return;
    for (unsigned v = 0; v < n; ++v) lists_[problem_.own][v] = problem_.families[v].mantissa.data();
}

void PlainWalk::forward(Subset pattern, unsigned bits, const ReceivedWords& received, Monitor& monitor) {
    start(Direction::forwards, pattern, bits, received);
    descend(bits, pattern, false, monitor);
}

Shares PlainWalk::backward(Subset pattern, unsigned bits, ScaledNumber total, const ReceivedWords& received,
                           Monitor& monitor) {
    total_ = total;
    make_room_for_shares(bits);
    start(Direction::backwards, pattern, bits, received);
    descend(bits, pattern, false, monitor);
    return shares_of_unit(bits, pattern | problem_.fixed);
}

void PlainWalk::start(Direction direction, Subset pattern, unsigned bits, const ReceivedWords& received) {
    // Columns that one direction needs, the other may not.
    if (direction != direction_) std::fill(decided_.begin(), decided_.end(), kUndecided);
    direction_ = direction;
    received_ = &received;
    for (unsigned r = problem_.own; r > bits; --r) decide(r, pattern & ~((Subset{1} << (r - 1)) - 1));
}

// `taken`: whether the node takes its last variable, and which of two rooms its shares are for.
void PlainWalk::descend(unsigned r, Subset tile, bool taken, Monitor& monitor) {
    if (r == kLow) {
        monitor.check();
        fill(tile, taken);
        monitor.advance(1);
        return;
    }
    for (const bool first : {true, false}) {
        const bool take = first == backwards();
        const Subset part = take ? tile | singleton(r - 1) : tile;
        decide(r, part);
        descend(r - 1, part, take, monitor);
    }
    if (backwards()) join(r, tile, taken);
}

// Restricts the columns that are needed from the first r variables to the first r - 1, given the members among the
// others: those of all undecided variables; forwards, of members, and backwards, of others.
void PlainWalk::decide(unsigned r, Subset members) {
    if (decided_[r - 1] == members) return;
    for (unsigned v = 0; v < problem_.tiles.n; ++v) {
        if (v < r - 1 || contains(members | problem_.fixed, v) != backwards()) {
            // No family of a variable contains it.
            decide(r, v, contains(members, r - 1) && v != r - 1);
        }
    }
    decided_[r - 1] = members;
}

void PlainWalk::decide(unsigned r, unsigned v, bool take) {
    const unsigned top = problem_.sets.front().top();
    if (r <= top) {
        lists_[r - 1][v] = lists_[r][v];
        if (!take) return;
        double* room = numbers(rooms_[r - 1][v]);
        problem_.sets[v].take(r, lists_[r][v], room);
        lists_[r - 1][v] = room;
        return;
    }
    const Column& from = r == problem_.own ? problem_.families[v] : columns_[r][v];
    restrict_column(problem_.tiles, r, take, from, r - 1 == top ? last_column_ : columns_[r - 1][v]);
    if (r - 1 > top) return;
    problem_.sets[v].spread(last_column_.mantissa.data(), numbers(rooms_[top][v]));
    lists_[top][v] = numbers(rooms_[top][v]);
}

Subset PlainWalk::high() const noexcept { return ((Subset{1} << problem_.tiles.n) - 1) & ~(Subset{kTile} - 1); }

// The words of the tile with variable i more or fewer, and their exponents.
const std::int64_t* PlainWalk::words_of(Subset tile, unsigned i) const {
    return i < problem_.own ? &problem_.words[tile ^ singleton(i)] : received_->tile(i - problem_.own, tile);
}

LaneList PlainWalk::list(unsigned v) const { return {problem_.sets[v].places(), lists_[kLow][v]}; }

ExponentRange PlainWalk::range_of(Subset tile, unsigned i) const {
    const ExponentRange range = i < problem_.own ? problem_.ranges[(tile ^ singleton(i)) / kTile] : ExponentRange{};
    return range.known() ? range : exponents_of(words_of(tile, i));
}

void PlainWalk::fill(Subset tile, bool taken) {
    const Subset members = tile | problem_.fixed;
    ExponentRange neighbours;
    for_each_member(backwards() ? high() & ~members : members,
                    [&](unsigned i) { neighbours.include(range_of(tile, i)); });
    if (!neighbours.known()) neighbours = PlainTile::without_neighbours();
    bool plain = PlainTile::suits(neighbours);
    if (plain && backwards()) {
        const ExponentRange known = problem_.ranges[tile / kTile];
        const ExponentRange own = known.known() ? known : exponents_of(&problem_.words[tile]);
        plain = PlainTile::suits_shares(neighbours, own, total_);
    }
    if (!plain || !fill_plain(tile, taken, neighbours)) fill_scaled(tile, taken);
    if (!backwards() || problem_.sets.front().top() > kLow) return;
    // With ten variables, there is nothing to join.
    for (unsigned v = 0; v < problem_.tiles.n; ++v) {
        problem_.sets[v].gather(list_shares(kLow, taken, v), column_shares_[kLow][taken][v].mantissa.data());
    }
}

// Returns false if a number is too small for that.
bool PlainWalk::fill_plain(Subset tile, bool taken, ExponentRange neighbours) {
    const Subset members = tile | problem_.fixed;
    std::int64_t* words = &problem_.words[tile];
    tile_.start(neighbours);
    if (members == (backwards() ? high() : 0)) tile_.set_first_to_one(direction_);
    if (backwards()) {
        tile_.read_forward(words, total_);
        for_each_member(high() & ~members, [&](unsigned i) {
            tile_.add_neighbour(list(i), words_of(tile, i), list_shares(kLow, taken, i));
        });
    } else {
        for_each_member(members, [&](unsigned i) { tile_.add_neighbour(list(i), words_of(tile, i)); });
    }
    for (unsigned i = 0; i < kLow; ++i) tile_.set_low(i, list(i));
    if (!tile_.finish(direction_)) return false;
    problem_.ranges[tile / kTile] = tile_.store(words);
    if (!backwards()) return true;
    for (unsigned v = 0; v < kLow; ++v) tile_.low_shares(v, list(v), list_shares(kLow, taken, v));
    return true;
}

// Observes a tile of scaled numbers in the backward walk.
struct PlainWalk::ScaledShares : TileObserver {
    ScaledShares(PlainWalk& owner, Subset tile, bool taken_slot)
        : walk(owner), taken(taken_slot), forward(kTile / 4), after(kTile / 4), weights(kTile / 4) {
        for (std::size_t q = 0; q < kTile / 4; ++q)
            forward[q] = ScaledArithmetic::load(&walk.problem_.words[tile + 4 * q]);
    }

    void neighbour(std::size_t q, const ScaledLanes& four) { after[q] = four; }
    void neighbours_seen(unsigned v) {
        for (std::size_t q = 0; q < kTile / 4; ++q) weights[q] = to_plain(weight_of(forward[q], after[q], walk.total_));
        walk.tile_.shares_of(weights.data(), walk.list(v), walk.list_shares(kLow, taken, v));
    }
    void end(const std::vector<ScaledLanes>& tile) {
        for (unsigned v = 0; v < kLow; ++v) {
            for (std::size_t q = 0; q < kTile / 4; ++q) after[q] = with_member(tile, q, v);
            neighbours_seen(v);
        }
    }

    PlainWalk& walk;
    bool taken;
    std::vector<ScaledLanes> forward, after;
    Numbers weights;
};

void PlainWalk::fill_scaled(Subset tile, bool taken) {
    std::int64_t* words = &problem_.words[tile];
    Numbers sums(kTile / 4);
    const auto neighbour = [&](unsigned i) { return words_of(tile, i); };
    const auto spread = [&](unsigned i, std::vector<ScaledLanes>& spread_sums) {
        tile_.sums_over_subsets(list(i), sums.data());
        for (std::size_t q = 0; q < kTile / 4; ++q) spread_sums[q] = ScaledArithmetic::from_plain(sums[q]);
    };
    const Subset members = tile | problem_.fixed;
    if (backwards()) {
        scaled_.fill(problem_.tiles.n, direction_, members, words, neighbour, spread, ScaledShares(*this, tile, taken));
    } else {
        scaled_.fill(problem_.tiles.n, direction_, members, words, neighbour, spread, TileObserver{});
    }
    problem_.ranges[tile / kTile] = exponents_of(words);
}

void PlainWalk::make_room_for_shares(unsigned bits) {
    const unsigned n = problem_.tiles.n, top = problem_.sets.front().top();
    list_shares_.resize(top);
    if (top == kLow) list_shares_.resize(kLow + 1);
    column_shares_.resize(std::max<std::size_t>(column_shares_.size(), bits + 1));
    for (auto v = static_cast<unsigned>(joined_.size()); v < n; ++v)
        joined_.emplace_back(problem_.sets[v].size(top) / 4);
    for (unsigned r = kLow; r <= bits; ++r) {
        for (const bool taken : {false, true}) {
            if (r < top || r == kLow) {
                for (unsigned v = static_cast<unsigned>(list_shares_[r][taken].size()); v < n; ++v)
                    list_shares_[r][taken].emplace_back(problem_.sets[v].size(r) / 4);
            }
            if (r < top || !column_shares_[r][taken].empty()) continue;
            column_shares_[r][taken].resize(n);
            for (Column& column : column_shares_[r][taken]) column.reset(problem_.tiles.sets(r), false);
        }
    }
}

double* PlainWalk::list_shares(unsigned r, bool taken, unsigned v) { return numbers(list_shares_[r][taken][v]); }

// Adds up the shares of a node from those of the two nodes below it (share_tree.hpp). Variables have no shares in sets
// that contain them: what is in their rooms is old.
void PlainWalk::join(unsigned r, Subset tile, bool taken) {
    const unsigned top = problem_.sets.front().top();
    for (unsigned v = 0; v < problem_.tiles.n; ++v) {
        if (v >= r && contains(tile | problem_.fixed, v)) continue;
        if (r > top) {
            Column& parent = column_shares_[r][taken][v];
            if (v == r - 1) {
                parent.reset(parent.mantissa.size(), false);
            } else {
                add_taken(problem_.tiles, r, parent, column_shares_[r - 1][true][v]);
            }
            add_left_out(problem_.tiles, r, parent, column_shares_[r - 1][false][v]);
            continue;
        }
        double* to = r == top ? numbers(joined_[v]) : list_shares(r, taken, v);
        problem_.sets[v].join(r, list_shares(r - 1, true, v), list_shares(r - 1, false, v), to);
        if (r == top) problem_.sets[v].gather(to, column_shares_[r][taken][v].mantissa.data());
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
            const auto* list = reinterpret_cast<const double*>(list_shares_[bits][false][v].data());
            std::copy_n(list, column.size(), column.begin());
        } else {
            column = column_shares_[bits][false][v].mantissa;
        }
    }
    return shares;
}

}  // namespace dagscape
