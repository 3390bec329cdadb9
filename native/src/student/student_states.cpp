#include "dagscape/student/student_states.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "dagscape/numbers/exponential_lanes.hpp"
#include "dagscape/numbers/logarithm_lanes.hpp"
#include "dagscape/runtime/parallel.hpp"
#include "dagscape/student/answer_group.hpp"
#include "dagscape/student/state_tree.hpp"

namespace dagscape {
namespace {

// Blocks are large enough that starting one costs nothing in comparison, and their sums fit in memory.
constexpr double kBlockOperations = 1 << 20;
constexpr double kMostBlocks = 32;
constexpr double kMostBlockBytes = 1 << 28;

// A sum above this has lost nothing that counts: terms that vanished were below 1e-307.
constexpr double kLeastSum = 1e-200;

constexpr std::size_t kLanes = 4;

// The probabilities of four patterns are sum · e^log_scale.
struct Four {
    std::size_t first;
    Lanes sum, log_scale;

    Lanes log_likelihoods() const noexcept { return log_of_positive(sum) + log_scale; }
};

// The memory of one thread.
struct Scratch {
    std::vector<Lanes> states, tables, sums;
};

// Neumaier's compensated sum, in each lane.
struct CompensatedSum {
    Lanes sum = broadcast(0), correction = broadcast(0);

    void add(Lanes value) noexcept {
        const Lanes total = sum + value;
        const Lanes size = lanes_of(bits_of(value) & broadcast_bits(kWithoutSign));
        const Lanes own_size = lanes_of(bits_of(sum) & broadcast_bits(kWithoutSign));
        correction += size < own_size ? (sum - total) + value : (value - total) + sum;
        sum = total;
    }

    static constexpr std::int64_t kWithoutSign = std::numeric_limits<std::int64_t>::max();
};

struct BlockSums {
    std::vector<double> states, counts;
    CompensatedSum log_likelihood;

    void clear(std::size_t state_count, std::size_t group_counts) {
        states.assign(state_count, 0.0);
        counts.assign(group_counts, 0.0);
        log_likelihood = {};
    }

    void add(const BlockSums& other) noexcept {
        for (std::size_t i = 0; i < states.size(); ++i) states[i] += other.states[i];
        for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
        log_likelihood.add(other.log_likelihood.sum);
        log_likelihood.add(other.log_likelihood.correction);
    }

    double total_log_likelihood() const noexcept {
        CompensatedSum total;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            total.add(broadcast(log_likelihood.sum[lane]));
            total.add(broadcast(log_likelihood.correction[lane]));
        }
        return total.sum[0] + total.correction[0];
    }
};

// Skills in an order of their own, for fast trees.
class SkillOrder {
public:
    SkillOrder(unsigned skills, std::span<const std::uint32_t> sets)
        : skill_of_bit_(fast_order(skills, sets)), outer_(std::size_t{1} << skills) {
        for (std::uint32_t state = 0; state < outer_.size(); ++state) {
            for (unsigned bit = 0; bit < skills; ++bit) outer_[state] |= (state >> bit & 1) << skill_of_bit_[bit];
        }
    }

    // A state, or a set of skills, from the order inside to that of the caller.
    std::uint32_t outer(std::size_t state) const noexcept { return outer_[state]; }

    // The other way.
    std::uint32_t inner(std::uint32_t set) const noexcept {
        std::uint32_t found = 0;
        for (unsigned bit = 0; bit < skill_of_bit_.size(); ++bit) found |= (set >> skill_of_bit_[bit] & 1) << bit;
        return found;
    }

    std::vector<std::uint32_t> inner(std::span<const std::uint32_t> sets) const {
        std::vector<std::uint32_t> found;
        for (const std::uint32_t set : sets) found.push_back(inner(set));
        return found;
    }

    // The substates of a set for the caller, by those inside.
    std::vector<std::uint32_t> substates(std::uint32_t inner_set) const {
        std::vector<std::uint32_t> found;
        // The subsets of a set in ascending order are its substates in ascending order.
        for (std::uint32_t state = 0;; state = (state - inner_set) & inner_set) {
            found.push_back(packed_substate(outer_[state], outer_[inner_set]));
            if (state == inner_set) return found;
        }
    }

private:
    std::vector<unsigned> skill_of_bit_;
    std::vector<std::uint32_t> outer_;
};

// Adds the sum over four patterns of each state's values, times a factor.
void add_products(std::span<const Lanes> states, Lanes factor, std::span<double> out) noexcept {
    std::size_t i = 0;
    for (; i + 4 <= states.size(); i += 4) {
        const Lanes* four = &states[i];
        store(&out[i], load(&out[i]) + sums(four[0] * factor, four[1] * factor, four[2] * factor, four[3] * factor));
    }
    for (; i < states.size(); ++i) out[i] += sum(states[i] * factor);
}

std::vector<std::uint32_t> distinct(std::span<const std::uint32_t> masks) {
    std::vector<std::uint32_t> sets(masks.begin(), masks.end());
    std::sort(sets.begin(), sets.end());
    sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
    return sets;
}

}  // namespace

class StudentStates::Kernel {
public:
    Kernel(std::span<const std::uint32_t> masks, unsigned skills, std::span<const std::int8_t> answers,
           std::span<const double> weights)
        : skills_(skills), patterns_(weights.size()), weights_(weights.begin(), weights.end()),
          order_(skills, distinct(masks)), tree_(skills, order_.inner(distinct(masks))), prior_(states()),
          log_prior_(states()) {
        weights_.resize(patterns_ + kPadding, 0.0);
        std::vector<std::size_t> cell_start;
        for (const std::uint32_t mask : masks) {
            cell_start.push_back(cells_);
            cells_ += std::size_t{1} << std::popcount(mask);
        }
        const AnswerTable table{answers, masks.size()};
        for (const std::uint32_t mask : distinct(masks)) {
            std::vector<std::uint32_t> items;
            for (std::uint32_t item = 0; item < masks.size(); ++item) {
                if (masks[item] == mask) items.push_back(item);
            }
            groups_.emplace_back(table, items, cell_start, order_.substates(order_.inner(mask)), group_counts_);
            group_counts_ += groups_.back().counts();
        }
    }

    unsigned skills() const noexcept { return skills_; }
    std::size_t states() const noexcept { return std::size_t{1} << skills_; }
    std::size_t patterns() const noexcept { return patterns_; }
    std::size_t cells() const noexcept { return cells_; }
    std::size_t bytes(unsigned threads) const noexcept;
    double operations(std::size_t patterns) const noexcept;

    double expect(const StudentModelLogs& model, unsigned threads, std::span<double> state_counts,
                  std::span<double> cell_counts, Monitor& monitor);
    void marginals(const StudentModelLogs& model, std::span<const std::uint32_t> sets, unsigned threads,
                   std::span<double> out, std::span<double> log_likelihoods, Monitor& monitor);
    void posteriors(const StudentModelLogs& model, std::size_t first, unsigned threads, std::span<double> out,
                    Monitor& monitor);

private:
    std::size_t blocks() const noexcept;
    Scratch& scratch(unsigned worker, const StateTree& sets);
    void take(const StudentModelLogs& model);
    Four joint_probabilities(std::size_t first, const StateTree& sets, Scratch& scratch) const;
    void multiply(Four& four, Scratch& scratch) const;
    void multiply_by_logs(Four& four, Scratch& scratch) const;
    void add_counts(const Four& four, const Scratch& scratch, BlockSums& sums) const;
    template <class Visit>
    void for_each_four(std::size_t first, std::size_t end, const StateTree& sets, unsigned threads, Monitor& monitor,
                       Visit&& visit);

    unsigned skills_;
    std::size_t patterns_;
    std::vector<double> weights_;  // with the padding
    SkillOrder order_;
    StateTree tree_;
    std::vector<AnswerGroup> groups_;
    std::size_t cells_ = 0, group_counts_ = 0;

    // Of the current call. The prior is divided by its largest value.
    std::vector<double> prior_, log_prior_;
    double prior_scale_ = 0;
    std::vector<BlockSums> sums_;
    std::vector<std::unique_ptr<Scratch>> scratches_;
};

double StudentStates::Kernel::operations(std::size_t patterns) const noexcept {
    const double of_states = tree_.operations() + 4 * static_cast<double>(states());
    const double of_groups = 8 * static_cast<double>(tree_.table_size()) + 16 * static_cast<double>(groups_.size());
    return (of_states + of_groups) * std::ceil(static_cast<double>(patterns) / kLanes);
}

std::size_t StudentStates::Kernel::blocks() const noexcept {
    const double fours = std::ceil(static_cast<double>(patterns()) / kLanes);
    const double affordable = kMostBlockBytes / static_cast<double>((states() + group_counts_) * sizeof(double));
    const double blocks = std::min({operations(patterns()) / kBlockOperations, kMostBlocks, affordable, fours});
    return static_cast<std::size_t>(std::max(blocks, 1.0));
}

std::size_t StudentStates::Kernel::bytes(unsigned threads) const noexcept {
    const std::size_t lanes = states() + 2 * tree_.table_size();
    std::size_t bytes = threads * lanes * sizeof(Lanes) + blocks() * (states() + group_counts_) * sizeof(double);
    for (const AnswerGroup& group : groups_) bytes += group.bytes();
    return bytes + tree_.bytes() + weights_.size() * sizeof(double) +
           states() * (2 * sizeof(double) + sizeof(std::uint32_t));
}

Scratch& StudentStates::Kernel::scratch(unsigned worker, const StateTree& sets) {
    std::unique_ptr<Scratch>& own = scratches_[worker];
    if (!own) {
        own = std::make_unique<Scratch>();
        own->states.resize(states());
        own->tables.resize(tree_.table_size());
    }
    own->sums.resize(std::max(own->sums.size(), sets.table_size()));
    return *own;
}

void StudentStates::Kernel::take(const StudentModelLogs& model) {
    prior_scale_ = *std::max_element(model.prior.begin(), model.prior.end());
    for (std::size_t state = 0; state < states(); ++state) {
        log_prior_[state] = model.prior[order_.outer(state)] - prior_scale_;
    }
    exponentials_of_nonpositive(log_prior_, prior_);
    for (AnswerGroup& group : groups_) group.load(model.right, model.wrong);
}

// The probabilities of the patterns and each state together.
void StudentStates::Kernel::multiply(Four& four, Scratch& scratch) const {
    Lanes* table = scratch.tables.data();
    for (const AnswerGroup& group : groups_) {
        four.log_scale += group.likelihoods(four.first, table);
        table += group.substates();
    }
    tree_.combine<Multiplied>(scratch.tables.data(), prior_.data(), scratch.states.data());
}

void StudentStates::Kernel::multiply_by_logs(Four& four, Scratch& scratch) const {
    Lanes* table = scratch.tables.data();
    for (const AnswerGroup& group : groups_) {
        group.log_likelihoods(four.first, table);
        table += group.substates();
    }
    tree_.combine<Added>(scratch.tables.data(), log_prior_.data(), scratch.states.data());
    Lanes most = broadcast(-HUGE_VAL);
    for (const Lanes& value : scratch.states) most = most > value ? most : value;
    for (Lanes& value : scratch.states) value = exp_of_nonpositive(value - most);
    four.log_scale = most;
}

// Leaves the probabilities of four patterns and each state in the scratch, and their sums by the sets' substates.
Four StudentStates::Kernel::joint_probabilities(std::size_t first, const StateTree& sets, Scratch& scratch) const {
    Four four{first, broadcast(0), broadcast(0)};
    const auto sum = [&] { return sets.sum(scratch.states.data(), scratch.sums.data()); };
    multiply(four, scratch);
    four.sum = sum();
    const Lanes least = broadcast(kLeastSum);
    const LaneBits vanished = four.sum < least;
    if ((vanished[0] | vanished[1] | vanished[2] | vanished[3]) != 0) {
        multiply_by_logs(four, scratch);
        four.sum = sum();
    }
    four.log_scale += broadcast(prior_scale_);
    return four;
}

// Calls visit(block, four, scratch) for all patterns in [first, end).
template <class Visit>
void StudentStates::Kernel::for_each_four(std::size_t first, std::size_t end, const StateTree& sets, unsigned threads,
                                          Monitor& monitor, Visit&& visit) {
    const std::size_t fours = (end - first + kLanes - 1) / kLanes;
    const std::size_t count = std::min(blocks(), fours);
    if (scratches_.size() < threads) scratches_.resize(threads);
    monitor.expect(end - first);
    run_tasks(count, threads, monitor, [&](std::size_t block, unsigned worker) {
        Scratch& own = scratch(worker, sets);
        const std::size_t start = first + kLanes * (block * fours / count);
        const std::size_t stop = std::min(end, first + kLanes * ((block + 1) * fours / count));
        for (std::size_t pattern = start; pattern < stop; pattern += kLanes) {
            monitor.check();
            visit(block, joint_probabilities(pattern, sets, own), own);
        }
        monitor.advance(stop - start);
    });
}

double StudentStates::Kernel::expect(const StudentModelLogs& model, unsigned threads, std::span<double> state_counts,
                                     std::span<double> cell_counts, Monitor& monitor) {
    take(model);
    sums_.resize(blocks());
    for (BlockSums& sums : sums_) sums.clear(states(), group_counts_);
    for_each_four(0, patterns(), tree_, threads, monitor, [&](std::size_t block, const Four& four, Scratch& scratch) {
        add_counts(four, scratch, sums_[block]);
    });
    BlockSums& all = sums_[0];
    for (std::size_t block = 1; block < sums_.size(); ++block) all.add(sums_[block]);
    for (std::size_t state = 0; state < states(); ++state) state_counts[order_.outer(state)] = all.states[state];
    for (AnswerGroup& group : groups_) group.write_counts(all.counts.data(), cell_counts);
    return all.total_log_likelihood();
}

void StudentStates::Kernel::add_counts(const Four& four, const Scratch& scratch, BlockSums& sums) const {
    const Lanes weight = load(&weights_[four.first]);
    sums.log_likelihood.add(weight * four.log_likelihoods());
    const Lanes factor = weight / four.sum;
    add_products(scratch.states, factor, sums.states);
    const Lanes* table = scratch.sums.data();
    for (const AnswerGroup& group : groups_) {
        group.add_counts(four.first, table, factor, sums.counts.data());
        table += group.substates();
    }
}

void StudentStates::Kernel::marginals(const StudentModelLogs& model, std::span<const std::uint32_t> sets,
                                      unsigned threads, std::span<double> out, std::span<double> log_likelihoods,
                                      Monitor& monitor) {
    take(model);
    std::vector<std::uint32_t> inner_sets = order_.inner(sets);
    std::vector<std::size_t> column;
    for (const std::uint32_t set : inner_sets) {
        const std::size_t start = column.size();
        for (const std::uint32_t substate : order_.substates(set)) column.push_back(start + substate);
    }
    // Without any set, the log-likelihoods remain.
    if (inner_sets.empty()) inner_sets.push_back(1);
    const StateTree tree(skills_, inner_sets);
    for_each_four(0, patterns(), tree, threads, monitor, [&](std::size_t, const Four& four, Scratch& scratch) {
        const Lanes logs = four.log_likelihoods();
        for (std::size_t lane = 0; lane < std::min(kLanes, patterns() - four.first); ++lane) {
            log_likelihoods[four.first + lane] = logs[lane];
            double* row = out.data() + (four.first + lane) * column.size();
            for (std::size_t i = 0; i < column.size(); ++i) row[column[i]] = scratch.sums[i][lane] / four.sum[lane];
        }
    });
}

void StudentStates::Kernel::posteriors(const StudentModelLogs& model, std::size_t first, unsigned threads,
                                       std::span<double> out, Monitor& monitor) {
    take(model);
    const std::size_t end = first + out.size() / states();
    for_each_four(first, end, tree_, threads, monitor, [&](std::size_t, const Four& four, Scratch& scratch) {
        for (std::size_t lane = 0; lane < std::min(kLanes, end - four.first); ++lane) {
            double* row = out.data() + (four.first + lane - first) * states();
            for (std::size_t state = 0; state < states(); ++state) {
                row[order_.outer(state)] = scratch.states[state][lane] / four.sum[lane];
            }
        }
    });
}

StudentStates::StudentStates(std::span<const std::uint32_t> masks, unsigned skills,
                             std::span<const std::int8_t> answers, std::span<const double> weights)
    : kernel_(std::make_unique<Kernel>(masks, skills, answers, weights)) {}
StudentStates::~StudentStates() = default;

unsigned StudentStates::skills() const noexcept { return kernel_->skills(); }
std::size_t StudentStates::patterns() const noexcept { return kernel_->patterns(); }
std::size_t StudentStates::cells() const noexcept { return kernel_->cells(); }
std::size_t StudentStates::bytes(unsigned threads) const noexcept { return kernel_->bytes(threads); }
double StudentStates::operations(std::size_t patterns) const noexcept { return kernel_->operations(patterns); }

double StudentStates::expect(const StudentModelLogs& model, unsigned threads, std::span<double> state_counts,
                             std::span<double> cell_counts, Monitor& monitor) {
    return kernel_->expect(model, threads, state_counts, cell_counts, monitor);
}
void StudentStates::marginals(const StudentModelLogs& model, std::span<const std::uint32_t> sets, unsigned threads,
                              std::span<double> out, std::span<double> log_likelihoods, Monitor& monitor) {
    kernel_->marginals(model, sets, threads, out, log_likelihoods, monitor);
}
void StudentStates::posteriors(const StudentModelLogs& model, std::size_t first, unsigned threads,
                               std::span<double> out, Monitor& monitor) {
    kernel_->posteriors(model, first, threads, out, monitor);
}

}  // namespace dagscape
