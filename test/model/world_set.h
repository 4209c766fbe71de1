// A set of worlds. It is a hash table with open addressing, which grows and
// never removes a world. Worlds are compared by their bytes, so they must have
// no padding.
#ifndef ASHLAR_TEST_MODEL_WORLD_SET_H_
#define ASHLAR_TEST_MODEL_WORLD_SET_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar::model {

// A world packed into two words.
struct WorldKey {
  uint64_t a = 0;
  uint64_t b = 0;
};

template <typename World>
class WorldSet {
 public:
  static_assert(std::has_unique_object_representations_v<World>);

  // Returns false if the world was already there.
  bool Insert(const World& world) {
    if (2 * (worlds_.size() + 1) > places_.size()) Grow();
    const uint64_t hash = Hash(world);
    const size_t mask = places_.size() - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
      const Place place = places_[i];
      if (place.number == 0) {
        worlds_.push_back(world);
        places_[i] = {static_cast<uint32_t>(worlds_.size()), Tag(hash)};
        return true;
      }
      if (place.tag == Tag(hash) &&
          std::memcmp(&worlds_[place.number - 1], &world, sizeof(World)) == 0) {
        return false;
      }
    }
  }
  size_t size() const { return worlds_.size(); }

 private:
  struct Place {
    uint32_t number = 0;  // of the world, from 1; 0: free
    uint32_t tag = 0;     // of the hash
  };
  static constexpr size_t kWords = sizeof(World) / sizeof(uint64_t);
  static_assert(sizeof(World) % sizeof(uint64_t) == 0);

  static uint32_t Tag(uint64_t hash) {
    return static_cast<uint32_t>(hash >> 32);
  }
  static uint64_t Hash(const World& world) {
    uint64_t hash = 0;
    for (const uint64_t word :
         std::bit_cast<std::array<uint64_t, kWords>>(world)) {
      hash = (std::rotl(hash, 23) ^ word) * 0x9E3779B97F4A7C15;
    }
    hash ^= hash >> 32;
    hash *= 0xD6E8FEB86659FD93;
    return hash ^ hash >> 32;
  }
  void Grow() {
    const size_t size = places_.empty() ? 1 << 6 : 4 * places_.size();
    const std::vector<Place> old = std::exchange(places_, {});
    places_.resize(size);
    const size_t mask = size - 1;
    for (const Place& place : old) {
      if (place.number == 0) continue;
      size_t i = Hash(worlds_[place.number - 1]) & mask;
      while (places_[i].number != 0) i = (i + 1) & mask;
      places_[i] = place;
    }
  }

  std::vector<Place> places_;
  std::vector<World> worlds_;
};

}  // namespace ashlar::model

#endif  // ASHLAR_TEST_MODEL_WORLD_SET_H_
