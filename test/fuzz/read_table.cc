#include "test/fuzz/read_table.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "test/fuzz/cost.h"
#include "test/fuzz/fuzz_input.h"
#include "test/support/reference_reader.h"
#include "test/support/tables.h"

namespace ashlar::fuzz {

namespace {

using testing::Entry;

// A few bytes can mean many entries: an index may refer to one block many
// times, and compressed blocks expand. Entries and targets beyond these limits
// are not checked.
constexpr size_t kMaxEntries = 4096;
constexpr size_t kMaxTargets = 32;

// What SECURITY.md states, for blocks of kMaxBlockBytes.
// Range deletions that overlap take the most: some 15 times their block.
constexpr CostLimit kCostOfOpen = {.what = "open",
                                   .bytes = 24 * kMaxBlockBytes,
                                   .bytes_per_byte = 64,
                                   .seconds = 2};
// Of a Get, or a step of an iterator.
constexpr CostLimit kCostOfRead = {.what = "read",
                                   .bytes = 12 * kMaxBlockBytes,
                                   .bytes_per_byte = 64,
                                   .seconds = 2};
// The walk over all blocks.
constexpr CostLimit kCostOfInspection = {.what = "inspect",
                                         .bytes = 16 * kMaxBlockBytes,
                                         .bytes_per_byte = 256,
                                         .seconds = 10};

// Calls move(), which moves an iterator of this table once.
template <typename Move>
void Step(const TableReader& reader, const Move& move) {
  const Cost cost(kCostOfRead, reader.file().Size());
  move();
}

// Returns true if the walk reached the end of the table without an error.
bool WalkForward(const TableReader& reader, const ReadOptions& options,
                 std::vector<Entry>* entries) {
  Iterator it = reader.NewIterator(options);
  const auto next = [&it] { it.Next(); };
  for (Step(reader, [&it] { it.SeekToFirst(); }); it.Valid();
       Step(reader, next)) {
    if (entries->size() == kMaxEntries) return false;
    entries->push_back({it.key().ToString(), it.value().ToString()});
  }
  return it.status().ok();
}

bool WalkBackward(const TableReader& reader, const ReadOptions& options,
                  std::vector<Entry>* entries) {
  Iterator it = reader.NewIterator(options);
  const auto previous = [&it] { it.Prev(); };
  for (Step(reader, [&it] { it.SeekToLast(); }); it.Valid();
       Step(reader, previous)) {
    if (entries->size() == kMaxEntries) return false;
    entries->push_back({it.key().ToString(), it.value().ToString()});
  }
  std::reverse(entries->begin(), entries->end());
  return it.status().ok();
}

// Reads with a block cache, which checks a block as a whole once and then
// iterates without checks. The entries must be the same, and so must be the
// point where a walk ends.
void CheckCached(const std::string& bytes, ReaderOptions options,
                 const ReadOptions& all, const std::vector<Entry>& forward,
                 bool forward_ok, const std::vector<Entry>& backward,
                 bool backward_ok) {
  options.block_cache = NewLruCache({.capacity = size_t{1} << 20}).value();
  auto opened = testing::OpenBytes(bytes, options);
  FUZZ_CHECK(opened.status().ok());
  for (int round = 0; round < 2; ++round) {
    std::vector<Entry> found;
    FUZZ_CHECK(WalkForward(**opened, all, &found) == forward_ok);
    FUZZ_CHECK(found == forward);
    found.clear();
    FUZZ_CHECK(WalkBackward(**opened, all, &found) == backward_ok);
    FUZZ_CHECK(found == backward);
  }
}

// Checks, forward and backward, which stored entries the range deletions leave
// visible.
void CheckVisible(const TableReader& reader, const std::vector<Entry>& stored) {
  std::vector<Entry> expected;
  for (const Entry& entry : stored) {
    if (SequenceOf(entry.key) >=
        reader.NewestRangeDeletionOver(UserKeyOf(entry.key),
                                       kMaxSequenceNumber)) {
      expected.push_back(entry);
    }
  }
  std::vector<Entry> forward;
  FUZZ_CHECK(WalkForward(reader, {}, &forward));
  FUZZ_CHECK(forward == expected);
  std::vector<Entry> backward;
  FUZZ_CHECK(WalkBackward(reader, {}, &backward));
  FUZZ_CHECK(backward == expected);
}

void Ask(const TableReader& reader, const Slice& user_key,
         SequenceNumber snapshot) {
  Iterator it = reader.NewIterator();
  Step(reader, [&] { it.Seek(user_key, snapshot); });
  if (it.Valid()) Step(reader, [&] { it.Prev(); });
  Step(reader, [&] { it.SeekForPrev(user_key, snapshot); });
  if (it.Valid()) Step(reader, [&] { it.Next(); });
  FUZZ_CHECK(!it.Valid() || it.status().ok());
  GetResult result;
  {
    const Cost cost(kCostOfRead, reader.file().Size());
    static_cast<void>(
        reader.Get(ReadOptions(), user_key, snapshot, &result,
                   [](const Slice&, SequenceNumber) { return true; }));
  }
  FUZZ_CHECK(reader.ApproximateOffsetOf(user_key) <= reader.file().Size());
}

void AskAll(const TableReader& reader, const std::vector<Entry>& entries) {
  Ask(reader, Slice(), kMaxSequenceNumber);
  const size_t step = entries.size() / kMaxTargets + 1;
  for (size_t i = 0; i < entries.size(); i += step) {
    const Slice key(entries[i].key);
    Ask(reader, UserKeyOf(key), SequenceOf(key));
    Ask(reader, UserKeyOf(key).ToString() + '\0', kMaxSequenceNumber);
  }
}

Result<std::unique_ptr<TableReader>> OpenMeasured(
    const std::string& bytes, const ReaderOptions& options) {
  const Cost cost(kCostOfOpen, bytes.size());
  return testing::OpenBytes(bytes, options);
}

// Returns true if all blocks were checked and are sound.
bool Inspect(const RandomAccessFile& file) {
  InspectOptions options;
  options.first_keys = true;
  options.max_uncompressed_block_bytes = kMaxBlockBytes;
  // InspectTable calls this after every few data blocks.
  int reports = 0;
  options.on_progress = [&](uint64_t, uint64_t) { return ++reports < 4; };
  TableInspection found;
  Status status;
  {
    const Cost cost(kCostOfInspection, file.Size());
    status = InspectTable(file, options, &found);
  }
  FUZZ_CHECK(status.ok() || status.IsAborted());
  if (!status.ok()) return false;
  FUZZ_CHECK(found.blocks_bad == 0 || !found.faults.empty());
  return found.faults.empty();
}

// The reference reader may refuse a table that our reader accepts, but it must
// not read other entries.
void CompareWithReference(const std::string& bytes, const TableReader& reader,
                          const std::vector<Entry>& entries) {
  if (reader.properties().external_sst_file_global_seqno.value_or(0) != 0) {
    return;
  }
  testing::ReferenceTable other;
  try {
    other = testing::ReadReferenceTable(bytes);
  } catch (const std::runtime_error&) {
    return;
  }
  FUZZ_CHECK(other.entries.size() == entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    const testing::ReferenceEntry& entry = other.entries[i];
    FUZZ_CHECK(entries[i].key ==
               MakeInternalKey(entry.user_key, entry.sequence,
                               static_cast<ValueType>(entry.type)));
    FUZZ_CHECK(entries[i].value == entry.value);
  }
}

}  // namespace

void ReadTable(const std::string& bytes) {
  const bool sound = Inspect(*NewMemoryFile("fuzzed.sst", bytes));
  ReaderOptions options;
  options.max_uncompressed_block_bytes = kMaxBlockBytes;
  auto opened = OpenMeasured(bytes, options);
  if (!opened.status().ok()) return;
  const TableReader& reader = **opened;
  const bool checksums_fit = reader.VerifyChecksum().ok();
  FUZZ_CHECK(!sound || checksums_fit);
  std::vector<Entry> forward;
  std::vector<Entry> backward;
  const ReadOptions all = {.ignore_range_deletions = true};
  const bool forward_ok = WalkForward(reader, all, &forward);
  const bool backward_ok = WalkBackward(reader, all, &backward);
  const bool whole = backward_ok && forward_ok;
  CheckCached(bytes, options, all, forward, forward_ok, backward, backward_ok);
  AskAll(reader, forward);
  if (!whole) return;
  FUZZ_CHECK(forward == backward);
  CheckVisible(reader, forward);
  if (sound) CompareWithReference(bytes, reader, forward);
}

}  // namespace ashlar::fuzz
