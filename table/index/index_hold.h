// IndexHold: a parsed index block that stays alive while it is looked at.
//
// Where an index keeps its blocks itself this is a pointer; where they lie in
// the block cache it is a reference to the cache's entry too. Belongs to one
// thread; the index and the cache must outlive it.
#ifndef ASHLAR_TABLE_INDEX_INDEX_HOLD_H_
#define ASHLAR_TABLE_INDEX_INDEX_HOLD_H_

#include <cstddef>
#include <memory>
#include <utility>

#include "ashlar/cache/typed_cache.h"
#include "table/format/block_place.h"
#include "table/index/parsed_index.h"

namespace ashlar::internal {

// What the block cache keeps of an index block.
struct CachedIndexBlock {
  CachedIndexBlock(const BlockPlace& place, ParsedIndex parsed_in)
      : kind(place.kind), handle(place.handle), parsed(std::move(parsed_in)) {}

  size_t ApproximateMemoryUsage() const {
    return sizeof *this + static_cast<size_t>(parsed.MemoryUsage());
  }

  const BlockKind kind;
  const BlockHandle handle;
  const ParsedIndex parsed;
};

class IndexHold {
 public:
  IndexHold() = default;
  // Somebody else keeps it alive.
  explicit IndexHold(const ParsedIndex* kept) : index_(kept) {}
  explicit IndexHold(TypedHandle<CachedIndexBlock> cached)
      : index_(cached ? &cached->parsed : nullptr),
        cached_(std::move(cached)) {}
  // Not copied: the cache may refuse another reference.
  IndexHold(IndexHold&& other) noexcept
      : index_(std::exchange(other.index_, nullptr)),
        cached_(std::move(other.cached_)) {}
  IndexHold& operator=(IndexHold&& other) noexcept {
    index_ = std::exchange(other.index_, nullptr);
    cached_ = std::move(other.cached_);
    return *this;
  }
  ~IndexHold() = default;

  explicit operator bool() const { return index_ != nullptr; }
  const ParsedIndex* get() const { return index_; }
  const ParsedIndex* operator->() const { return index_; }
  const ParsedIndex& operator*() const { return *index_; }

 private:
  const ParsedIndex* index_ = nullptr;
  TypedHandle<CachedIndexBlock> cached_;
};

// Index blocks that are kept elsewhere than in their index, where they may be
// gone at any time that nobody holds them.
class IndexBlockStore {
 public:
  virtual ~IndexBlockStore() = default;
  // Empty: it is not there, or not as a block of this order and form.
  virtual IndexHold Find(const BlockPlace& place, const KeyOrder& order,
                         const IndexForm& form) const = 0;
  // Empty: there is no memory.
  virtual IndexHold Keep(const BlockPlace& place, ParsedIndex parsed) const = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_INDEX_HOLD_H_
