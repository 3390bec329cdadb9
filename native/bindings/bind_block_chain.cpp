#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "dagscape/sampling/block_chain.hpp"
#include "monitored.hpp"

namespace dagscape {
namespace {

using Numbers = Input<std::int64_t, 1>;
using Variables = Input<std::uint16_t, 1>;
using Parents = std::vector<BlockChain::Parents>;

struct BoundFamilies {
    std::shared_ptr<const ChainFamilies> families;
};

struct BoundChain {
    std::unique_ptr<BlockChain> chain;
};

void construct_families(BoundFamilies* bound, Numbers first, Numbers core, Numbers scores, Numbers parent_first,
                        Variables parents, int unit_bits) {
    const ListedFamilies listed{view(first), view(core), view(scores), view(parent_first), view(parents), unit_bits};
    if (!divides(listed.first, listed.scores.size()) || listed.first.size() < 2 ||
        listed.core.size() + 1 != listed.first.size() || !divides(listed.parent_first, listed.parents.size()) ||
        listed.parent_first.size() != listed.scores.size() + 1) {
        throw nb::value_error("the arrays of the families do not match");
    }
    const std::size_t n = listed.core.size();
    for (std::size_t v = 0; v < n; ++v) {
        const std::int64_t size = listed.first[v + 1] - listed.first[v];
        if (listed.core[v] < 1 || listed.core[v] > size) throw nb::value_error("every child needs core families");
        for (std::int64_t p = listed.parent_first[static_cast<std::size_t>(listed.first[v])];
             p < listed.parent_first[static_cast<std::size_t>(listed.first[v + 1])]; ++p) {
            const std::uint16_t parent = listed.parents[static_cast<std::size_t>(p)];
            if (parent >= n || parent == v) throw nb::value_error("parents must be other variables");
        }
    }
    std::shared_ptr<const ChainFamilies> families;
    run_here(std::nullopt, [&](Monitor&) { families = std::make_shared<ChainFamilies>(listed); });
    new (bound) BoundFamilies{std::move(families)};
}

void check_parents(const Parents& parents, unsigned n) {
    bool right = parents.size() == n;
    for (const auto& some : parents) {
        right = right && std::all_of(some.begin(), some.end(), [n](std::uint32_t parent) { return parent < n; });
    }
    if (!right) throw nb::value_error("there must be parents for every variable");
}

void construct_chain(BoundChain* bound, const BoundFamilies& families, const Parents& start, unsigned width,
                     unsigned widest_hub, double hub_share, double blocks, double covered, double whole_lists,
                     std::uint64_t seed) {
    const ChainFamilies& listed = *families.families;
    check_parents(start, listed.n());
    for (unsigned v = 0; v < listed.n(); ++v) {
        if (listed.find(v, start[v]) < 0) throw nb::value_error("the first network must have listed families");
    }
    if (width < 1 || width > kWidestBlock || widest_hub < 1 || widest_hub > kWidestBlock) {
        throw nb::value_error("blocks are too wide");
    }
    const ChainOptions options{width, widest_hub, hub_share, blocks, covered, whole_lists};
    new (bound) BoundChain{std::make_unique<BlockChain>(families.families, start, options, seed)};
}

// Runs sweeps, and records the parents and the score every `thin` of them: words[draw][variable][word].
void run(BoundChain& bound, unsigned thin, bool add, Output<std::uint64_t, 3> words, Output<std::int64_t, 1> scores) {
    BlockChain& chain = *bound.chain;
    const std::size_t draws = words.shape(0), n = words.shape(1), size = words.shape(2);
    if (n != chain.n() || size * 64 < n || scores.shape(0) != draws) throw nb::value_error("the arrays do not match");
    std::uint64_t* const to = words.data();
    std::int64_t* const score = scores.data();
    run_on_this_thread(std::nullopt, [&](Monitor& monitor) {
        for (std::size_t draw = 0; draw < draws; ++draw) {
            for (unsigned step = 0; step < thin; ++step) {
                monitor.check();
                chain.sweep(add);
            }
            for (std::size_t v = 0; v < n; ++v) {
                for (const std::uint32_t parent : chain.parents()[v]) {
                    to[(draw * n + v) * size + parent / 64] |= std::uint64_t{1} << parent % 64;
                }
            }
            score[draw] = chain.score();
        }
    });
}

void take_edge_sums(BoundChain& bound, Output<double, 2> sums) {
    BlockChain& chain = *bound.chain;
    if (sums.shape(0) != chain.n() || sums.shape(1) != chain.n()) throw nb::value_error("the array does not match");
    const auto from = chain.edge_sums();
    for (std::size_t v = 0; v < chain.n(); ++v) {
        for (std::size_t u = 0; u < chain.n(); ++u) sums.data()[u * chain.n() + v] = from[v * chain.n() + u];
    }
    chain.clear_sums();
}

std::vector<std::int64_t> family_scores(const BoundChain& bound) {
    const auto scores = bound.chain->family_scores();
    return {scores.begin(), scores.end()};
}

void restore(BoundChain& bound, const Parents& parents, const std::vector<std::int64_t>& scores, std::uint64_t state) {
    check_parents(parents, bound.chain->n());
    if (scores.size() != bound.chain->n()) throw nb::value_error("there must be a score for every variable");
    bound.chain->restore(parents, scores, state);
}

std::vector<std::uint32_t> descendants(BoundChain& bound, unsigned variable) {
    if (variable >= bound.chain->n()) throw nb::value_error("there is no such variable");
    return bound.chain->descendants(variable);
}

void set_parents(BoundChain& bound, unsigned variable, const BlockChain::Parents& parents, std::int64_t score) {
    const unsigned n = bound.chain->n();
    const auto wrong = [&](std::uint32_t parent) { return parent >= n || parent == variable; };
    if (variable >= n || std::any_of(parents.begin(), parents.end(), wrong)) {
        throw nb::value_error("parents must be other variables");
    }
    bound.chain->set_parents(variable, parents, score);
}

std::pair<BlockChain::Parents, std::int64_t> family(const BoundChain& bound, unsigned variable) {
    if (variable >= bound.chain->n()) throw nb::value_error("there is no such variable");
    return {bound.chain->parents()[variable], bound.chain->family_scores()[variable]};
}

std::map<std::string, std::uint64_t> counts(const BoundChain& bound) {
    const MoveCounts& counts = bound.chain->counts();
    return {{"blocks", counts.blocks}, {"unlisted", counts.unlisted}, {"accepted", counts.accepted},
            {"wide", counts.wide},     {"hubs", counts.hubs},         {"too_wide_hubs", counts.too_wide_hubs}};
}

}  // namespace

void bind_block_chain(nb::module_& module) {
    module.attr("WIDEST_BLOCK") = kWidestBlock;
    nb::class_<BoundFamilies>(module, "ChainFamilies")
        .def("__init__", &construct_families, "first"_a.noconvert(), "core"_a.noconvert(), "scores"_a.noconvert(),
             "parent_first"_a.noconvert(), "parents"_a.noconvert(), "unit_bits"_a);
    nb::class_<BoundChain>(module, "BlockChain")
        .def("__init__", &construct_chain, "families"_a, "start"_a, "width"_a, "widest_hub"_a, "hub_share"_a,
             "blocks"_a, "covered"_a, "whole_lists"_a, "seed"_a)
        .def("run", &run, "thin"_a, "add"_a, "words"_a.noconvert(), "scores"_a.noconvert())
        .def("take_edge_sums", &take_edge_sums, "sums"_a.noconvert())
        .def("descendants", &descendants, "variable"_a)
        .def("set_parents", &set_parents, "variable"_a, "parents"_a, "score"_a)
        .def("parents", [](const BoundChain& bound) { return bound.chain->parents(); })
        .def("family", &family, "variable"_a)
        .def("family_scores", &family_scores)
        .def("restore", &restore, "parents"_a, "scores"_a, "random_state"_a)
        .def("counts", &counts)
        .def_prop_ro("unlisted", [](const BoundChain& bound) { return bound.chain->unlisted(); })
        .def_prop_ro("random_state", [](const BoundChain& bound) { return bound.chain->random_state(); });
}

}  // namespace dagscape
