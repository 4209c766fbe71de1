#include "test/support/tables.h"

#include <cstdio>
#include <stdexcept>

#include "ashlar/cache/cache_options.h"
#include "ashlar/cache/tiered_cache.h"
#include "ashlar/util/file.h"

namespace ashlar::testing {

void Require(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

std::vector<Entry> SomeEntries(int count) {
  constexpr SequenceNumber kSequence = 7;
  std::vector<Entry> entries;
  for (int i = 0; i < count; ++i) {
    char key[16];
    std::snprintf(key, sizeof key, "key%05d", i);
    entries.push_back(Value(key, kSequence, "value" + std::to_string(i)));
  }
  return entries;
}

namespace {

std::shared_ptr<Cache> AnyFirstTier(uint64_t random) {
  constexpr size_t kCapacities[] = {size_t{1} << 20, 3000, 0};
  const size_t capacity = kCapacities[random / 4 % 3];
  const bool strict = random / 12 % 2 != 0;
  if (random % 4 == 1) {
    return NewLruCache({.capacity = capacity, .strict_capacity_limit = strict})
        .value();
  }
  return NewHyperClockCache({.capacity = capacity,
                             .estimated_entry_charge = 1000,
                             .strict_capacity_limit = strict})
      .value();
}

}  // namespace

std::shared_ptr<Cache> AnyBlockCache(uint64_t random) {
  if (random % 4 == 0) return nullptr;
  std::shared_ptr<Cache> first = AnyFirstTier(random);
  constexpr size_t kCapacities[] = {size_t{1} << 20, 3000, 0};
  if (random / 24 % 2 == 0) return first;
  auto second = NewCompressedSecondaryCache(
      {.capacity = kCapacities[random / 48 % 3], .num_shard_bits = 0});
  return NewTieredCache(
             {.primary = std::move(first),
              .secondary = std::move(second).value(),
              .adm_policy = TieredAdmissionPolicy::kAdmPolicyAllowAll})
      .value();
}

BuildOptions FixedBuild(std::string_view seed) {
  constexpr uint64_t kSomeTime = 1700000000;
  return {.identity = FixedTableIdentity(seed, kSomeTime)};
}

std::string BuildTable(const TableOptions& options,
                       const std::vector<Entry>& entries,
                       const BuildOptions& build_options) {
  std::string bytes;
  const auto file = NewMemoryWritableFile("built.sst", &bytes);
  auto builder = TableBuilder::Create(options, build_options, file.get());
  Require(builder.status());
  for (const Entry& entry : entries) {
    Require((*builder)->Add(entry.key, entry.value));
  }
  Require((*builder)->Finish());
  if ((*builder)->FileSize() != bytes.size()) {
    throw std::runtime_error("FileSize is not the size of the file");
  }
  return bytes;
}

Result<std::unique_ptr<TableReader>> OpenBytes(std::string bytes,
                                               const ReaderOptions& options) {
  return TableReader::Open(NewMemoryFile("test.sst", std::move(bytes)),
                           options);
}

std::unique_ptr<TableReader> OpenTable(std::string bytes,
                                       const ReaderOptions& options) {
  auto reader = OpenBytes(std::move(bytes), options);
  Require(reader.status());
  return std::move(reader).value();
}

Status ReadForward(const TableReader& reader, const ReadOptions& options,
                   std::vector<Entry>* entries) {
  Iterator it = reader.NewIterator(options);
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    entries->push_back({it.key().ToString(), it.value().ToString()});
  }
  return it.status();
}

Status ReadBackward(const TableReader& reader, const ReadOptions& options,
                    std::vector<Entry>* entries) {
  Iterator it = reader.NewIterator(options);
  for (it.SeekToLast(); it.Valid(); it.Prev()) {
    entries->push_back({it.key().ToString(), it.value().ToString()});
  }
  return it.status();
}

std::vector<Entry> RangeDeletionsOf(const TableReader& reader) {
  std::vector<Entry> entries;
  for (const RangeDeletion& deletion : reader.RangeDeletions()) {
    entries.push_back(RangeDeleted(deletion.begin.ToStringView(),
                                   deletion.sequence,
                                   deletion.end.ToStringView()));
  }
  return entries;
}

std::string CanonicalDump(const std::vector<Entry>& entries) {
  std::string dump;
  for (const Entry& entry : entries) {
    dump += Hex(UserKeyOf(entry.key).ToStringView()) + ' ';
    dump += std::to_string(SequenceOf(entry.key)) + ' ';
    dump += std::to_string(static_cast<int>(TypeOf(entry.key))) + ' ';
    dump += Hex(entry.value) + '\n';
  }
  return dump;
}

std::string Hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex(2 * bytes.size(), '\0');
  char* to = hex.data();
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    *to++ = kDigits[byte >> 4];
    *to++ = kDigits[byte & 15];
  }
  return hex;
}

std::string Unhex(std::string_view hex) {
  std::string bytes;
  std::string pair;
  for (const char c : hex) {
    if (c == ' ') continue;
    pair += c;
    if (pair.size() < 2) continue;
    bytes += static_cast<char>(std::stoi(pair, nullptr, 16));
    pair.clear();
  }
  return bytes;
}

}  // namespace ashlar::testing
