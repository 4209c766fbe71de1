#include "table/load/block_memory.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "port/sanitizers.h"
#include "port/usable_bytes.h"
#include "util/mem/thread_exit.h"

namespace ashlar::internal {

namespace {

constexpr bool kKeeps = !kUnderAddressSanitizer;

// Blocks may outlive what a thread keeps: those of a cache that is a static
// object do.
constinit thread_local ThreadObject state = ThreadObject::kUnborn;

class Kept {
 public:
  ~Kept() {
    state = ThreadObject::kEnded;
    for (const BlockMemory::Piece& piece : pieces_) std::free(piece.memory);
  }

  // Returns the smallest piece that is large enough, and not much larger; none
  // if there is none.
  BlockMemory::Piece Take(size_t bytes) {
    size_t size = bytes + bytes / 16 + 1;
    BlockMemory::Piece* best = nullptr;
    for (BlockMemory::Piece& piece : pieces_) {
      if (piece.bytes < bytes || piece.bytes >= size) continue;
      best = &piece;
      size = piece.bytes;
    }
    return best == nullptr ? BlockMemory::Piece()
                           : std::exchange(*best, BlockMemory::Piece());
  }

  // Keeps a piece, if need be in the place of another one. Those take turns, so
  // that pieces of unused sizes go.
  void Put(const BlockMemory::Piece& given) {
    BlockMemory::Piece* place = nullptr;
    for (BlockMemory::Piece& piece : pieces_) {
      if (piece.memory == nullptr) place = &piece;
    }
    if (place == nullptr) place = &pieces_[next_++ % BlockMemory::kPlaces];
    std::free(std::exchange(*place, given).memory);
  }

 private:
  std::array<BlockMemory::Piece, BlockMemory::kPlaces> pieces_;
  size_t next_ = 0;
};

Kept* OfThread() {
  if (!kKeeps || !MayUse(&state)) return nullptr;
  thread_local Kept kept;
  return &kept;
}

}  // namespace

BlockMemory::Piece BlockMemory::Take(size_t bytes) {
  constexpr size_t kLine = 64;
  if (bytes > SIZE_MAX - kLine) return {};
  Kept* const kept = bytes > kMostBytes ? nullptr : OfThread();
  if (kept != nullptr) {
    const Piece piece = kept->Take(bytes);
    if (piece.memory != nullptr) return piece;
  }
  const size_t wanted = (bytes + kLine - 1) / kLine * kLine;
  void* const memory = std::aligned_alloc(kLine, wanted);
  if (memory == nullptr) return {};
  return {memory, port::UsableBytes(memory, wanted)};
}

void BlockMemory::GiveBack(const Piece& piece) {
  Kept* const kept = piece.bytes > kMostBytes ? nullptr : OfThread();
  if (kept == nullptr) return std::free(piece.memory);
  kept->Put(piece);
}

char* BlockRoom::Take(size_t n) {
  GiveBack();
  if (n > SIZE_MAX - front_ - kSlack) return nullptr;
  const size_t bytes = front_ + n + kSlack;
  piece_ = allocator_ == nullptr
               ? BlockMemory::Take(bytes)
               : BlockMemory::Piece{allocator_->Allocate(bytes), bytes};
  return piece_.memory == nullptr ? nullptr : this->bytes();
}

void BlockRoom::GiveBack() {
  if (piece_.memory == nullptr) return;
  const BlockMemory::Piece piece = Release();
  if (allocator_ == nullptr) return BlockMemory::GiveBack(piece);
  allocator_->Deallocate(piece.memory);
}

}  // namespace ashlar::internal
