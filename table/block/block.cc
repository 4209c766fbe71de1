#include "table/block/block.h"

#include <string>

namespace ashlar::internal {

namespace {

constexpr uint32_t kNumRestartsMask = kSeparatedFlag - 1;

// Offsets within a block are 32 bits, and RocksDB reads no larger ones.
constexpr uint64_t kMaxBlockBytes = uint64_t{1} << 31;

// Takes the hash index off the end. Returns false if it does not fit.
bool TakeHashIndex(Slice* rest, BlockView* view) {
  uint16_t num_buckets;
  if (rest->size() < sizeof num_buckets) return false;
  num_buckets = LoadFixed16(rest->end() - sizeof num_buckets);
  rest->remove_suffix(sizeof num_buckets);
  if (num_buckets == 0 || num_buckets > rest->size()) return false;
  rest->remove_suffix(num_buckets);
  view->num_buckets = num_buckets;
  view->buckets = reinterpret_cast<const uint8_t*>(rest->end());
  return true;
}

// Takes the offset of the values section off the end.
Status TakeValuesOffset(const BlockPlace& place, Slice* rest,
                        uint32_t* offset) {
  if (place.kind != BlockKind::kData) {
    return place.Corruption(
        "bad block contents",
        "keys and values are stored apart, which only data blocks may do");
  }
  if (rest->size() < sizeof *offset) {
    return place.Corruption(
        "bad block contents",
        "the block is too small for the offset of its values");
  }
  rest->remove_suffix(sizeof *offset);
  *offset = LoadFixed32(rest->end());
  return {};
}

// Checks that restart offsets begin with 0, ascend strictly, and are within the
// entries.
bool RestartsAreSound(const BlockView& view) {
  if (view.num_restarts == 0) return view.entries_size == 0;
  if (view.RestartOffset(0) != 0) return false;
  if (view.entries_size == 0) return view.num_restarts == 1;
  uint32_t last = 0;
  bool sound = true;
  for (uint32_t i = 1; i < view.num_restarts; ++i) {
    const uint32_t offset = view.RestartOffset(i);
    sound &= offset > last;
    last = offset;
  }
  return sound && last < view.entries_size;
}

}  // namespace

namespace {

// After an error, *view may be half filled in.
Status ParseParts(const Slice& contents, const BlockPlace& place,
                  BlockView* view) {
  constexpr const char* kWhat = "bad block contents";
  Slice rest = contents;
  if (rest.size() < sizeof(uint32_t) || rest.size() >= kMaxBlockBytes) {
    return place.Corruption(kWhat, "expected 4 bytes to 2 GiB, found " +
                                       std::to_string(rest.size()));
  }
  rest.remove_suffix(sizeof(uint32_t));
  const uint32_t packed = LoadFixed32(rest.end());
  if ((packed & kReservedFlag) != 0) {
    return place.Corruption(kWhat, "reserved bit 30 of the block footer is 1");
  }
  view->separated = (packed & kSeparatedFlag) != 0;
  uint32_t values_offset = 0;
  if (view->separated) {
    Status status = TakeValuesOffset(place, &rest, &values_offset);
    if (!status.ok()) return status;
  }
  if ((packed & kHashIndexFlag) != 0 && !TakeHashIndex(&rest, view)) {
    return place.Corruption(kWhat,
                            "the hash index does not fit into the block");
  }
  const uint32_t num_restarts = packed & kNumRestartsMask;
  const uint64_t restart_bytes = uint64_t{num_restarts} * sizeof(uint32_t);
  if (restart_bytes > rest.size()) {
    return place.Corruption(kWhat, std::to_string(num_restarts) +
                                       " restart points do not fit " +
                                       std::to_string(rest.size()) + " bytes");
  }
  rest.remove_suffix(static_cast<size_t>(restart_bytes));
  view->num_restarts = num_restarts;
  view->restarts = rest.end();
  if (values_offset > rest.size()) {
    return place.Corruption(
        kWhat, "values begin at byte " + std::to_string(values_offset) +
                   ", expected at most " + std::to_string(rest.size()));
  }
  view->entries = rest.data();
  view->entries_size =
      view->separated ? values_offset : static_cast<uint32_t>(rest.size());
  if (!RestartsAreSound(*view)) {
    return place.Corruption(
        kWhat, "restart offsets do not ascend from 0 within the entries");
  }
  return {};
}

}  // namespace

Status ParseBlock(const Slice& contents, const BlockPlace& place,
                  BlockView* view) {
  *view = BlockView();
  Status status = ParseParts(contents, place, view);
  if (!status.ok()) *view = BlockView();
  return status;
}

const char* DecodeSeparatedEntry(const BlockView& view, const char* p,
                                 SeparatedPosition* position,
                                 EntryHeader* header) {
  const auto offset = static_cast<uint32_t>(p - view.entries);
  bool restart = false;
  if (position->next_restart < view.num_restarts) {
    const uint32_t expected = view.RestartOffset(position->next_restart);
    // The entry before reached beyond a restart point.
    if (offset > expected) return nullptr;
    restart = offset == expected;
  }
  p = DecodeEntryNumbers(p, view.limit(), header);
  if (p == nullptr) return nullptr;
  const char* value = position->value_end;
  if (restart) {
    uint32_t value_offset;
    p = DecodeVarint32(p, view.limit(), &value_offset);
    const auto values_size =
        static_cast<uint32_t>(view.restarts - view.limit());
    if (p == nullptr || value_offset > values_size) return nullptr;
    value = view.limit() + value_offset;
    ++position->next_restart;
  }
  if (header->non_shared > static_cast<uint64_t>(view.limit() - p) ||
      header->value_size > static_cast<uint64_t>(view.restarts - value)) {
    return nullptr;
  }
  position->value_end = value + header->value_size;
  return p;
}

std::optional<std::string> FirstPlainKey(const BlockView& view,
                                         const BlockPlace& place) {
  std::optional<std::string> first;
  const Status status = ForEachPlainEntry(
      view, place, [&](const Slice& key, const Slice&) -> Status {
        first = key.ToString();
        return Status::Aborted("one is enough");
      });
  status.IgnoreError();
  return first;
}

}  // namespace ashlar::internal
