#include "dagscape/sampling/block_rules.hpp"

#include <algorithm>

namespace dagscape {

bool Block::contains(std::uint32_t variable) const noexcept {
    const auto end = members.begin() + width;
    return std::find(members.begin(), end, variable) != end;
}

BlockRules::BlockRules(const ChainFamilies& families)
    : n_(families.n()), partners_(n_), hub_chance_(std::size_t{n_} * n_, 0.0) {
    const std::vector<double> shares = families.local_shares();
    const double any = 0.2 / n_, least = std::min(0.05, 1.0 / n_);
    for (std::size_t v = 0; v < n_; ++v) {
        double sum = 0;
        for (std::size_t u = 0; u < n_; ++u) {
            if (u == v) continue;
            const double share = std::max(shares[v * n_ + u], shares[u * n_ + v]);
            sum += share + any;
            partners_[v].push_back({sum, static_cast<std::uint32_t>(u)});
            hub_chance_[v * n_ + u] = std::clamp(share, least, 0.9);
        }
    }
}

Block BlockRules::draw(unsigned width, RandomBits& random) const {
    width = std::min(width, n_);
    Block block;
    block.add(random.below(n_));
    while (block.width < width) {
        // One time of eight, any variable; otherwise a partner of one that is there.
        std::uint32_t next = random.below(n_);
        if (random.below(8) != 0) {
            const auto& partners = partners_[block.members[random.below(block.width)]];
            const double place = random.unit() * partners.back().up_to;
            next = std::upper_bound(partners.begin(), partners.end() - 1, place, [](double x, const Partner& partner) {
                       return x < partner.up_to;
                   })->variable;
        }
        if (!block.contains(next)) block.add(next);
    }
    return block;
}

std::optional<Block> BlockRules::draw_hub(const std::vector<std::vector<std::uint32_t>>& parents, unsigned widest,
                                          RandomBits& random) const {
    widest = std::min(widest, kWidestBlock);
    const std::uint32_t hub = random.below(n_);
    Block block;
    block.add(hub);
    for (std::uint32_t u = 0; u < n_; ++u) {
        if (u == hub) continue;
        const bool child = std::find(parents[u].begin(), parents[u].end(), hub) != parents[u].end();
        if (!(random.unit() < hub_chance(hub, u)) && !child) continue;
        if (block.width == widest) return std::nullopt;
        block.add(u);
    }
    return block;
}

}  // namespace dagscape
