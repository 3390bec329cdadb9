#include "dagscape/scores/determinant_families.hpp"

#include <algorithm>
#include <utility>

#include "dagscape/numbers/impossible.hpp"

namespace dagscape {
namespace {

// The number of families between two checks of the monitor: far less than 50 ms, unless they are very large.
constexpr std::size_t kFamiliesBetweenChecks = 256;

std::int64_t difference(std::int64_t family, std::int64_t parents) noexcept {
    if (family == kImpossible || parents == kImpossible) return kImpossible;
    return family == kOpen || parents == kOpen ? kOpen : family - parents;
}

// Counts families, and checks the monitor now and then.
class Count {
public:
    explicit Count(Monitor& monitor) : monitor_(monitor) {}
    void next() {
        if (++count_ % kFamiliesBetweenChecks == 0) {
            monitor_.advance(kFamiliesBetweenChecks);
            monitor_.check();
        }
    }
    ~Count() { monitor_.advance(count_ % kFamiliesBetweenChecks); }

private:
    Monitor& monitor_;
    std::size_t count_ = 0;
};

}  // namespace

void DeterminantFactor::project(std::size_t column, Projection& projection) const {
    for (std::size_t j = projection.size(); j < columns_.size(); ++j) {
        DoubleDouble rest = function_->entry(column, columns_[j]);
        for (std::size_t i = 0; i < j; ++i) rest = rest - lower_[j][i] * projection[i];
        projection.push_back(rest);
    }
}

void DeterminantFactor::add_column(std::size_t column, Projection projection) {
    project(column, projection);
    DoubleDouble pivot = function_->entry(column, column);
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        const DoubleDouble ratio = projection[j] / pivots_[j];
        pivot = pivot - ratio * projection[j];
        projection[j] = ratio;
    }
    determinants_.back().multiply(pivot);
    columns_.push_back(column);
    lower_.push_back(std::move(projection));
    pivots_.push_back(pivot);
}

void DeterminantFactor::add(std::uint16_t variable) {
    add(variable, std::vector<Projection>(function_->columns_of(variable)));
}

void DeterminantFactor::add(std::uint16_t variable, const std::vector<Projection>& known) {
    determinants_.push_back(determinants_.back());
    logs_.push_back(logs_.back() + function_->logs[variable]);
    members_.push_back(variable);
    for (std::size_t i = 0; i < known.size(); ++i) add_column(function_->first[variable] + i, known[i]);
}

void DeterminantFactor::keep(std::size_t variables) {
    members_.resize(variables);
    determinants_.resize(variables + 1);
    logs_.resize(variables + 1);
    columns_.resize(determinants_.back().columns);
    lower_.resize(columns_.size());
    pivots_.resize(columns_.size());
}

DeterminantFamilies::DeterminantFamilies(std::vector<DeterminantFunction> functions,
                                         std::vector<std::uint32_t> function_of)
    : functions_(std::move(functions)), function_of_(std::move(function_of)) {}

void DeterminantFamilies::scores(std::uint16_t child, std::span<const std::uint16_t> sets, std::size_t size,
                                 std::span<std::int64_t> out, Monitor& monitor) const {
    monitor.expect(out.size());
    Count count(monitor);
    DeterminantFactor factor(of(child));
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto parents = sets.subspan(i * size, size);
        const auto alike =
            std::mismatch(parents.begin(), parents.end(), factor.members().begin(), factor.members().end());
        factor.keep(static_cast<std::size_t>(alike.first - parents.begin()));
        for (const std::uint16_t parent : parents.subspan(factor.members().size())) factor.add(parent);
        const std::int64_t of_parents = factor.value();
        factor.add(child);
        out[i] = difference(factor.value(), of_parents);
        factor.keep(size);
        count.next();
    }
}

void DeterminantFamilies::additions(std::uint16_t child, std::span<const std::uint16_t> parents,
                                    std::span<const std::uint16_t> candidates, std::span<std::int64_t> out,
                                    Monitor& monitor) const {
    monitor.expect(out.size());
    Count count(monitor);
    DeterminantFactor factor(of(child));
    for (const std::uint16_t parent : parents) factor.add(parent);
    // The child's columns are projected on the parents once, and on each candidate in addition.
    std::vector<DeterminantFactor::Projection> projections(of(child).columns_of(child));
    for (std::size_t i = 0; i < projections.size(); ++i) factor.project(of(child).first[child] + i, projections[i]);
    for (std::size_t i = 0; i < out.size(); ++i) {
        factor.add(candidates[i]);
        const std::int64_t of_parents = factor.value();
        factor.add(child, projections);
        out[i] = difference(factor.value(), of_parents);
        factor.keep(parents.size());
        count.next();
    }
}

std::size_t DeterminantFamilies::bytes() const noexcept {
    std::size_t bytes = 0;
    for (const DeterminantFunction& function : functions_) bytes += 16 * function.high.size();
    return bytes;
}

}  // namespace dagscape
