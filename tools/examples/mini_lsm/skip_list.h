// SkipList: the entries of a memtable, sorted by internal key.
//
// One thread may insert. Any number of threads may read beside it, without a
// lock: a node is complete before a link to it is published (release), and
// readers follow links by acquire. No node moves or goes before the list does.
#ifndef ASHLAR_TOOLS_EXAMPLES_MINI_LSM_SKIP_LIST_H_
#define ASHLAR_TOOLS_EXAMPLES_MINI_LSM_SKIP_LIST_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <memory>
#include <memory_resource>

#include "ashlar/table/internal_key_less.h"

namespace mini_lsm {

using ashlar::Slice;

class SkipList {
 public:
  struct Node {
    const Node* Next(int level = 0) const {
      return links[level].load(std::memory_order_acquire);
    }
    Slice key;  // internal
    Slice value;
    std::atomic<const Node*>* links;  // one for each level that has the node
  };

  SkipList() : head_(NewNode({}, {}, kMaxHeight)) {}

  // Writer only. Requires: the list does not have this internal key.
  void Insert(const Slice& key, const Slice& value) {
    std::array<const Node*, kMaxHeight> before;
    FindBefore(&key, &before);
    const int height = DrawHeight();
    const Node* node = NewNode(key, value, height);
    for (int level = 0; level < height; ++level) {
      node->links[level].store(before[level]->Next(level),
                               std::memory_order_relaxed);
      before[level]->links[level].store(node, std::memory_order_release);
    }
  }
  // Writer only: copies bytes, which then live as long as the list.
  Slice Copy(const Slice& bytes) {
    char* to = Allocate(bytes.size());
    std::copy(bytes.begin(), bytes.end(), to);
    return {to, bytes.size()};
  }
  size_t bytes() const { return bytes_; }  // writer only

  // These return null past either end.
  const Node* First() const { return head_->Next(); }
  const Node* AtOrAfter(const Slice& key) const {
    const Node* node = FindBefore(&key, nullptr)->Next();
    // The writer may have added nodes before the key since the search.
    while (node != nullptr && IsBefore(node, key)) node = node->Next();
    return node;
  }
  // The last node before this key; of all nodes, if it is null.
  const Node* Before(const Slice* key) const {
    const Node* at = FindBefore(key, nullptr);
    return at == head_ ? nullptr : at;
  }

 private:
  static constexpr int kMaxHeight = 12;  // enough for 4^12 nodes

  static bool IsBefore(const Node* node, const Slice& key) {
    return ashlar::CompareInternalKeys(ashlar::BytewiseComparator(), node->key,
                                       key) < 0;
  }
  const Node* FindBefore(const Slice* key,
                         std::array<const Node*, kMaxHeight>* before) const {
    const Node* at = head_;
    for (int level = kMaxHeight - 1; level >= 0; --level) {
      const Node* next = at->Next(level);
      for (; next != nullptr && (key == nullptr || IsBefore(next, *key));
           next = at->Next(level)) {
        at = next;
      }
      if (before != nullptr) (*before)[level] = at;
    }
    return at;
  }
  // All of a node is in one piece, so that a walk waits for memory once.
  Node* NewNode(const Slice& key, const Slice& value, int height) {
    using Link = std::atomic<const Node*>;
    char* room = Allocate(sizeof(Node) + height * sizeof(Link) + key.size() +
                          value.size());
    auto* links = reinterpret_cast<Link*>(room + sizeof(Node));
    std::uninitialized_fill_n(links, height, nullptr);
    char* bytes = reinterpret_cast<char*>(links + height);
    std::copy(value.begin(), value.end(),
              std::copy(key.begin(), key.end(), bytes));
    return new (room)
        Node{{bytes, key.size()}, {bytes + key.size(), value.size()}, links};
  }
  char* Allocate(size_t bytes) {
    bytes_ += bytes;
    return static_cast<char*>(arena_.allocate(bytes, alignof(Node)));
  }
  int DrawHeight() {  // each level has a quarter of the nodes below it
    random_ = random_ * 6364136223846793005 + 1442695040888963407;
    const int twos = std::countr_zero(random_ >> 32);
    return std::min(1 + twos / 2, kMaxHeight);
  }

  std::pmr::monotonic_buffer_resource arena_;  // freed all at once
  size_t bytes_ = 0;
  uint64_t random_ = 1;
  const Node* const head_;
};

}  // namespace mini_lsm

#endif  // ASHLAR_TOOLS_EXAMPLES_MINI_LSM_SKIP_LIST_H_
