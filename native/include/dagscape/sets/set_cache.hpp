// A cache of the values of set functions, for any number of variables, in bounded memory.
//
// The cache has two generations. An entry found in the old one moves to the young one. When the young generation is
// full, it becomes the old one, and entries not requested meanwhile are dropped. Lookups compare the members of sets,
// so two sets with the same hash are never confused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace dagscape {

class SetCache {
public:
    // A set of variables, members in increasing order, and the function whose value is cached for it.
    struct Key {
        std::uint32_t function;
        std::span<const std::uint16_t> members;
    };

    explicit SetCache(std::size_t most_bytes);

    std::optional<std::int64_t> find(const Key& key);
    // The key must not be present.
    void insert(const Key& key, std::int64_t value);

    std::size_t size() const noexcept { return young_.entries + old_.entries; }
    std::size_t bytes() const noexcept;

private:
    // An entry is a sequence of words: its value; its function and the number of its members; then four members per
    // word. Entries are stored in blocks, and slots hold their positions plus one.
    struct Generation {
        std::vector<std::uint32_t> slots;
        std::vector<std::unique_ptr<std::uint64_t[]>> blocks;
        std::size_t used = 0;  // words of the last block
        std::size_t entries = 0;
    };

    std::size_t bytes_of(const Generation& generation) const noexcept;
    const std::uint64_t* entry(const Generation& generation, std::uint32_t offset) const noexcept;
    const std::uint64_t* find_in(const Generation& generation, const Key& key) const noexcept;
    std::size_t growth_for(std::size_t words) const noexcept;
    void double_slots();
    void put_in_slot(std::uint32_t offset, std::uint64_t hash) noexcept;

    std::size_t most_bytes_;
    std::size_t block_words_;
    Generation young_, old_;
};

}  // namespace dagscape
