// KeyList: a list of keys, linked through an array. For the models.
//
// Lists that share their links take one pair of numbers per key. A key may be
// in at most one of these lists, which only the model can ensure. For one
// thread at a time.
#ifndef ASHLAR_TOOLS_CACHE_SIM_MODELS_KEY_LIST_H_
#define ASHLAR_TOOLS_CACHE_SIM_MODELS_KEY_LIST_H_

#include <cassert>
#include <cstdint>
#include <vector>

namespace ashlar::sim {

class KeyLinks {
 public:
  explicit KeyLinks(uint32_t keys) : nodes_(keys) {}

 private:
  friend class KeyList;
  struct Node {
    uint32_t before = 0;  // nearer to the front
    uint32_t after = 0;
  };
  std::vector<Node> nodes_;
};

class KeyList {
 public:
  // Adds a node for this list, which connects its two ends.
  explicit KeyList(KeyLinks* links)
      : nodes_(&links->nodes_), end_(static_cast<uint32_t>(nodes_->size())) {
    nodes_->push_back({end_, end_});
  }

  [[nodiscard]] uint32_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  // Requires: the list is not empty.
  [[nodiscard]] uint32_t Back() const {
    assert(size_ > 0);
    return (*nodes_)[end_].before;
  }
  [[nodiscard]] bool IsFront(uint32_t key) const {
    return (*nodes_)[key].before == end_;
  }
  // Returns the next key towards the front, or for the front the back.
  [[nodiscard]] uint32_t BeforeOrBack(uint32_t key) const {
    const uint32_t before = (*nodes_)[key].before;
    return before == end_ ? Back() : before;
  }

  void PushFront(uint32_t key) {
    Node& end = (*nodes_)[end_];
    (*nodes_)[key] = {end_, end.after};
    (*nodes_)[end.after].before = key;
    end.after = key;
    ++size_;
  }
  void Remove(uint32_t key) {
    assert(size_ > 0);
    const Node node = (*nodes_)[key];
    (*nodes_)[node.before].after = node.after;
    (*nodes_)[node.after].before = node.before;
    --size_;
  }
  void MoveToFront(uint32_t key) {
    Remove(key);
    PushFront(key);
  }
  uint32_t PopBack() {
    const uint32_t key = Back();
    Remove(key);
    return key;
  }

 private:
  using Node = KeyLinks::Node;
  std::vector<Node>* const nodes_;
  const uint32_t end_;
  uint32_t size_ = 0;
};

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_MODELS_KEY_LIST_H_
