#include <map>
#include <random>
#include <utility>
#include <vector>

#include "check.hpp"
#include "dagscape/sets/set_cache.hpp"

using namespace dagscape;

namespace {

using Members = std::vector<std::uint16_t>;

Members random_set(std::mt19937& random, unsigned variables) {
    Members members;
    for (std::uint16_t i = 0; i < variables; ++i) {
        if (random() % 3 == 0) members.push_back(i);
    }
    return members;
}

// Cached values are correct and the limit holds; with enough room, nothing is dropped.
void values_are_right_or_forgotten(std::size_t most_bytes, bool all_fit) {
    std::mt19937 random(5);
    SetCache cache(most_bytes);
    std::map<std::pair<std::uint32_t, Members>, std::int64_t> truth;
    for (int step = 0; step < 20000; ++step) {
        const std::uint32_t function = random() % 3;
        const Members members = random_set(random, 11);
        const auto [known, is_new] = truth.try_emplace({function, members}, static_cast<std::int64_t>(random()));
        const auto found = cache.find({function, members});
        if (found) {
            CHECK(!is_new && *found == known->second);
        } else {
            CHECK(is_new || !all_fit);
            cache.insert({function, members}, known->second);
        }
        CHECK(cache.bytes() <= most_bytes);
    }
    CHECK(!all_fit || cache.size() == truth.size());
}

void what_was_used_lately_is_kept() {
    SetCache cache(40000);
    const Members favourite{3, 1000, 30000};
    cache.insert({0, favourite}, 77);
    for (std::uint16_t i = 0; i < 20000; ++i) {
        const Members members{i, 32000};
        cache.insert({0, members}, i);
        const auto found = cache.find({0, favourite});
        CHECK(found && *found == 77);
    }
    CHECK(cache.size() < 2000);
}

void sets_too_large_for_the_cache_are_not_kept() {
    SetCache cache(2000);
    Members members;
    for (std::uint16_t i = 0; i < 5000; ++i) members.push_back(i);
    cache.insert({0, members}, 1);
    CHECK(!cache.find({0, members}) && cache.bytes() == 0);
    SetCache none(0);
    none.insert({0, Members{}}, 1);
    CHECK(!none.find({0, Members{}}) && none.bytes() == 0);
}

}  // namespace

int main() {
    values_are_right_or_forgotten(std::size_t{1} << 22, true);
    values_are_right_or_forgotten(20000, false);
    values_are_right_or_forgotten(3000, false);
    what_was_used_lately_is_kept();
    sets_too_large_for_the_cache_are_not_kept();
}
