// A hash set of graph keys (equivalence.hpp), in one array.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "dagscape/sets/equivalence.hpp"

namespace dagscape {

class KeySet {
public:
    // Returns false if the key is already present.
    bool insert(ClassKey key) {
        if (key == ClassKey{}) return !std::exchange(holds_zero_, true);
        if (2 * (size_ + 1) > slots_.size()) grow();
        if (!put(key)) return false;
        ++size_;
        return true;
    }
    bool contains(ClassKey key) const noexcept {
        if (key == ClassKey{}) return holds_zero_;
        return !slots_.empty() && slots_[find(key)] == key;
    }
    std::size_t bytes() const noexcept { return slots_.size() * sizeof(ClassKey); }
    // The peak number of bytes while the next key is inserted: if the slots are full, twice as many are allocated
    // besides them.
    std::size_t bytes_after_growth() const noexcept { return (2 * (size_ + 2) > slots_.size() ? 3 : 1) * bytes(); }

private:
    // The slot of a key, or the empty slot where it belongs.
    std::size_t find(ClassKey key) const noexcept {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = key.low & mask;
        while (slots_[at] != ClassKey{} && slots_[at] != key) at = (at + 1) & mask;
        return at;
    }
    bool put(ClassKey key) {
        ClassKey& at = slots_[find(key)];
        if (at == key) return false;
        at = key;
        return true;
    }
    void grow() {
        std::vector<ClassKey> old(std::max<std::size_t>(2 * slots_.size(), 1024));
        old.swap(slots_);
        for (const ClassKey& key : old) {
            if (key != ClassKey{}) put(key);
        }
    }

    std::vector<ClassKey> slots_;  // a zero key, that of a graph without edges, marks an empty slot
    bool holds_zero_ = false;
    std::size_t size_ = 0;
};

}  // namespace dagscape
