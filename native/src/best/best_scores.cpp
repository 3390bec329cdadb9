#include "dagscape/best/best_scores.hpp"

#include <algorithm>
#include <memory>

#include "dagscape/numbers/lanes.hpp"
#include "dagscape/runtime/parallel.hpp"
#include "dagscape/sets/set_walk.hpp"
#include "dagscape/sets/tile_walk.hpp"
#include "dagscape/sets/zeta.hpp"

namespace dagscape {
namespace {

// The semiring in which a product is the sum of scores, and a sum is the larger score.
struct BestOf {
    using Column = std::vector<std::int64_t>;
    using Function = std::vector<std::int64_t>;
    using Four = LaneBits;

    static Column buffer(const Column&, std::size_t size) { return Column(size); }
    static void add(Column& to, std::size_t to_at, const Column& from, std::size_t from_at, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) to[to_at + i] = std::max(to[to_at + i], from[from_at + i]);
    }
    static void copy(Column& to, std::size_t to_at, const Column& from, std::size_t from_at, std::size_t count) {
        std::copy_n(from.data() + from_at, count, to.data() + to_at);
    }

    static Function tile_function() { return Function(kTile); }
    static LaneBits at(const Function& function, std::size_t q) noexcept { return dagscape::load(&function[4 * q]); }
    static void spread(const Column& base, const std::vector<std::size_t>& low_masks, Function& best) {
        std::fill(best.begin(), best.end(), kRuledOut);
        for (std::size_t i = 0; i < base.size(); ++i) best[low_masks[i]] = base[i];
        zeta<Maxima, Over::subsets>(best.data(), kTile, [] {});
    }

    static LaneBits zero() noexcept { return broadcast_bits(kRuledOut); }
    static LaneBits plus(LaneBits a, LaneBits b) noexcept { return Maxima::add(a, b); }
    static LaneBits times(LaneBits a, LaneBits b) noexcept { return a + b; }
    static void set_to_one(LaneBits& four, unsigned lane) noexcept { four[lane] = 0; }
    static void add_product(LaneBits& four, unsigned to, unsigned from, LaneBits weight) noexcept {
        four[to] = std::max(four[to], four[from] + weight[to]);
    }
    static LaneBits finished(LaneBits four) noexcept { return four; }
    static LaneBits load(const std::int64_t* from) noexcept { return dagscape::load(from); }
    static void store(std::int64_t* to, LaneBits four) noexcept { dagscape::store(to, four); }
};

// The same, one set at a time.
struct BestOfOne {
    using Values = std::vector<std::int64_t>;

    static std::int64_t zero() noexcept { return kRuledOut; }
    static std::int64_t one() noexcept { return 0; }
    static std::int64_t plus(std::int64_t a, std::int64_t b) noexcept { return std::max(a, b); }
    static std::int64_t times(std::int64_t a, std::int64_t b) noexcept { return a + b; }
    static std::int64_t finished(std::int64_t best) noexcept { return best; }
    static std::int64_t load(const Values& values, Subset set) noexcept { return values[set]; }
    static void store(Values& values, Subset set, std::int64_t value) noexcept { values[set] = value; }
};

// best(i, set) is the score of the best family of i within a set.
template <class Best>
std::vector<std::int64_t> walk_all(unsigned n, const Best& best, Direction direction, unsigned threads,
                                   Monitor& monitor) {
    std::vector<std::int64_t> values(std::size_t{1} << n);
    monitor.expect(std::uint64_t{1} << n);
    walk_sets<BestOfOne>(n, direction, values, best, threads, monitor);
    return values;
}

std::vector<std::int64_t> walk_tiles(const FamilyScores& families, Direction direction, unsigned threads,
                                     Monitor& monitor) {
    const Tiles tiles(families.n(), families.max_parents());
    std::vector<BestOf::Column> columns;
    for (unsigned v = 0; v < tiles.n; ++v) {
        const auto row = families.row(v);
        columns.emplace_back(row.size());
        std::ranges::transform(row, columns.back().begin(),
                               [&](std::int64_t score) { return families.relative(v, score); });
    }
    std::vector<std::int64_t> values(std::size_t{1} << tiles.n);
    monitor.expect(std::uint64_t{1} << (tiles.n - kLow));
    PerWorker<TileWalk<BestOf>> walks(
        threads, [&] { return std::make_unique<TileWalk<BestOf>>(tiles, tiles.n, 0, columns, values); });
    const unsigned bits = std::min(lattice_bits(threads), tiles.n - kLow), rest = tiles.n - bits;
    run_lattice(bits, direction, threads, monitor, [&](Subset pattern, unsigned worker) {
        walks(worker).walk(direction, pattern << rest, rest, {}, monitor, WalkObserver{});
    });
    return values;
}

}  // namespace

std::vector<std::int64_t> best_scores(const FamilyScores& families, const SortedFamilies& sorted, Direction direction,
                                      unsigned threads, Monitor& monitor) {
    switch (families.layout()) {
        case FamilyScores::Layout::by_size:
            return walk_tiles(families, direction, threads, monitor);
        case FamilyScores::Layout::by_mask:
            return walk_all(families.n(), BestFamilies(families, threads, monitor), direction, threads, monitor);
        default:
            break;
    }
    const auto look_up = [&](unsigned i, Subset set) { return sorted.best_score(i, set); };
    return walk_all(families.n(), look_up, direction, threads, monitor);
}

double best_scores_bytes_by_mask(unsigned n) noexcept {
    // The scores, and the best within every set.
    const double scores = times_sets(sizeof(std::int64_t) * static_cast<double>(n), n - 1);
    return at_most_endless(scores + BestFamilies::bytes(n));
}

double best_scores_bytes_by_size(unsigned n, unsigned max_parents, unsigned threads) noexcept {
    // The scores, as given and relative to each child's best, and the columns of the walks.
    const double columns = n * set_count(n, max_parents);
    return at_most_endless(sizeof(std::int64_t) * (2 * columns + threads * n * Tiles::sets_below(n, max_parents)));
}

}  // namespace dagscape
