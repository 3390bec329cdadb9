#include "dagscape/scores/joint_scores.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>

#include "dagscape/runtime/parallel.hpp"

namespace dagscape {
namespace {

// The number of row visits between two checks of the monitor: far less than 50 ms.
constexpr std::uint64_t kVisitsBetweenChecks = 1 << 20;

// Variables with many values come first. Deep in the lattice, where most sets are, the remaining variables then have
// few values, and most rows of a cell become one.
std::vector<std::uint16_t> by_falling_arity(std::span<const std::uint32_t> arities) {
    std::vector<std::uint16_t> order(arities.size());
    std::iota(order.begin(), order.end(), std::uint16_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return arities[a] > arities[b]; });
    return order;
}

// Products of arities are capped here.
constexpr std::uint64_t kManyStates = std::uint64_t{1} << 62;

}  // namespace

std::uint64_t more_states(std::uint64_t states, std::uint32_t arity) noexcept {
    return states > kManyStates / arity ? kManyStates : states * arity;
}

std::int64_t rounded_product(double price, std::uint64_t states, int bits) noexcept {
    if (price == 0) return 0;
    int exponent = 0;
    const double mantissa = std::frexp(std::fabs(price), &exponent);
    const UInt128 product = static_cast<UInt128>(static_cast<std::uint64_t>(std::ldexp(mantissa, 53))) * states;
    const int dropped = std::min(53 - exponent - bits, 127);
    const UInt128 units = dropped > 0 ? (product + (UInt128{1} << (dropped - 1))) >> dropped : product << -dropped;
    return price < 0 ? -static_cast<std::int64_t>(units) : static_cast<std::int64_t>(units);
}

std::int64_t JointScoreSpec::value(std::int64_t sum, std::uint64_t states) const noexcept {
    if (states > max_states) return kImpossible;
    return term.rounded(sum - rounded_product(penalty_per_state, states, term.unit_bits + term.guard_bits));
}

// Walks branches of the lattice on one thread.
class JointScoreJob::Walker {
public:
    Walker(const JointScoreJob& job, Monitor& monitor)
        : job_(job), monitor_(monitor), cache_(job.spec_.term), scratch_(job.rows_.columns().largest_arity()),
          level_(job.index_.max_size() + 1) {}

    void enter(const Branch& branch) {
        members_.clear();
        depth_ = 0;
        log_states_ = 0;
        states_ = 1;
        start_partition(job_.rows_.weights(), {}, level_[0]);
        for (unsigned position = 0; position < branch.next; ++position) {
            if (std::find(branch.chosen.begin(), branch.chosen.end(), position) != branch.chosen.end()) {
                value_ = include(position, true);
            } else {
                exclude(position);
            }
        }
        if (branch.chosen.empty()) {
            const std::uint32_t all = level_[0].largest;
            value_ = job_.spec_.value(cache_.terms(0, all)(all), 1);
        }
    }

    // Writes J of the branch's own set and of all its extensions. With an empty `out`, it does the same work but writes
    // nothing.
    void walk(const Branch& branch, std::span<std::int64_t> out) {
        write(out, value_);
        extend(branch.next, out);
        flush();
    }

    // The row visits so far.
    std::uint64_t visits() const noexcept { return flushed_visits_ + visits_; }

private:
    void extend(unsigned from, std::span<std::int64_t> out) {
        const unsigned positions = job_.rows_.positions();
        if (depth_ == job_.index_.max_size()) return;
        for (unsigned position = from; position < positions; ++position) {
            const bool leaf = position + 1 == positions || depth_ + 1 == job_.index_.max_size();
            const std::int64_t value = include(position, !leaf);
            write(out, value);
            if (!leaf) extend(position + 1, out);
            leave(position);
            // Only one pass is left after the last variable but one: merging rows for it would cost as much.
            if (position + 2 < positions) exclude(position);
        }
    }

    // Adds the variable at a position to the set and returns its J.
    std::int64_t include(unsigned position, bool keep_partition) {
        const Partition& parent = level_[depth_];
        const std::uint16_t variable = job_.order_[position];
        members_.insert(std::upper_bound(members_.begin(), members_.end(), variable), variable);
        log_states_ += job_.log_states_.of_variable(variable);
        states_before_.push_back(states_);
        states_ = more_states(states_, job_.arities_[variable]);
        visits_ += parent.open_rows() + 16;
        if (visits_ > kVisitsBetweenChecks) flush();

        cache_.make_room();
        const CellTerms& terms = cache_.terms(log_states_, parent.largest);
        const std::int64_t sum =
            keep_partition ? refine(job_.rows_.columns(), parent, position, terms, scratch_, level_[depth_ + 1])
                           : refined_sum(job_.rows_.columns(), parent, position, terms, scratch_);
        ++depth_;
        return job_.spec_.value(sum, states_);
    }

    void leave(unsigned position) {
        const std::uint16_t variable = job_.order_[position];
        members_.erase(std::lower_bound(members_.begin(), members_.end(), variable));
        log_states_ -= job_.log_states_.of_variable(variable);
        states_ = states_before_.back();
        states_before_.pop_back();
        --depth_;
    }

    // Leaves a variable out: rows that only it distinguishes become one row.
    void exclude(unsigned position) {
        if (position + 1 == job_.rows_.positions()) return;
        if (job_.rows_.distinct_suffixes(position + 1) == job_.rows_.distinct_suffixes(position)) return;
        visits_ += level_[depth_].open_rows();
        if (visits_ > kVisitsBetweenChecks) flush();
        forget_before(job_.rows_, position + 1, level_[depth_]);
    }

    void write(std::span<std::int64_t> out, std::int64_t value) {
        if (!out.empty()) out[job_.index_.rank(members_)] = value;
        ++written_;
    }

    void flush() {
        monitor_.advance(written_);
        monitor_.check();
        written_ = 0;
        flushed_visits_ += visits_;
        visits_ = 0;
    }

    const JointScoreJob& job_;
    Monitor& monitor_;
    CellTermCache cache_;
    RefineScratch scratch_;
    std::vector<Partition> level_;  // by number of members
    std::vector<std::uint16_t> members_;
    std::vector<std::uint64_t> states_before_;
    unsigned depth_ = 0;
    Fixed log_states_ = 0;
    std::uint64_t states_ = 1;
    std::int64_t value_ = 0;
    std::uint64_t visits_ = 0;
    std::uint64_t flushed_visits_ = 0;
    std::uint64_t written_ = 0;
};

template <class Code>
JointScoreJob::JointScoreJob(std::span<const Code> codes, std::span<const std::uint32_t> weights,
                             std::span<const std::uint32_t> arities, unsigned max_size, const JointScoreSpec& spec,
                             Monitor& monitor)
    : index_(static_cast<unsigned>(arities.size()), max_size), spec_(spec), order_(by_falling_arity(arities)),
      arities_(arities.begin(), arities.end()), log_states_(arities), rows_(codes, weights, arities, order_, monitor) {}

template JointScoreJob::JointScoreJob(std::span<const std::uint8_t>, std::span<const std::uint32_t>,
                                      std::span<const std::uint32_t>, unsigned, const JointScoreSpec&, Monitor&);
template JointScoreJob::JointScoreJob(std::span<const std::uint32_t>, std::span<const std::uint32_t>,
                                      std::span<const std::uint32_t>, unsigned, const JointScoreSpec&, Monitor&);

void JointScoreJob::run(std::span<std::int64_t> out, unsigned threads, Monitor& monitor) const {
    monitor.expect(index_.size());
    const std::vector<Branch> branches = branches_of(index_);
    PerWorker<Walker> walkers(threads, [&] { return std::make_unique<Walker>(*this, monitor); });
    run_tasks(branches.size(), threads, monitor, [&](std::size_t task, unsigned worker) {
        walkers(worker).enter(branches[task]);
        walkers(worker).walk(branches[task], out);
    });
}

double JointScoreJob::seconds_per_set(double budget, Monitor& monitor) const {
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point start) {
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    const auto start = Clock::now();
    Walker walker(*this, monitor);
    std::mt19937_64 random(index_.size());
    // A few hundredths of a second each, for any number of rows.
    const std::uint64_t sample_sets = std::clamp<std::uint64_t>((1U << 24) / rows_.size(), 16, kBranchSets);
    double sum = 0;
    unsigned samples = 0;
    do {
        const Branch branch = random_branch(index_, sample_sets, random);
        walker.enter(branch);
        const auto walk_start = Clock::now();
        walker.walk(branch, {});
        sum += since(walk_start) / static_cast<double>(branch.sets(index_));
        ++samples;
    } while (since(start) < budget);
    return sum / samples;
}

double JointScoreJob::visits_per_set(unsigned samples, Monitor& monitor) const {
    Walker walker(*this, monitor);
    std::mt19937_64 random(index_.size());
    // About a millisecond each, for any number of rows.
    const std::uint64_t sample_sets = std::clamp<std::uint64_t>((1U << 19) / rows_.size(), 16, kBranchSets);
    double sum = 0;
    for (unsigned i = 0; i < samples; ++i) {
        const Branch branch = random_branch(index_, sample_sets, random);
        walker.enter(branch);
        const std::uint64_t before = walker.visits();
        walker.walk(branch, {});
        sum += static_cast<double>(walker.visits() - before) / static_cast<double>(branch.sets(index_));
    }
    return sum / samples;
}

}  // namespace dagscape
