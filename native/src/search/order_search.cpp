#include "dagscape/search/order_search.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace dagscape {
namespace {

constexpr std::size_t kMostGains = 1000;
constexpr std::uint32_t kMostKicks = 3;
// After this many moves per variable, a repair considers no further changes. On average, repairs make few moves.
constexpr std::size_t kMostRepairs = 50;
// The tolerance at the start of a round, in nats: that of the first round, of the second, …, and again from the first.
constexpr std::int64_t kTolerances[] = {0, 1, 4, 16};

void shuffle(std::span<std::uint32_t> numbers, RandomBits& random) {
    for (std::size_t i = numbers.size(); i > 1; --i) {
        std::swap(numbers[i - 1], numbers[random.below(static_cast<std::uint32_t>(i))]);
    }
}

}  // namespace

OrderSearch::OrderSearch(FamilyLists lists, std::span<const Variable> order, const OrderOptions& options)
    : lists_(std::move(lists)), options_(options), random_(options.seed), state_(lists_, order), window_(state_),
      best_(state_.value()), best_order_(order.begin(), order.end()), waiting_(lists_.n(), 0) {
    options_.window = std::min(options.window, lists_.n());
}

bool OrderSearch::run_round(Clock::time_point deadline, Monitor& monitor) {
    const bool finished = (rounds_ != 0 || refine(deadline, monitor)) && repeat_all(deadline, monitor);
    settle();
    ++rounds_;
    return finished && refine(deadline, monitor);
}

bool OrderSearch::repeat_all(Clock::time_point deadline, Monitor& monitor) {
    const auto length = static_cast<std::int64_t>(kRoundLength) * lists_.n();
    const std::int64_t most = kTolerances[rounds_ % std::size(kTolerances)] * options_.nat;
    for (std::int64_t i = 0; i < length; ++i) {
        monitor.check();
        if (Clock::now() >= deadline) return false;
        repeat(most / length * (length - i));
    }
    return true;
}

// Goes back to the best order, if the present one is worse.
void OrderSearch::settle() {
    if (!best_.better_than(state_.value())) return;
    state_.rearrange(0, best_order_);
    state_.forget();
}

bool OrderSearch::refine(Clock::time_point deadline, Monitor& monitor) {
    rewrite_depth_first();
    order_windows(deadline, monitor);
    return sweep(deadline, monitor);
}

bool OrderSearch::sweep(Clock::time_point deadline, Monitor& monitor) {
    std::vector<std::uint32_t> variables(lists_.n());
    std::iota(variables.begin(), variables.end(), 0);
    for (bool gained = true; gained;) {
        gained = false;
        shuffle(variables, random_);
        for (const std::uint32_t v : variables) {
            monitor.check();
            if (Clock::now() >= deadline) return false;
            to_best_position(v);
            state_.forget();
            gained = note(Move::insert, v) || gained;
        }
    }
    return true;
}

// Moves a variable to its best position, chosen at random from equally good ones.
void OrderSearch::to_best_position(unsigned v) {
    const auto ranges = state_.profile(v, false);
    const OrderState::Range* chosen = nullptr;
    std::uint32_t positions = 0;
    for (const auto& range : ranges) {
        if (chosen != nullptr && range.score < chosen->score) continue;
        if (chosen == nullptr || range.score > chosen->score) positions = 0;
        const std::uint32_t more = range.hi - range.lo + 1;
        positions += more;
        if (positions == more || random_.below(positions) < more) chosen = &range;
    }
    state_.move(*chosen, chosen->lo + random_.below(chosen->hi - chosen->lo + 1));
}

// Remembers the present order if it is better than all before.
bool OrderSearch::note(Move move, std::uint32_t variable) {
    if (!state_.value().better_than(best_)) return false;
    best_ = state_.value();
    best_order_.assign(state_.order().begin(), state_.order().end());
    last_gain_ = repetitions_;
    if (gains_.size() == kMostGains) {
        for (std::size_t i = 0; 2 * i + 1 < gains_.size(); ++i) gains_[i] = gains_[2 * i + 1];
        gains_.resize(kMostGains / 2);
    }
    gains_.push_back({move, variable, best_, Clock::now()});
    return true;
}

void OrderSearch::order_windows(Clock::time_point deadline, Monitor& monitor) {
    const std::uint32_t n = lists_.n(), width = options_.window, step = std::max(width / 2, 1u);
    for (std::uint32_t from = 0; Clock::now() < deadline; from += step) {
        monitor.check();
        const std::uint32_t first = std::min(from, n - width);
        window_.optimise(state_, first, width, random_);
        state_.forget();
        note(Move::window, state_.order()[first]);
        if (first + width == n) break;
    }
}

// Every variable directly after those of its ancestors that no earlier variable needed.
void OrderSearch::rewrite_depth_first() {
    const unsigned n = lists_.n();
    std::vector<std::uint32_t> variables(n);
    std::iota(variables.begin(), variables.end(), 0);
    shuffle(variables, random_);
    std::vector<char> listed(n, 0);
    std::vector<Variable> arranged;
    std::vector<std::uint32_t> path;
    for (const std::uint32_t root : variables) {
        if (listed[root]) continue;
        path.assign(1, root);
        while (!path.empty()) {
            const std::uint32_t v = path.back();
            const auto parents = lists_.parents(state_.family(v));
            const auto missing = std::find_if(parents.begin(), parents.end(), [&](Variable p) { return !listed[p]; });
            if (missing != parents.end()) {
                path.push_back(*missing);
                continue;
            }
            path.pop_back();
            listed[v] = 1;
            arranged.push_back(static_cast<Variable>(v));
        }
    }
    state_.rearrange(0, arranged);
    state_.forget();
    note(Move::perturb, arranged.front());
}

void OrderSearch::repeat(std::int64_t tolerance) {
    const auto before = state_.value();
    ++repetitions_;
    noted_ = 0;
    std::uint32_t variable = 0;
    const Move move = perturb(variable);
    repair();
    const auto after = state_.value();
    const bool kept = !before.better_than(after) ||
                      (after.impossible == before.impossible && before.score - after.score <= random_.up_to(tolerance));
    if (!kept) {
        state_.undo();
        return;
    }
    state_.forget();
    note(move, variable);
}

OrderSearch::Move OrderSearch::perturb(std::uint32_t& variable) {
    Move move = Move::perturb;
    for (std::uint32_t kicks = 1 + random_.below(kMostKicks); kicks > 0; --kicks) {
        if (random_.coin() && promote_any(variable)) {
            move = Move::promote;
        } else {
            variable = random_.below(lists_.n());
            insert_anywhere(variable);
        }
        await_changed();
    }
    return move;
}

void OrderSearch::insert_anywhere(unsigned v) {
    const std::uint32_t to = random_.below(lists_.n());
    const auto ranges = state_.profile(v, true);
    const auto range = std::find_if(ranges.begin(), ranges.end(), [&](const auto& r) { return r.lo <= to; });
    state_.move(*range, to);
    await(v);
}

// Promotes a random better family of a random variable that has one; returns false if none was found.
bool OrderSearch::promote_any(std::uint32_t& variable) {
    for (int attempt = 0; attempt < 64; ++attempt) {
        const std::uint32_t v = random_.below(lists_.n());
        const Rank first = lists_.first(v), better = state_.family(v) - first;
        if (better == 0) continue;
        variable = v;
        state_.promote(v, first + random_.below(better), random_);
        return true;
    }
    return false;
}

void OrderSearch::await(unsigned v) {
    if (waiting_[v]) return;
    waiting_[v] = 1;
    queue_.push_back(v);
}

// The variables whose family changed have to be considered, and so have their parents.
void OrderSearch::await_changed() {
    const auto changed = state_.changed();
    for (; noted_ < changed.size(); ++noted_) {
        const auto [variable, before] = changed[noted_];
        await(variable);
        for (const Variable parent : lists_.parents(before)) await(parent);
        for (const Variable parent : lists_.parents(state_.family(variable))) await(parent);
    }
}

void OrderSearch::repair() {
    const std::size_t most = kMostRepairs * lists_.n();
    for (std::size_t next = 0; next < queue_.size(); ++next) {
        const std::size_t chosen = next + random_.below(static_cast<std::uint32_t>(queue_.size() - next));
        std::swap(queue_[next], queue_[chosen]);
        const std::uint32_t v = queue_[next];
        waiting_[v] = 0;
        to_best_position(v);
        if (next < most) await_changed();
    }
    queue_.clear();
}

}  // namespace dagscape
