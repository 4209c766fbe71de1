#include "table/dump/dump_kinds.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "ashlar/cache/typed_cache.h"
#include "table/index/index_encoder.h"
#include "table/load/cached_data_block.h"
#include "table/load/metadata_cache.h"
#include "util/coding/coding.h"

namespace ashlar::internal {

namespace {

using DataCache = TypedCache<CachedDataBlock, CacheEntryRole::kDataBlock>;
using FilterCache = TypedCache<CachedFilter, CacheEntryRole::kFilterBlock>;
template <CacheEntryRole kRole>
using IndexCache = TypedCache<CachedIndexBlock, kRole>;

constexpr size_t kHandleBytes = 2 * sizeof(uint64_t);

Status TooShort(const char* what) {
  return Status::Corruption(std::string("bad saved ") + what + ": too short");
}

void AppendHandle(const BlockHandle& handle, Buffer* out) {
  std::array<char, kHandleBytes> bytes;
  StoreFixed64(bytes.data(), handle.offset);
  StoreFixed64(bytes.data() + sizeof(uint64_t), handle.size);
  out->Append(Slice(bytes.data(), bytes.size()));
}

BlockHandle LoadHandle(const char* p) {
  return {.offset = LoadFixed64(p), .size = LoadFixed64(p + sizeof(uint64_t))};
}

template <typename Cached, typename Value>
Status Give(std::unique_ptr<Value> made, void** value, size_t* charge) {
  if (made == nullptr) return Status::MemoryLimit("no memory for a block");
  *charge = Cached::ChargeOf(*made);
  *value = made.release();
  return {};
}

// --- Data blocks -------------------------------------------------------------

constexpr char kHasWords = 1;

bool SaveData(const void* value, Buffer* out) {
  const auto& block = *static_cast<const CachedDataBlock*>(value);
  const size_t size = block.SavedSize();
  out->PushBack(block.has_room_for_words() ? kHasWords : 0);
  out->Reserve(size);
  block.SaveTo(out->end());
  out->Advance(size);
  return true;
}

Status CreateData(const Slice& saved, MemoryAllocator* allocator, void** value,
                  size_t* charge) {
  if (saved.empty()) return TooShort("data block");
  const KeyOrder of_bytes(BytewiseComparator());
  const bool has_words = (saved[0] & kHasWords) != 0;
  std::unique_ptr<CachedDataBlock> made;
  Status status = CachedDataBlock::Create(
      Slice(saved.data() + 1, saved.size() - 1),
      has_words ? &of_bytes : nullptr, allocator, &made);
  if (!status.ok()) return status;
  return Give<DataCache>(std::move(made), value, charge);
}

// --- Filters -----------------------------------------------------------------

// A filter of an application's policy is not saved: nobody could ask it when it
// is loaded, since a dump does not know policies.
bool SaveFilter(const void* value, Buffer* out) {
  const auto& filter = *static_cast<const CachedFilter*>(value);
  if (filter.bits.custom() != nullptr) return false;
  AppendHandle(filter.handle, out);
  out->Append(filter.bytes.slice());
  return !FilterBitsReader::IsDamaged(filter.bytes.slice());
}

Status CreateFilter(const Slice& saved, MemoryAllocator* /*allocator*/,
                    void** value, size_t* charge) {
  if (saved.size() < kHandleBytes) return TooShort("filter");
  const Slice contents(saved.data() + kHandleBytes,
                       saved.size() - kHandleBytes);
  if (FilterBitsReader::IsDamaged(contents)) {
    return Status::Corruption(
        "bad saved filter: its size or its parameters do not fit its kind");
  }
  auto made = std::make_unique<CachedFilter>(LoadHandle(saved.data()));
  if (!made->bytes.Assign(contents)) made.reset();
  if (made != nullptr) made->bits = FilterBitsReader(made->bytes.slice());
  return Give<FilterCache>(std::move(made), value, charge);
}

// --- Index blocks ------------------------------------------------------------

constexpr int kUserKeys = 1;
constexpr int kDeltaHandles = 2;
constexpr int kFirstKeys = 4;
constexpr size_t kMostName = 255;

// Returns the built-in comparator whose order this is; null if there is none.
const Comparator* BuiltinOf(const KeyOrder& order) {
  const Comparator* const found =
      order.known() ? FindBuiltinComparator(order.comparator()->Name())
                    : nullptr;
  return found != nullptr && KeyOrder(found).IsSameAs(order) ? found : nullptr;
}

void AppendEntries(const ParsedIndex& index, Buffer* out) {
  constexpr int kRestartInterval = 1;
  IndexEncoder encoder(index.form(), kRestartInterval);
  std::string separator;
  for (size_t i = 0; i < index.size(); ++i) {
    encoder.Add(index.separator(i, &separator), index.handle(i),
                index.first_key(i));
  }
  bool uniform = false;
  out->Append(encoder.Finish(-1, &uniform));
}

bool SaveIndex(const void* value, Buffer* out) {
  const auto& block = *static_cast<const CachedIndexBlock*>(value);
  const IndexForm& form = block.parsed.form();
  const Comparator* const comparator = BuiltinOf(block.parsed.order());
  if (comparator == nullptr || !form.keys.IsAsStored()) return false;
  const std::string_view name = comparator->Name();
  if (name.size() > kMostName) return false;
  AppendHandle(block.handle, out);
  out->PushBack(static_cast<char>(block.kind));
  out->PushBack(static_cast<char>((form.user_keys ? kUserKeys : 0) |
                                  (form.delta_handles ? kDeltaHandles : 0) |
                                  (form.first_keys ? kFirstKeys : 0)));
  out->PushBack(static_cast<char>(name.size()));
  out->Append(Slice(name.data(), name.size()));
  AppendEntries(block.parsed, out);
  return true;
}

template <CacheEntryRole kRole>
Status CreateIndex(const Slice& saved, MemoryAllocator* /*allocator*/,
                   void** value, size_t* charge) {
  constexpr size_t kHeadBytes = kHandleBytes + 3;
  if (saved.size() < kHeadBytes) return TooShort("index block");
  const char* const p = saved.data();
  const BlockPlace place = {.kind = static_cast<BlockKind>(p[kHandleBytes]),
                            .handle = LoadHandle(p)};
  const auto bits = static_cast<uint8_t>(p[kHandleBytes + 1]);
  const auto name_size = static_cast<uint8_t>(p[kHandleBytes + 2]);
  if (saved.size() - kHeadBytes < name_size || place.kind > BlockKind::kOther) {
    return TooShort("index block");
  }
  const std::string_view name(p + kHeadBytes, name_size);
  const Comparator* const comparator = FindBuiltinComparator(name);
  if (comparator == nullptr) {
    return Status::NotSupported(
        "bad saved index block: its comparator is not "
        "built in");
  }
  const IndexForm form = {.user_keys = (bits & kUserKeys) != 0,
                          .delta_handles = (bits & kDeltaHandles) != 0,
                          .first_keys = (bits & kFirstKeys) != 0};
  const char* const entries = p + kHeadBytes + name_size;
  ParsedIndex parsed(KeyOrder(comparator), form);
  // How large the file is, the reader knows, and checks before it reads.
  constexpr uint64_t kAnyFile = uint64_t{1} << 62;
  Status status =
      parsed.Parse(Slice(entries, static_cast<size_t>(saved.end() - entries)),
                   place, kAnyFile);
  if (!status.ok()) return status;
  return Give<IndexCache<kRole>>(
      std::make_unique<CachedIndexBlock>(place, std::move(parsed)), value,
      charge);
}

const std::array<DumpKind, 4>& Kinds() {
  static const std::array<DumpKind, 4> kKinds = {{
      {DataCache::ops(), SaveData, CreateData},
      {FilterCache::ops(), SaveFilter, CreateFilter},
      {IndexCache<CacheEntryRole::kIndexBlock>::ops(), SaveIndex,
       CreateIndex<CacheEntryRole::kIndexBlock>},
      {IndexCache<CacheEntryRole::kFilterMetaBlock>::ops(), SaveIndex,
       CreateIndex<CacheEntryRole::kFilterMetaBlock>},
  }};
  return kKinds;
}

}  // namespace

const DumpKind* DumpKindOf(const CacheItemOps* ops) {
  for (const DumpKind& kind : Kinds()) {
    if (kind.ops == ops) return &kind;
  }
  return nullptr;
}

const DumpKind* DumpKindOf(CacheEntryRole role) {
  for (const DumpKind& kind : Kinds()) {
    if (kind.ops->role == role) return &kind;
  }
  return nullptr;
}

}  // namespace ashlar::internal
