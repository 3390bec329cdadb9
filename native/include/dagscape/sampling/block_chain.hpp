// A Markov chain over DAGs that draws the parents of several variables at once from their exact conditional.
//
// The target is the posterior over DAGs: a product of weights of families, for all acyclic choices of one family for
// each variable. A move keeps the parents of all variables but those of a block W, chosen by a rule that does not look
// at the state, and draws those of W together:
//
//   needs     A(u) ⊆ W is u itself if u ∈ W, else the members of W from which kept edges lead to u. A family P of v ∈ W
//             needs R = ∪_{u ∈ P} A(u) before v, and is impossible if v ∈ R. A choice is acyclic exactly if the needs
//             are acyclic on W: a cycle must pass through W.
//   tables    a_v(S) = Σ weights of v's families with needs ⊆ S;  F(S) = Σ_{v ∈ S} F(S∖v) a_v(S∖v)
//   draw      an order of W from its end, with weights F(S∖v) a_v(S∖v); then each family given what precedes its child
//   accept    with probability min(1, L_old / L_new), where L is the number of orders of W that suit the needs: the
//             draw has density weight · L, and the target weight alone
//
// *Hub* moves draw W so that it holds all children of a variable h: W is h, its children, and every other u with
// probability p_hu. Since that looks at the state, families of u ∈ W that contain h weigh 1/p_hu times more in that
// block: this is a Gibbs step on the pair of DAG and block. Steps of a *single* variable draw its parents given those
// of all others, without rejection, from the core or from the whole list; blocks use the core, and are skipped if the
// family of a member is outside it. *Covered* edges are reversed one by one: such moves stay in the equivalence class,
// and spread the directions within it. Families outside the lists enter and leave by `set_parents`; a variable with
// such a family is left alone by all moves here.
//
// Weights span more than a double. The weights of a block are relative to a power of two near the heaviest possible
// family of each member, and if the total is still so low that something could have vanished, the block is computed
// again with extended exponents.
//
// Edge probabilities are averages of the conditional probabilities that the steps of single variables compute anyway
// (Rao–Blackwell), not of the states.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dagscape/numbers/random_bits.hpp"
#include "dagscape/numbers/scaled.hpp"
#include "dagscape/sampling/block_rules.hpp"
#include "dagscape/sampling/chain_families.hpp"

namespace dagscape {

struct ChainOptions {
    unsigned width = 6;        // the number of variables of a block; at most kWidestBlock
    unsigned widest_hub = 9;   // hub moves with more are skipped; at most kWidestBlock
    double hub_share = 0.4;    // the share of hub moves among those of blocks
    double blocks = 0.25;      // the number of blocks in a sweep, per variable
    double covered = 20;       // the number of edges that may be reversed in a sweep, per variable
    double whole_lists = 0.2;  // the share of steps of single variables that use whole lists, not their cores
};

// How often moves were made, and what came of them.
struct MoveCounts {
    std::uint64_t blocks = 0, unlisted = 0, accepted = 0, wide = 0, hubs = 0, too_wide_hubs = 0;
};

class BlockChain {
public:
    using Parents = std::vector<std::uint32_t>;

    // Starts from the given parents of each variable, which must be listed families of a DAG.
    BlockChain(std::shared_ptr<const ChainFamilies> families, const std::vector<Parents>& start,
               const ChainOptions& options, std::uint64_t seed);

    // A sweep has blocks, hub moves, and a step of every single variable. If `add`, conditional edge probabilities are
    // added to the sums.
    void sweep(bool add);
    // For moves that are made elsewhere: what a variable reaches, and new parents, listed or not, with their score. The
    // graph must stay acyclic.
    std::vector<std::uint32_t> descendants(unsigned v);
    void set_parents(unsigned v, Parents parents, std::int64_t score);

    unsigned n() const noexcept { return n_; }
    const std::vector<Parents>& parents() const noexcept { return parents_; }
    // The sum of the scores of the present families, in units.
    std::int64_t score() const noexcept;
    std::span<const std::int64_t> family_scores() const noexcept { return scores_; }
    // How many variables have a family that is not listed.
    unsigned unlisted() const noexcept;
    const MoveCounts& counts() const noexcept { return counts_; }
    // The sums of conditional probabilities of u → v at [v * n + u], and the number of sweeps that were added.
    std::span<double> edge_sums() noexcept { return edge_sums_; }
    std::uint64_t added() const noexcept { return added_; }
    void clear_sums();

    // With the parents and their scores, the state of the chain: it continues with the same bits.
    std::uint64_t random_state() const noexcept { return random_.state(); }
    void restore(const std::vector<Parents>& parents, std::span<const std::int64_t> scores, std::uint64_t random_state);

private:
    using Members = std::array<std::uint32_t, kWidestBlock>;

    void start_block(const Block& block);
    std::uint32_t needs_of(std::uint32_t variable);
    void find_needs(const ChainFamilies::List& list, std::uint32_t families, std::vector<std::uint32_t>& needs) const;
    void single(unsigned v, bool all, bool add);
    void add_shares(const ChainFamilies::List& list, std::span<const double> weights, const std::uint32_t* needs,
                    double scale, double* sums) const;
    // `hub` is n for a block without one.
    void resample(const Block& block, unsigned hub);
    void weigh(unsigned member, unsigned v, unsigned hub);
    bool draw_plain(const Block& block, Members& drawn);
    void draw_wide(const Block& block, unsigned hub, Members& drawn);
    bool accepts(const Block& block, const Members& drawn);
    double linear_extensions(std::span<const std::uint32_t> needs);
    void reverse_covered();
    bool accepts_gain(std::int64_t gain);
    bool has_parent(unsigned child, unsigned parent) const noexcept;
    void set_family(unsigned v, std::uint32_t family);

    std::shared_ptr<const ChainFamilies> families_;
    unsigned n_;
    ChainOptions options_;
    BlockRules rules_;
    RandomBits random_;
    MoveCounts counts_;

    // The state. A family is its place in the list, or -1 if it is not listed.
    std::vector<Parents> parents_;
    std::vector<std::int64_t> family_, scores_;

    std::uint32_t most_parents_ = 1;
    std::vector<std::uint32_t> turned_;

    std::vector<double> edge_sums_;
    std::uint64_t added_ = 0;

    // Work space. needs_[u] holds A(u) if stamps_[u] is the number of the present block.
    std::vector<std::uint32_t> needs_, stamps_;
    std::uint32_t block_ = 0;
    std::array<std::vector<std::uint32_t>, kWidestBlock> family_needs_;
    std::array<std::vector<double>, kWidestBlock> weights_;
    // The weights of each member's families: plain numbers, relative to a power of two.
    std::array<const double*, kWidestBlock> plain_{};
    std::vector<double> plain_sums_, plain_forward_, orders_;
    std::vector<ScaledNumber> wide_sums_, wide_forward_;
};

}  // namespace dagscape
