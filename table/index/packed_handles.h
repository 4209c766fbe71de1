// PackedHandles: the block handles of an index, four bytes each.
//
// Blocks mostly follow each other in the file, so it is enough to know where
// each one ends. Eight of them share a record:
//
//   fixed64       where the first of the eight begins
//   8 x 3 bytes   where each block ends, its trailer not included, counted
//                 from there; little-endian
//
// A block begins after the trailer of the one before it in its record. Gaps
// between records may have any size.
//
// Handles that do not fit are all stored whole, 16 bytes each: if there is a
// gap within a record (aligned blocks, or blocks of another kind between), or
// if eight blocks together are 16 MiB or more.
//
// A view of memory that the caller keeps. Thread-safe to read.
#ifndef ASHLAR_TABLE_INDEX_PACKED_HANDLES_H_
#define ASHLAR_TABLE_INDEX_PACKED_HANDLES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "table/format/block_handle.h"
#include "table/index/memory_plan.h"
#include "util/coding/coding.h"

namespace ashlar::internal {

class PackedHandles {
 public:
  static constexpr size_t kPerRecord = 8;
  static constexpr size_t kEndBytes = 3;
  static constexpr uint64_t kMostEnd = (uint64_t{1} << 8 * kEndBytes) - 1;

  struct Record {
    uint64_t begin;
    std::array<char, kEndBytes * kPerRecord> ends;

    // Stores where block j ends. Returns false if that is too far from where
    // the record begins. Requires: the block does not begin before that.
    [[nodiscard]] bool StoreEnd(size_t j, const BlockHandle& handle) {
      const uint64_t end = handle.offset + handle.size - begin;
      std::memcpy(ends.data() + j * kEndBytes, &end, kEndBytes);
      return end <= kMostEnd;
    }
  };

  BlockHandle operator[](size_t i) const {
    if (records_ == nullptr) [[unlikely]]
      return whole_[i];
    const Record& record = records_[i / kPerRecord];
    const size_t j = i % kPerRecord;
    const uint64_t end = End(record, j);
    const uint64_t begin = j == 0 ? 0 : End(record, j - 1) + kBlockTrailerSize;
    return {record.begin + begin, end - begin};
  }
  void Prefetch(size_t i) const {
    if (records_ == nullptr) {
      __builtin_prefetch(whole_ + i);
    } else {
      __builtin_prefetch(records_ + i / kPerRecord);
    }
  }

  // Returns whether the handles fit into records. Requires: handles ascend and
  // fit into a file (BlockHandle::FitsBelow).
  static bool CanPack(std::span<const BlockHandle> handles);
  // Takes room for the handles, and stores them if there is memory. `packed` is
  // what CanPack said.
  void Plan(std::span<const BlockHandle> handles, bool packed,
            MemoryPlan* plan);
  // The same for n handles that are in records already. copy(Record*) copies
  // them.
  template <typename Copy>
  void PlanRecords(size_t n, const Copy& copy, MemoryPlan* plan) {
    auto* const records =
        plan->Take<Record>((n + kPerRecord - 1) / kPerRecord, sizeof(Record));
    if (plan->has_memory()) copy(records);
    records_ = records;
  }

 private:
  static_assert(sizeof(Record) == 32);

  // The word ends with the three bytes. It begins with one byte of what is
  // before them in the record.
  static uint64_t End(const Record& record, size_t j) {
    const char* const bytes = reinterpret_cast<const char*>(&record);
    return LoadFixed32(bytes + sizeof record.begin - 1 + j * kEndBytes) >> 8;
  }
  static void Store(std::span<const BlockHandle> handles, Record* records);

  const Record* records_ = nullptr;  // null: handles are stored whole
  const BlockHandle* whole_ = nullptr;
};

inline bool PackedHandles::CanPack(std::span<const BlockHandle> handles) {
  uint64_t begin = 0;
  uint64_t next = 0;
  bool fits = true;
  for (size_t i = 0; i < handles.size(); ++i) {
    const BlockHandle& handle = handles[i];
    if (i % kPerRecord == 0) {
      begin = handle.offset;
    } else {
      fits &= handle.offset == next;
    }
    next = handle.End();
    fits &= handle.offset + handle.size - begin <= kMostEnd;
  }
  return fits;
}

inline void PackedHandles::Store(std::span<const BlockHandle> handles,
                                 Record* records) {
  for (size_t i = 0; i < handles.size(); ++i) {
    Record& record = records[i / kPerRecord];
    const size_t j = i % kPerRecord;
    if (j == 0) record.begin = handles[i].offset;
    static_cast<void>(record.StoreEnd(j, handles[i]));
  }
}

inline void PackedHandles::Plan(std::span<const BlockHandle> handles,
                                bool packed, MemoryPlan* plan) {
  const size_t n = handles.size();
  if (packed) {
    PlanRecords(
        n, [&](Record* records) { Store(handles, records); }, plan);
  } else {
    auto* const whole = plan->Take<BlockHandle>(n);
    if (plan->has_memory() && n != 0) {
      std::memcpy(whole, handles.data(), n * sizeof(BlockHandle));
    }
    whole_ = whole;
  }
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_PACKED_HANDLES_H_
