// A set of packed worlds: open addressing, grows, never forgets.
#ifndef ASHLAR_TEST_MODEL_WORLD_SET_H_
#define ASHLAR_TEST_MODEL_WORLD_SET_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ashlar::model {

struct WorldKey {
  uint64_t a = 0;
  uint64_t b = 0;
  friend bool operator==(const WorldKey&, const WorldKey&) = default;
};

class WorldSet {
 public:
  // False if it was there.
  bool Insert(WorldKey key) {
    ++key.a;  // {0, 0} marks a free place
    if (2 * (size_ + 1) > places_.size()) Grow();
    const bool inserted = Place(key);
    size_ += inserted ? 1 : 0;
    return inserted;
  }

 private:
  bool Place(const WorldKey& key) {
    const size_t mask = places_.size() - 1;
    uint64_t hash = (key.a * 0x9E3779B97F4A7C15 ^ key.b) * 0xD6E8FEB86659FD93;
    hash ^= hash >> 32;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
      if (places_[i] == key) return false;
      if (places_[i] == WorldKey()) {
        places_[i] = key;
        return true;
      }
    }
  }
  void Grow() {
    const std::vector<WorldKey> old = std::move(places_);
    places_.assign(old.empty() ? 1 << 12 : 2 * old.size(), WorldKey());
    for (const WorldKey& key : old) {
      if (!(key == WorldKey())) Place(key);
    }
  }

  std::vector<WorldKey> places_;
  size_t size_ = 0;
};

}  // namespace ashlar::model

#endif  // ASHLAR_TEST_MODEL_WORLD_SET_H_
