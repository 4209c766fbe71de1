// IndexHold: a parsed index block that stays alive while a thread uses it.
//
// If the index keeps its blocks itself, this is a pointer. If they are in the
// block cache, it is a cache handle too. Belongs to one thread. Index and cache
// must outlive it.
#ifndef ASHLAR_TABLE_INDEX_INDEX_HOLD_H_
#define ASHLAR_TABLE_INDEX_INDEX_HOLD_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "ashlar/cache/typed_cache.h"
#include "table/format/block_place.h"
#include "table/index/parsed_index.h"

namespace ashlar::internal {

// What the block cache holds for an index block.
struct CachedIndexBlock {
  CachedIndexBlock(const BlockPlace& place, ParsedIndex parsed_in)
      : kind(place.kind), handle(place.handle), parsed(std::move(parsed_in)) {}

  // Slot hints that are made later count too: the charge does not change.
  size_t ApproximateMemoryUsage() const {
    return sizeof *this + static_cast<size_t>(parsed.MostMemoryUsage());
  }

  const BlockKind kind;
  const BlockHandle handle;
  const ParsedIndex parsed;
};

class IndexHold {
 public:
  IndexHold() = default;
  // For a block that the index keeps alive.
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
  // Returns whether it is this object that keeps the block alive.
  bool is_cached() const { return static_cast<bool>(cached_); }
  // Returns what the cache charges for the block, or 0 if it is not cached.
  size_t charge() const {
    return cached_ ? cached_->ApproximateMemoryUsage() : 0;
  }
  const ParsedIndex* get() const { return index_; }
  const ParsedIndex* operator->() const { return index_; }
  const ParsedIndex& operator*() const { return *index_; }

 private:
  const ParsedIndex* index_ = nullptr;
  TypedHandle<CachedIndexBlock> cached_;
};

// Reads, parses and checks an index block.
using ParseIndexBlock = std::function<Status(ParsedIndex* parsed)>;

// Where index blocks are kept if not in their index. A block that no IndexHold
// holds may be gone at any time.
class IndexBlockStore {
 public:
  virtual ~IndexBlockStore() = default;
  // Returns the block; empty if it is not there, or was parsed by another order
  // or form. `slot_hint`: see Cache::Lookup.
  virtual IndexHold Find(const BlockPlace& place, const KeyOrder& order,
                         const IndexForm& form,
                         Cache::SlotHint* slot_hint) const = 0;
  // Starts to fetch the memory that a Find with this hint reads first.
  virtual void Prefetch(Cache::SlotHint slot_hint) const = 0;
  // For a block that Find did not find. Makes *held hold it: as `parse` reads,
  // parses and checks it, or as another thread does at the same time. `parse`
  // is called at most once, and its error is returned.
  virtual Status Load(const BlockPlace& place, const KeyOrder& order,
                      const IndexForm& form, const ParseIndexBlock& parse,
                      IndexHold* held) const = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_INDEX_HOLD_H_
