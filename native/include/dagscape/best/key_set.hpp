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
        if (2 * (size_ + 1) > places_.size()) grow();
        if (!place(key)) return false;
        ++size_;
        return true;
    }
    bool contains(ClassKey key) const noexcept {
        if (key == ClassKey{}) return holds_zero_;
        return !places_.empty() && places_[find(key)] == key;
    }
    std::size_t bytes() const noexcept { return places_.size() * sizeof(ClassKey); }
    // The peak number of bytes while the next key is inserted: if the slots are full, twice as many are allocated
    // besides them.
    std::size_t bytes_after_growth() const noexcept { return (2 * (size_ + 2) > places_.size() ? 3 : 1) * bytes(); }

private:
    // The slot of a key, or the empty slot where it belongs.
    std::size_t find(ClassKey key) const noexcept {
        const std::size_t mask = places_.size() - 1;
        std::size_t at = key.low & mask;
        while (places_[at] != ClassKey{} && places_[at] != key) at = (at + 1) & mask;
        return at;
    }
    bool place(ClassKey key) {
        ClassKey& at = places_[find(key)];
        if (at == key) return false;
        at = key;
        return true;
    }
    void grow() {
        std::vector<ClassKey> old(std::max<std::size_t>(2 * places_.size(), 1024));
        old.swap(places_);
        for (const ClassKey& key : old) {
            if (key != ClassKey{}) place(key);
        }
    }

    std::vector<ClassKey> places_;  // a zero key, that of a graph without edges, marks an empty slot
    bool holds_zero_ = false;
    std::size_t size_ = 0;
};

}  // namespace dagscape
