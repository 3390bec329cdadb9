#include "dagscape/scores/joint_counts.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "dagscape/numbers/wide_products.hpp"
#include "dagscape/runtime/parallel.hpp"

namespace dagscape {
namespace {

// Tasks decide the first variables: there are enough of them that many threads finish together.
constexpr unsigned kDecidedByTasks = 8;

// Counts on the way to the sets of a branch: the states of the members chosen so far, each with the 2^open states of
// the variables that are still open. The last of those is decided next.
struct Open {
    std::span<const std::uint64_t> units;
    unsigned open;
};

// The sum over the last open variable.
Open without_last(const Open& counts, std::span<std::uint64_t> buffer) noexcept {
    const std::size_t half = std::size_t{1} << (counts.open - 1);
    const std::size_t size = counts.units.size() / 2;
    const std::uint64_t* from = counts.units.data();
    std::uint64_t* to = buffer.data();
    for (std::size_t done = 0; done < size; done += half, from += 2 * half, to += half) {
        for (std::size_t i = 0; i < half; ++i) to[i] = from[i] + from[i + half];
    }
    return {{buffer.data(), size}, counts.open - 1};
}

// Visits branches of the lattice on one thread.
class Folder {
public:
    Folder(int count_bits, const SetIndex& index, const JointScoreSpec& spec, std::span<std::int64_t> out,
           Monitor& monitor)
        : count_bits_(count_bits), index_(index), spec_(spec), out_(out), monitor_(monitor),
          buffer_(std::size_t{1} << index.n()) {}

    // Writes J of the sets whose members among the last variables are given by the bits of `branch`.
    void visit_branch(std::span<const std::uint64_t> units, unsigned decided, std::uint64_t branch) {
        if (static_cast<unsigned>(std::popcount(branch)) > index_.max_size()) return;
        members_.clear();
        Open counts{units, index_.n()};
        std::span<std::uint64_t> buffer(buffer_);
        for (unsigned left = decided; left-- > 0;) {
            if (branch >> left & 1) {
                counts = include_last(counts);
            } else {
                counts = without_last(counts, buffer);
                buffer = buffer.subspan(counts.units.size());
            }
        }
        visit(counts, buffer);
    }

private:
    // The counts stay where they are: the variable becomes the last one of a longer state.
    Open include_last(const Open& counts) {
        members_.push_back(static_cast<std::uint16_t>(counts.open - 1));
        return {counts.units, counts.open - 1};
    }

    void visit(const Open& counts, std::span<std::uint64_t> buffer) {
        if (counts.open == 0) return write(counts.units);
        if (members_.size() < index_.max_size()) {
            visit(include_last(counts), buffer);
            members_.pop_back();
        }
        // Each sum takes half the space of what is added up, so all of them together take at most that of all counts.
        const Open rest = without_last(counts, buffer);
        visit(rest, buffer.subspan(rest.units.size()));
    }

    void write(std::span<const std::uint64_t> units) {
        std::int64_t sum = 0;
        for (const std::uint64_t count : units) sum += count_term(count, count_bits_, spec_.term);
        increasing_.assign(members_.rbegin(), members_.rend());
        out_[index_.rank(increasing_)] = spec_.value(sum, units.size());
        monitor_.advance(1);
        monitor_.check();
    }

    int count_bits_;
    const SetIndex& index_;
    const JointScoreSpec& spec_;
    std::span<std::int64_t> out_;
    Monitor& monitor_;
    std::vector<std::uint64_t> buffer_;
    std::vector<std::uint16_t> members_;  // decreasing
    std::vector<std::uint16_t> increasing_;
};

}  // namespace

std::int64_t count_term(std::uint64_t units, int count_bits, const CellTermSpec& term) noexcept {
    if (units == 0) return 0;
    const Fixed log = fixed_log(UInt128{units}, -count_bits);
    const std::uint64_t integral = units >> count_bits;
    const UInt128 fraction = static_cast<UInt128>(units) << (128 - count_bits);
    // |ln N| is below 2^6.
    const UInt128 magnitude = static_cast<UInt128>(log < 0 ? -log : log);
    const auto part = static_cast<Fixed>(upper_product(magnitude << 41, fraction) >> 41);
    return term.fine(multiple(log, integral) + (log < 0 ? -part : part));
}

void joint_count_scores(const JointCounts& counts, const SetIndex& index, const JointScoreSpec& spec,
                        std::span<std::int64_t> out, unsigned threads, Monitor& monitor) {
    monitor.expect(index.size());
    const unsigned decided = std::min(index.n(), kDecidedByTasks);
    PerWorker<Folder> folders(threads,
                              [&] { return std::make_unique<Folder>(counts.count_bits, index, spec, out, monitor); });
    run_tasks(std::size_t{1} << decided, threads, monitor,
              [&](std::size_t task, unsigned worker) { folders(worker).visit_branch(counts.units, decided, task); });
}

}  // namespace dagscape
