#include "table/load/cached_data_block.h"

#include <cstring>
#include <string>

#include "util/coding/coding.h"

namespace ashlar::internal {

namespace {

// The largest shape that MeasureEntryWords allows fits into the fields of the
// block.
static_assert(EntryWordsShape::kMostBytes <= size_t{1} << 16);
// The size of the handle in front of a saved block.
constexpr size_t kSavedHandle = 2 * sizeof(uint64_t);
// A piece that a thread may keep has its size in 16 bits.
static_assert(BlockMemory::kMostBytes <= size_t{1} << 15);

// Copies the contents into the room, and makes *contents the copy. Returns
// false if there is no memory.
bool CopyTo(BlockRoom* room, Slice* contents) {
  char* const copy = room->Take(contents->size());
  if (copy == nullptr) return false;
  std::memcpy(copy, contents->data(), contents->size());
  *contents = Slice(copy, contents->size());
  return true;
}

}  // namespace

size_t CachedDataBlock::FrontBytes(size_t word_bytes) {
  return sizeof(CachedDataBlock) + word_bytes + sizeof(Rest);
}

Status CachedDataBlock::Make(const BlockPlace& place, const Slice& contents,
                             const KeyOrder* order, uint32_t* interval,
                             BlockRoom* room,
                             std::unique_ptr<CachedDataBlock>* block) {
  block->reset();
  Slice here = contents;
  if (!room->Holds(contents) && !CopyTo(room, &here)) return {};
  BlockView view;
  Status status = ParseBlock(here, place, &view);
  if (!status.ok()) return status;
  EntryWordsShape words;
  if (order != nullptr) words = MeasureEntryWords(view, *order, interval);
  const size_t front = FrontBytes(RoundedWords(words));
  if (front <= room->front()) {
    *block = OwnerOf(room, place, here.size(), words, view);
    return {};
  }
  BlockRoom larger(room->allocator(), front);
  if (!CopyTo(&larger, &here)) {
    *block = OwnerOf(room, place, here.size(), EntryWordsShape(), view);
    return {};
  }
  status = ParseBlock(here, place, &view);
  if (status.ok()) *block = OwnerOf(&larger, place, here.size(), words, view);
  return status;
}

// Makes the object in front of a block's bytes, which are in the room.
std::unique_ptr<CachedDataBlock> CachedDataBlock::OwnerOf(
    BlockRoom* room, const BlockPlace& place, size_t contents_bytes,
    const EntryWordsShape& words, const BlockView& view) {
  MemoryAllocator* const allocator = room->allocator();
  const BlockMemory::Piece piece = room->Release();
  const bool may_be_kept =
      allocator == nullptr && piece.bytes <= BlockMemory::kMostBytes;
  std::unique_ptr<CachedDataBlock> block(new (piece.memory) CachedDataBlock(
      place.handle, words, view,
      static_cast<uint16_t>(may_be_kept ? piece.bytes : 0)));
  new (&block->rest()) Rest{.allocator = allocator,
                            .bytes = piece.bytes,
                            .contents_bytes = contents_bytes};
  return block;
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

size_t CachedDataBlock::SavedSize() const {
  return kSavedHandle + rest().contents_bytes;
}

void CachedDataBlock::SaveTo(char* out) const {
  StoreFixed64(out, handle_.offset);
  StoreFixed64(out + sizeof(uint64_t), handle_.size);
  std::memcpy(out + kSavedHandle, view_.entries, rest().contents_bytes);
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
  BlockRoom room(allocator, FrontBytes(0));
  return Make(place, contents, static_cast<const KeyOrder*>(order), &interval,
              &room, block);
}

void CachedDataBlock::operator delete(CachedDataBlock* block,
                                      std::destroying_delete_t) {
  const size_t kept_bytes = block->kept_bytes_;
  if (kept_bytes != 0) return BlockMemory::GiveBack({block, kept_bytes});
  const Rest& rest = block->rest();
  MemoryAllocator* const allocator = rest.allocator;
  if (allocator == nullptr) {
    return BlockMemory::GiveBack({block, rest.bytes});
  }
  block->~CachedDataBlock();
  allocator->Deallocate(block);
}

size_t CachedDataBlock::UsageOfLarge() const {
  const Rest& of_all = rest();
  if (of_all.allocator == nullptr) return of_all.bytes;
  return of_all.allocator->UsableSize(const_cast<CachedDataBlock*>(this),
                                      of_all.bytes);
}

}  // namespace ashlar::internal
