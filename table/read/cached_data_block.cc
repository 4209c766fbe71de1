#include "table/read/cached_data_block.h"

#include <malloc.h>

#include <cstdlib>
#include <cstring>

#include "util/mem/buffer.h"

namespace ashlar::internal {

namespace {

constexpr size_t kLine = 64;

}  // namespace

Status CachedDataBlock::Make(const BlockPlace& place, const Slice& contents,
                             const KeyOrder* order, MemoryAllocator* allocator,
                             std::unique_ptr<CachedDataBlock>* block) {
  BlockView view;
  Status status = ParseBlock(contents, place, &view);
  if (!status.ok()) return status;
  EntryWordsShape words;
  if (order != nullptr) words = MeasureEntryWords(view, *order);
  bool words_made;
  status =
      MakeWith(words, place, contents, order, allocator, block, &words_made);
  if (!status.ok() || words_made) return status;
  return MakeWith({}, place, contents, order, allocator, block, &words_made);
}

Status CachedDataBlock::MakeWith(const EntryWordsShape& words,
                                 const BlockPlace& place, const Slice& contents,
                                 const KeyOrder* order,
                                 MemoryAllocator* allocator,
                                 std::unique_ptr<CachedDataBlock>* block,
                                 bool* words_made) {
  block->reset();
  *words_made = true;
  // Blocks are walked in whole words, beyond their end.
  const size_t bytes = sizeof(CachedDataBlock) + RoundedWords(words) +
                       sizeof(Rest) + contents.size() + Buffer::kSlack;
  void* const memory =
      allocator != nullptr
          ? allocator->Allocate(bytes)
          : std::aligned_alloc(kLine, (bytes + kLine - 1) / kLine * kLine);
  if (memory == nullptr) return {};
  block->reset(new (memory) CachedDataBlock(place.handle, words));
  CachedDataBlock& made = **block;
  new (&made.rest()) Rest{.allocator = allocator, .bytes = bytes};
  char* const copy = reinterpret_cast<char*>(&made.rest() + 1);
  std::memcpy(copy, contents.data(), contents.size());
  // Again, for what was checked may lie in a file that changes.
  Status status = ParseBlock(Slice(copy, contents.size()), place, &made.view_);
  if (status.ok() && words.num_entries != 0) {
    *words_made = FillEntryWords(made.view_, *order, words,
                                 reinterpret_cast<char*>(&made + 1));
  }
  return status;
}

void CachedDataBlock::operator delete(CachedDataBlock* block,
                                      std::destroying_delete_t) {
  MemoryAllocator* const allocator = block->rest().allocator;
  block->~CachedDataBlock();
  if (allocator != nullptr) {
    allocator->Deallocate(block);
  } else {
    std::free(block);
  }
}

size_t CachedDataBlock::ApproximateMemoryUsage() const {
  auto* const here = const_cast<CachedDataBlock*>(this);
  const MemoryAllocator* const allocator = rest().allocator;
  if (allocator == nullptr) return ::malloc_usable_size(here);
  return allocator->UsableSize(here, rest().bytes);
}

}  // namespace ashlar::internal
