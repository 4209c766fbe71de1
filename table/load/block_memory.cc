#include "table/load/block_memory.h"

#include <malloc.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "util/mem/thread_exit.h"

namespace ashlar::internal {

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeeps = false;
#elif defined(__has_feature)
constexpr bool kKeeps = !__has_feature(address_sanitizer);
#else
constexpr bool kKeeps = true;
#endif

// Blocks may outlive what a thread keeps: those of a cache that is a static
// object do.
constinit thread_local ThreadObject state = ThreadObject::kUnborn;

class Kept {
 public:
  ~Kept() {
    state = ThreadObject::kEnded;
    for (const Piece& piece : pieces_) std::free(piece.memory);
  }

  // Returns the smallest piece that is large enough, and not much larger; null
  // if there is none.
  void* Take(size_t bytes) {
    size_t size = bytes + bytes / 16 + 1;
    Piece* best = nullptr;
    for (Piece& piece : pieces_) {
      if (piece.size < bytes || piece.size >= size) continue;
      best = &piece;
      size = piece.size;
    }
    if (best == nullptr) return nullptr;
    best->size = 0;
    return std::exchange(best->memory, nullptr);
  }

  // Keeps a piece, if need be in the place of another one. Those take turns, so
  // that pieces of unused sizes go.
  void Put(void* memory) {
    const size_t size = ::malloc_usable_size(memory);
    if (size > BlockMemory::kMostBytes) return std::free(memory);
    Piece* place = nullptr;
    for (Piece& piece : pieces_) {
      if (piece.memory == nullptr) place = &piece;
    }
    if (place == nullptr) place = &pieces_[next_++ % BlockMemory::kPlaces];
    std::free(std::exchange(place->memory, memory));
    place->size = size;
  }

 private:
  struct Piece {
    void* memory = nullptr;
    size_t size = 0;
  };
  std::array<Piece, BlockMemory::kPlaces> pieces_;
  size_t next_ = 0;
};

Kept* OfThread() {
  if (!kKeeps || !MayUse(&state)) return nullptr;
  thread_local Kept kept;
  return &kept;
}

}  // namespace

void* BlockMemory::Take(size_t bytes) {
  constexpr size_t kLine = 64;
  Kept* const kept = OfThread();
  void* const memory = kept == nullptr ? nullptr : kept->Take(bytes);
  if (memory != nullptr) return memory;
  return std::aligned_alloc(kLine, (bytes + kLine - 1) / kLine * kLine);
}

void BlockMemory::GiveBack(void* memory) {
  Kept* const kept = OfThread();
  if (kept == nullptr) return std::free(memory);
  kept->Put(memory);
}

}  // namespace ashlar::internal
