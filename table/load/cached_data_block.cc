#include "table/load/cached_data_block.h"

#include <malloc.h>

#include <cstring>
#include <string>

#include "table/load/block_memory.h"
#include "util/coding/coding.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

namespace {

// The largest shape that MeasureEntryWords allows fits into the fields of the
// block.
static_assert(EntryWordsShape::kMostBytes <= size_t{1} << 16);
// The size of the handle in front of a saved block.
constexpr size_t kSavedHandle = 2 * sizeof(uint64_t);

}  // namespace

Status CachedDataBlock::Make(const BlockPlace& place, const Slice& contents,
                             const KeyOrder* order, uint32_t* interval,
                             MemoryAllocator* allocator,
                             std::unique_ptr<CachedDataBlock>* block) {
  block->reset();
  BlockView view;
  Status status = ParseBlock(contents, place, &view);
  if (!status.ok()) return status;
  EntryWordsShape words;
  if (order != nullptr) words = MeasureEntryWords(view, *order, interval);
  const size_t bytes = BytesAround(words) + contents.size();
  void* const memory = allocator != nullptr ? allocator->Allocate(bytes)
                                            : BlockMemory::Take(bytes);
  if (memory == nullptr) return {};
  block->reset(new (memory)
                   CachedDataBlock(place.handle, words, allocator == nullptr));
  CachedDataBlock& made = **block;
  new (&made.rest()) Rest{.allocator = allocator, .bytes = bytes};
  char* const copy = reinterpret_cast<char*>(&made.rest() + 1);
  std::memcpy(copy, contents.data(), contents.size());
  // Parsed again: what was checked before may be in a mapped file that changes.
  return ParseBlock(Slice(copy, contents.size()), place, &made.view_);
}

void CachedDataBlock::NoteFound(WordsState before, const KeyOrder& order) {
  const bool first = before == WordsState::kRoom;
  const WordsState next =
      first ? WordsState::kFoundOnce : WordsState::kBeingMade;
  if (!words_state_.CompareExchange(&before, next) || first) return;
  const bool filled =
      FillEntryWords(view_, order, shape(), reinterpret_cast<char*>(this + 1));
  words_state_.Store(filled ? WordsState::kMade : WordsState::kNone);
}

// Returns the size of everything except the block's bytes. It includes the
// slack, since blocks are walked in whole words, beyond their end.
size_t CachedDataBlock::BytesAround(const EntryWordsShape& words) {
  return sizeof(CachedDataBlock) + RoundedWords(words) + sizeof(Rest) +
         Buffer::kSlack;
}

size_t CachedDataBlock::SavedSize() const {
  return kSavedHandle + ContentsSize();
}

void CachedDataBlock::SaveTo(char* out) const {
  StoreFixed64(out, handle_.offset);
  StoreFixed64(out + sizeof(uint64_t), handle_.size);
  std::memcpy(out + kSavedHandle, &rest() + 1, ContentsSize());
}

Status CachedDataBlock::Create(const Slice& saved, const void* order,
                               MemoryAllocator* allocator,
                               std::unique_ptr<CachedDataBlock>* block) {
  if (saved.size() < kSavedHandle) {
    return Status::Corruption(
        "bad saved block: too short for its block handle, found " +
        std::to_string(saved.size()) + " bytes");
  }
  const BlockPlace place = {
      .kind = BlockKind::kData,
      .handle = {.offset = LoadFixed64(saved.data()),
                 .size = LoadFixed64(saved.data() + sizeof(uint64_t))}};
  const Slice contents(saved.data() + kSavedHandle,
                       saved.size() - kSavedHandle);
  uint32_t interval = 0;
  return Make(place, contents, static_cast<const KeyOrder*>(order), &interval,
              allocator, block);
}

void CachedDataBlock::operator delete(CachedDataBlock* block,
                                      std::destroying_delete_t) {
  // Hardly a cache line of a block that is freed is near. Only its first one,
  // and malloc's in front of it, are used, and are prefetched together.
  __builtin_prefetch(reinterpret_cast<const char*>(block) - sizeof(size_t));
  if (block->is_mallocs_) return BlockMemory::GiveBack(block);
  MemoryAllocator* const allocator = block->rest().allocator;
  block->~CachedDataBlock();
  allocator->Deallocate(block);
}

size_t CachedDataBlock::ApproximateMemoryUsage() const {
  auto* const here = const_cast<CachedDataBlock*>(this);
  const MemoryAllocator* const allocator = rest().allocator;
  if (allocator == nullptr) return ::malloc_usable_size(here);
  return allocator->UsableSize(here, rest().bytes);
}

}  // namespace ashlar::internal
