#include "dagscape/sampling/dag_sampler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dagscape/runtime/parallel.hpp"
#include "dagscape/sampling/family_draw.hpp"

namespace dagscape {
namespace {

constexpr std::size_t kSetsBetweenChecks = std::size_t{1} << 12;

// The variables left, known sinks of the DAG on them, and variables known to be none.
struct State {
    Subset left = 0, sinks = 0, others = 0;

    bool operator==(const State&) const = default;
};

struct StateHash {
    std::size_t operator()(const State& state) const noexcept {
        std::uint64_t bits = state.left * 0x9E3779B97F4A7C15 ^ std::rotl(state.sinks * 0xBF58476D1CE4E5B9, 21) ^
                             std::rotl(state.others * 0x94D049BB133111EB, 42);
        bits = (bits ^ (bits >> 31)) * 0xBF58476D1CE4E5B9;
        return bits ^ (bits >> 29);
    }
};

// How a state is left: by asking whether a variable is a sink, by choosing a sink, or by removing one.
enum class Step { ask, choose, remove };

// The variable that is asked for or removed, and the cumulative weights of the answers: no and yes, the variables that
// may be sinks, or the subsets of `others`. The last one is the total, which is 0 if no digit is left.
struct Decision {
    Step step = Step::ask;
    unsigned variable = 0;
    double loss_of_sets = 0, loss_of_families = 0;
    std::vector<double> cumulative;
};

// Calls visit(i, subset) for all subsets, in increasing order.
template <class Visit>
void for_each_subset(Subset set, Visit&& visit) {
    const std::size_t count = std::size_t{1} << std::popcount(set);
    Subset subset = 0;
    for (std::size_t i = 0; i < count; ++i) {
        visit(i, subset);
        subset = (subset - set) & set;
    }
}

// The subset at a position.
Subset subset_at(Subset set, std::size_t position) noexcept {
    Subset subset = 0;
    for_each_member(set, [&](unsigned member) {
        if ((position & 1) != 0) subset |= singleton(member);
        position >>= 1;
    });
    return subset;
}

// Transforms over the subsets of a set, by position: combine(without, with) for each pair that differs in one member.
template <class Combine>
void transform(std::vector<double>& values, Combine&& combine) {
    for (std::size_t bit = 1; bit < values.size(); bit *= 2) {
        for (std::size_t first = 0; first < values.size(); first += 2 * bit) {
            for (std::size_t i = first; i < first + bit; ++i) combine(values[i], values[i + bit]);
        }
    }
}

// The number of sinks of the DAG on a set.
double sinks(Subset set, std::span<const Subset> parents) noexcept {
    Subset with_children = 0;
    for_each_member(set, [&](unsigned v) { with_children |= parents[v]; });
    return static_cast<double>(std::popcount(set & ~with_children));
}

// Draws DAGs on one thread.
class Walker {
public:
    Walker(const ParentSums& sums, const DagSum& dags, std::span<const std::int64_t> scores, int unit_bits,
           ChoiceRule rule, double kept_bytes, const Monitor& monitor)
        : sums_(sums), dags_(dags), families_(sums, scores, unit_bits), rule_(rule), monitor_(monitor),
          most_kept_bytes_(kept_bytes) {}

    // Fills in the parents; returns nothing if rounding errors have led where no DAG is.
    std::optional<std::int64_t> attempt(RandomBits& random, std::span<Subset> parents, Loss& loss);

private:
    // b(S, K).
    ScaledNumber with_sinks(Subset S, Subset K) const noexcept;
    double relative(Subset S, Subset K, double unit) const noexcept {
        const ScaledNumber number = with_sinks(S, K);
        return number.mantissa * power_of_two(number.exponent - unit);
    }
    bool take_step(State& state, RandomBits& random, std::span<Subset> parents, Loss& loss);
    const Decision& decide(const State& state);
    Decision without_known_sink(const State& state) const;
    Decision ask_for_sink(const State& state) const;
    Decision choose_sink(const State& state) const;
    Decision remove_sink(const State& state);
    unsigned likely_sink(const State& state) const;

    const ParentSums& sums_;
    const DagSum& dags_;
    FamilyDraw families_;
    ChoiceRule rule_;
    const Monitor& monitor_;
    std::unordered_map<State, Decision, StateHash> kept_;
    double most_kept_bytes_, kept_bytes_ = 0;
    Decision latest_;
    std::vector<State> chosen_at_;
    std::vector<double> weights_, sizes_, choices_, choice_sizes_;
};

ScaledNumber Walker::with_sinks(Subset S, Subset K) const noexcept {
    const Subset rest = S & ~K;
    ScaledNumber product = dags_.forward(rest);
    for_each_member(K, [&](unsigned v) { product = times(product, sums_.get(v, rest)); });
    return product;
}

std::optional<std::int64_t> Walker::attempt(RandomBits& random, std::span<Subset> parents, Loss& loss) {
    State state{(Subset{1} << sums_.n()) - 1, 0, 0};
    chosen_at_.clear();
    while (state.left != 0) {
        if (!take_step(state, random, parents, loss)) return std::nullopt;
        // Choices are accepted from the last to the first once all parents are known.
        while (state.left == 0 && !chosen_at_.empty()) {
            const State last = chosen_at_.back();
            chosen_at_.pop_back();
            if (uniform(random) * sinks(last.left, parents) >= 1) state = last;
        }
    }
    std::int64_t score = 0;
    for (unsigned v = 0; v < sums_.n(); ++v) score += families_.score(v, parents[v]);
    return score;
}

// Returns false if no weight is left.
bool Walker::take_step(State& state, RandomBits& random, std::span<Subset> parents, Loss& loss) {
    const Decision& decision = decide(state);
    const double total = decision.cumulative.back();
    if (!(total > 0)) return false;
    loss.of_sets += decision.loss_of_sets;
    loss.of_families += decision.loss_of_families;
    const double drawn = uniform(random) * total;
    const auto found = std::upper_bound(decision.cumulative.begin(), decision.cumulative.end(), drawn);
    const auto answer = static_cast<std::size_t>(found - decision.cumulative.begin());
    const unsigned v = decision.variable;
    if (decision.step == Step::ask) {
        (answer == 0 ? state.others : state.sinks) |= singleton(v);
        return true;
    }
    if (decision.step == Step::choose) {
        chosen_at_.push_back(state);
        state.sinks = subset_at(state.left & ~state.others, std::size_t{1} << answer);
        return true;
    }
    const Subset new_sinks = subset_at(state.others, answer);
    state.left &= ~singleton(v);
    state.sinks &= ~singleton(v);
    const auto family = families_.draw(v, new_sinks, state.left & ~state.sinks, random, loss);
    if (!family) return false;
    parents[v] = *family;
    state.sinks |= new_sinks;
    state.others &= ~new_sinks;
    return true;
}

const Decision& Walker::decide(const State& state) {
    if (const auto found = kept_.find(state); found != kept_.end()) return found->second;
    latest_ = state.sinks == 0 ? without_known_sink(state) : remove_sink(state);
    // About what a node of the map, its bucket and the numbers take.
    const double bytes = 160 + 8.0 * static_cast<double>(latest_.cumulative.size());
    if (kept_bytes_ + bytes > most_kept_bytes_) return latest_;
    kept_bytes_ += bytes;
    return kept_.emplace(state, std::move(latest_)).first->second;
}

Decision Walker::without_known_sink(const State& state) const {
    const int others = std::popcount(state.others);
    if (others < rule_.others) return ask_for_sink(state);
    Decision choice = choose_sink(state);
    // The more variables are known to be no sinks, the more a second attempt may cost.
    const double most_sinks = 1 + (others - rule_.others + 1) * rule_.more_sinks;
    return choice.cumulative.back() <= most_sinks ? choice : ask_for_sink(state);
}

// The weights are relative to e(S; ∅, Y), so that their sum is the expected number of sinks.
Decision Walker::choose_sink(const State& state) const {
    Decision decision;
    decision.step = Step::choose;
    const double unit = dags_.forward(state.left).exponent;
    const Subset candidates = state.left & ~state.others;
    std::vector<double> weights(static_cast<std::size_t>(std::popcount(candidates)), 0.0);
    double all = 0, size = 0;
    for_each_subset(state.others, [&](std::size_t i, Subset set) {
        if (i % kSetsBetweenChecks == 0) monitor_.check();
        const double sign = std::popcount(set) % 2 == 0 ? 1 : -1;
        all += sign * relative(state.left, set, unit);
        std::size_t place = 0;
        for_each_member(candidates, [&](unsigned v) {
            const double number = relative(state.left, set | singleton(v), unit);
            weights[place++] += sign * number;
            size += number;
        });
    });
    double sum = 0;
    for (const double weight : weights) decision.cumulative.push_back(sum += std::max(weight, 0.0));
    decision.loss_of_sets = size / sum;
    for (double& cumulative : decision.cumulative) cumulative /= all;
    return decision;
}

// The variable that may be a sink and is the most likely one; the first of several.
unsigned Walker::likely_sink(const State& state) const {
    const Subset candidates = state.left & ~state.others;
    unsigned best = lowest(candidates);
    if (std::has_single_bit(candidates)) return best;
    ScaledNumber highest;
    for_each_member(candidates, [&](unsigned v) {
        const ScaledNumber weight = normalised(with_sinks(state.left, singleton(v)));
        if (std::pair(weight.exponent, weight.mantissa) > std::pair(highest.exponent, highest.mantissa)) {
            highest = weight;
            best = v;
        }
    });
    return best;
}

Decision Walker::ask_for_sink(const State& state) const {
    Decision decision;
    const unsigned v = decision.variable = likely_sink(state);
    const double unit = dags_.forward(state.left).exponent;
    double all = 0, yes = 0, size = 0;
    for_each_subset(state.others, [&](std::size_t i, Subset set) {
        if (i % kSetsBetweenChecks == 0) monitor_.check();
        const double sign = std::popcount(set) % 2 == 0 ? 1 : -1;
        const double one = relative(state.left, set, unit), other = relative(state.left, set | singleton(v), unit);
        all += sign * one;
        yes += sign * other;
        size += one + other;
    });
    yes = std::max(yes, 0.0);
    // Some variable is a sink.
    const double no = std::has_single_bit(state.left & ~state.others) ? 0 : std::max(all - yes, 0.0);
    decision.cumulative = {no, no + yes};
    decision.loss_of_sets = size / (no + yes);
    return decision;
}

Decision Walker::remove_sink(const State& state) {
    Decision decision;
    decision.step = Step::remove;
    const unsigned v = decision.variable = lowest(state.sinks);
    const Subset left = state.left & ~singleton(v), sinks = state.sinks & ~singleton(v), most = left & ~sinks;
    const std::size_t count = std::size_t{1} << std::popcount(state.others);
    const double unit = with_sinks(left, sinks).exponent, family_unit = sums_.exponent(v, most);
    weights_.resize(count);
    choices_.resize(count);
    for_each_subset(state.others, [&](std::size_t i, Subset set) {
        if (i % kSetsBetweenChecks == 0) monitor_.check();
        weights_[i] = relative(left, sinks | set, unit);
        const ScaledNumber sum = sums_.get(v, most & ~set);
        choices_[i] = sum.mantissa * power_of_two(sum.exponent - family_unit);
    });
    sizes_ = weights_;
    choice_sizes_ = choices_;
    transform(weights_, [](double& without, double with) { without -= with; });
    // Some variable is a sink: rounding must not let none of them be one.
    if (sinks == 0 && state.others == left && left != 0) weights_[0] = 0;
    transform(sizes_, [](double& without, double with) { without += with; });
    transform(choices_, [](double without, double& with) { with = without - with; });
    transform(choice_sizes_, [](double without, double& with) { with = without + with; });
    double sum = 0, loss_of_sets = 0, loss_of_families = 0;
    decision.cumulative.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const double weight = std::max(weights_[i], 0.0), choice = std::max(choices_[i], 0.0);
        decision.cumulative[i] = sum += weight * choice;
        loss_of_sets += sizes_[i] * choice;
        loss_of_families += weight * choice_sizes_[i];
    }
    decision.loss_of_sets = loss_of_sets / sum;
    decision.loss_of_families = loss_of_families / sum;
    return decision;
}

// So many attempts fail only if rounding errors exceed the weights.
constexpr unsigned kMostAttempts = 1000;

}  // namespace

DagSampler::DagSampler(const ParentSums& sums, const DagSum& dags, std::span<const std::int64_t> scores, int unit_bits,
                       ChoiceRule rule)
    : sums_(sums), dags_(dags), scores_(scores), unit_bits_(unit_bits), rule_(rule) {}

Loss DagSampler::draw(const SampledRows& rows, double kept_bytes, unsigned threads, Monitor& monitor) const {
    PerWorker<Walker> walkers(threads, [&] {
        return std::make_unique<Walker>(sums_, dags_, scores_, unit_bits_, rule_, kept_bytes, monitor);
    });
    return draw_rows(sums_.n(), rows, threads, monitor,
                     [&](RandomBits& random, std::span<Subset> parents, unsigned worker) {
                         Drawn drawn;
                         for (unsigned attempt = 0; attempt < kMostAttempts; ++attempt) {
                             drawn.loss = {};
                             if (const auto score = walkers(worker).attempt(random, parents, drawn.loss)) {
                                 drawn.score = *score;
                                 drawn.loss.repeated = attempt;
                                 return drawn;
                             }
                             monitor.check();
                         }
                         throw LostSample{};
                     });
}

}  // namespace dagscape
