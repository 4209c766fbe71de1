// Sizes are grouped into classes, eight to each doubling. A class has slabs.
// Each slab is one huge page, cut into cells of the class's size. A cell begins
// with the address of its slab, so that giving it back needs nothing but the
// object. (Null: it is not a cell, but came from malloc.)
//
// A class's mutex protects its slabs, their lists of free cells and their
// counts. A slab with free cells is in the class's list. A full slab is in no
// list. An empty slab goes back to the system, except the last one of its
// class: a full cache gives back and takes by turns.

#include "ashlar/util/huge_page_allocator.h"

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "ashlar/util/sync/mutex.h"
#include "port/huge_pages.h"

namespace ashlar {

namespace {

using internal::Mutex;
using internal::MutexLock;

constexpr size_t kLine = 64;
constexpr size_t kSlabBytes = port::kHugePageBytes;
constexpr size_t kSmallest = 512;
constexpr size_t kLargest = kSlabBytes / 8;
constexpr size_t kClassesPerDoubling = 8;
constexpr size_t kNumClasses =
    kClassesPerDoubling * std::bit_width(kLargest / kSmallest - 1) + 1;

// Returns the first class whose cells hold `size` bytes. Requires: size <=
// kLargest.
size_t ClassOf(size_t size) {
  if (size <= kSmallest) return 0;
  const size_t times = (size - 1) / kSmallest;
  assert(times != 0);
  const auto doubling = static_cast<size_t>(std::bit_width(times)) - 1;
  const size_t base = kSmallest << doubling;
  const size_t step = base / kClassesPerDoubling;
  return doubling * kClassesPerDoubling + (size - base + step - 1) / step;
}

size_t BytesOf(size_t size_class) {
  const size_t base = kSmallest << size_class / kClassesPerDoubling;
  return base + base / kClassesPerDoubling * (size_class % kClassesPerDoubling);
}

constexpr char kName[] = "HugePageAllocator";

struct Slab;

// Before each object. The rest of its cache line is empty.
struct Cell {
  Slab* slab;
  Cell* next_free;
};
static_assert(sizeof(Cell) <= kLine);

struct Slab {
  size_t size_class = 0;
  uint32_t used = 0;
  uint32_t never_used = 0;  // cells from this one on
  Cell* free_cells = nullptr;
  // In the class's list, if it has free cells.
  Slab* next = nullptr;
  Slab* previous = nullptr;
};
static_assert(sizeof(Slab) <= kLine);

class HugePageAllocator final : public MemoryAllocator {
 public:
  HugePageAllocator() = default;
  HugePageAllocator(const HugePageAllocator&) = delete;
  HugePageAllocator& operator=(const HugePageAllocator&) = delete;
  // Requires: everything was given back.
  ~HugePageAllocator() override {
    for (SizeClass& c : classes_) {
      MutexLock lock(&c.mutex);
      assert(c.with_room == nullptr || c.with_room->next == nullptr);
      std::free(c.with_room);
    }
  }

  const char* Name() const override { return kName; }

  void* Allocate(size_t size) override {
    if (size > kLargest - kLine) return AllocateLarge(size);
    const size_t number = ClassOf(size + kLine);
    SizeClass& c = classes_[number];
    MutexLock lock(&c.mutex);
    if (c.with_room == nullptr) {
      Slab* const slab = NewSlab(number);
      if (slab == nullptr) return nullptr;
      Link(&c, slab);
    }
    return ObjectIn(TakeCell(&c, c.with_room));
  }

  void Deallocate(void* memory) override {
    if (memory == nullptr) return;
    Cell* const cell = CellOf(memory);
    if (cell->slab == nullptr) {
      std::free(cell);
      return;
    }
    Slab* const slab = cell->slab;
    SizeClass& c = classes_[slab->size_class];
    MutexLock lock(&c.mutex);
    const bool was_full = IsFull(*slab);
    cell->next_free = slab->free_cells;
    slab->free_cells = cell;
    --slab->used;
    if (was_full) Link(&c, slab);
    const bool is_only_one = slab->next == nullptr && c.with_room == slab;
    if (slab->used > 0 || is_only_one) return;
    Unlink(&c, slab);
    std::free(slab);
  }

  size_t UsableSize(void* memory, size_t size) const override {
    const Slab* const slab = CellOf(memory)->slab;
    return slab == nullptr ? size + kLine : BytesOf(slab->size_class);
  }

 private:
  struct alignas(kLine) SizeClass {
    Mutex mutex;
    Slab* with_room ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex)) = nullptr;
  };

  static Cell* CellOf(void* memory) {
    return reinterpret_cast<Cell*>(static_cast<char*>(memory) - kLine);
  }
  static void* ObjectIn(Cell* cell) {
    return reinterpret_cast<char*>(cell) + kLine;
  }
  static uint32_t CellsOf(size_t size_class) {
    return static_cast<uint32_t>((kSlabBytes - kLine) / BytesOf(size_class));
  }
  static bool IsFull(const Slab& slab) {
    return slab.free_cells == nullptr &&
           slab.never_used == CellsOf(slab.size_class);
  }

  static void* AllocateLarge(size_t size) {
    if (size > SIZE_MAX - 2 * kLine) return nullptr;
    void* const memory =
        std::aligned_alloc(kLine, (size + 2 * kLine - 1) / kLine * kLine);
    if (memory == nullptr) return nullptr;
    return ObjectIn(new (memory) Cell{nullptr, nullptr});
  }

  static Slab* NewSlab(size_t size_class) {
    void* const memory = std::aligned_alloc(kSlabBytes, kSlabBytes);
    if (memory == nullptr) return nullptr;
    port::PreferHugePages(memory, kSlabBytes);
    return new (memory) Slab{.size_class = size_class};
  }

  static Cell* TakeCell(SizeClass* c, Slab* slab)
      ASHLAR_THREAD_ATTRIBUTE(requires_capability(c->mutex)) {
    Cell* cell = slab->free_cells;
    if (cell != nullptr) {
      slab->free_cells = cell->next_free;
    } else {
      char* const at = reinterpret_cast<char*>(slab) + kLine +
                       slab->never_used++ * BytesOf(slab->size_class);
      cell = new (at) Cell{slab, nullptr};
    }
    ++slab->used;
    if (IsFull(*slab)) Unlink(c, slab);
    return cell;
  }

  static void Link(SizeClass* c, Slab* slab)
      ASHLAR_THREAD_ATTRIBUTE(requires_capability(c->mutex)) {
    slab->previous = nullptr;
    slab->next = c->with_room;
    if (slab->next != nullptr) slab->next->previous = slab;
    c->with_room = slab;
  }
  static void Unlink(SizeClass* c, Slab* slab)
      ASHLAR_THREAD_ATTRIBUTE(requires_capability(c->mutex)) {
    if (slab->next != nullptr) slab->next->previous = slab->previous;
    (slab->previous != nullptr ? slab->previous->next : c->with_room) =
        slab->next;
    slab->next = slab->previous = nullptr;
  }

  std::array<SizeClass, kNumClasses> classes_;
};

}  // namespace

std::shared_ptr<MemoryAllocator> NewHugePageAllocator() {
  return std::make_shared<HugePageAllocator>();
}

bool IsHugePageAllocator(const MemoryAllocator* allocator) {
  // By the address of the name: other allocators may have an equal name, or be
  // built without RTTI.
  return allocator != nullptr && allocator->Name() == kName;
}

}  // namespace ashlar
