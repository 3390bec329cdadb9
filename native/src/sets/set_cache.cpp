#include "dagscape/sets/set_cache.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace dagscape {
namespace {

constexpr std::size_t kHeader = 2;
constexpr std::size_t kMembersPerWord = sizeof(std::uint64_t) / sizeof(std::uint16_t);
constexpr std::size_t kFirstSlots = 16;
// Positions are 32-bit word indices.
constexpr std::size_t kMostBytes = std::size_t{1} << 34;

constexpr std::uint64_t mixed(std::uint64_t value) noexcept {
    value += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

std::uint64_t hash_of(const SetCache::Key& key) noexcept {
    std::uint64_t sum = mixed(std::uint64_t{key.function} << 16);
    for (const std::uint16_t member : key.members) sum += mixed(member);
    return sum;
}

constexpr std::size_t words_for(std::size_t members) noexcept {
    return kHeader + (members + kMembersPerWord - 1) / kMembersPerWord;
}

constexpr std::uint64_t description(const SetCache::Key& key) noexcept {
    return std::uint64_t{key.function} << 32 | key.members.size();
}

void copy_bytes(void* to, const void* from, std::size_t members) noexcept {
    if (members > 0) std::memcpy(to, from, members * sizeof(std::uint16_t));
}

bool same_bytes(const void* a, const void* b, std::size_t members) noexcept {
    return members == 0 || std::memcmp(a, b, members * sizeof(std::uint16_t)) == 0;
}

SetCache::Key key_of(const std::uint64_t* entry, std::vector<std::uint16_t>& members) {
    members.resize(entry[1] & 0xffffffff);
    copy_bytes(members.data(), entry + kHeader, members.size());
    return {static_cast<std::uint32_t>(entry[1] >> 32), members};
}

}  // namespace

SetCache::SetCache(std::size_t most_bytes)
    : most_bytes_(std::min(most_bytes, kMostBytes)),
      block_words_(std::clamp<std::size_t>(most_bytes_ / 512, 64, 8192)) {}

std::size_t SetCache::bytes() const noexcept { return bytes_of(young_) + bytes_of(old_); }

std::size_t SetCache::bytes_of(const Generation& generation) const noexcept {
    const std::size_t block = sizeof(generation.blocks[0]) + block_words_ * sizeof(std::uint64_t);
    // Twice the pointers to blocks, because their vector grows by doubling.
    return generation.slots.size() * sizeof(std::uint32_t) +
           generation.blocks.size() * (block + sizeof(generation.blocks[0]));
}

const std::uint64_t* SetCache::entry(const Generation& generation, std::uint32_t offset) const noexcept {
    return generation.blocks[offset / block_words_].get() + offset % block_words_;
}

const std::uint64_t* SetCache::find_in(const Generation& generation, const Key& key) const noexcept {
    if (generation.slots.empty()) return nullptr;
    const std::size_t mask = generation.slots.size() - 1;
    for (std::size_t at = hash_of(key) & mask; generation.slots[at] != 0; at = (at + 1) & mask) {
        const std::uint64_t* found = entry(generation, generation.slots[at] - 1);
        if (found[1] != description(key)) continue;
        if (same_bytes(found + kHeader, key.members.data(), key.members.size())) return found;
    }
    return nullptr;
}

std::optional<std::int64_t> SetCache::find(const Key& key) {
    if (const std::uint64_t* found = find_in(young_, key)) return static_cast<std::int64_t>(found[0]);
    const std::uint64_t* found = find_in(old_, key);
    if (found == nullptr) return std::nullopt;
    const auto value = static_cast<std::int64_t>(found[0]);
    insert(key, value);
    return value;
}

// The bytes by which the young generation grows, at its peak, when it inserts an entry of `words` words.
std::size_t SetCache::growth_for(std::size_t words) const noexcept {
    std::size_t growth = 0;
    if (2 * (young_.entries + 1) > young_.slots.size()) {
        growth += std::max(kFirstSlots, 2 * young_.slots.size()) * sizeof(std::uint32_t);
    }
    if (young_.blocks.empty() || young_.used + words > block_words_) {
        growth += block_words_ * sizeof(std::uint64_t) + 2 * sizeof(young_.blocks[0]);
    }
    return growth;
}

void SetCache::insert(const Key& key, std::int64_t value) {
    const std::size_t words = words_for(key.members.size());
    if (words > block_words_) return;
    if (bytes_of(young_) + growth_for(words) > most_bytes_ / 2) {
        old_ = std::exchange(young_, Generation{});
        if (growth_for(words) > most_bytes_ / 2) return;
    }
    if (2 * (young_.entries + 1) > young_.slots.size()) double_slots();
    if (young_.blocks.empty() || young_.used + words > block_words_) {
        young_.blocks.push_back(std::make_unique<std::uint64_t[]>(block_words_));
        young_.used = 0;
    }
    const auto offset = static_cast<std::uint32_t>((young_.blocks.size() - 1) * block_words_ + young_.used);
    std::uint64_t* target = young_.blocks.back().get() + young_.used;
    target[0] = static_cast<std::uint64_t>(value);
    target[1] = description(key);
    copy_bytes(target + kHeader, key.members.data(), key.members.size());
    young_.used += words;
    ++young_.entries;
    put_in_slot(offset, hash_of(key));
}

void SetCache::double_slots() {
    const std::vector<std::uint32_t> before =
        std::exchange(young_.slots, std::vector<std::uint32_t>(std::max(kFirstSlots, 2 * young_.slots.size()), 0));
    std::vector<std::uint16_t> members;
    for (const std::uint32_t slot : before) {
        if (slot != 0) put_in_slot(slot - 1, hash_of(key_of(entry(young_, slot - 1), members)));
    }
}

void SetCache::put_in_slot(std::uint32_t offset, std::uint64_t hash) noexcept {
    const std::size_t mask = young_.slots.size() - 1;
    std::size_t at = hash & mask;
    while (young_.slots[at] != 0) at = (at + 1) & mask;
    young_.slots[at] = offset + 1;
}

}  // namespace dagscape
