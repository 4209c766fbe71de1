// Tests the golden corpus: files that other implementations wrote.
//
// Every file that uses only what this release reads must give exactly the
// entries of its manifest, in every way of reading. Every other file must be
// refused, with an error that says what is not supported. The lists of refused
// files and the number of readable ones are fixed below, so that no file moves
// from one list to another unnoticed.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "test/support/folder.h"
#include "test/support/reference_reader.h"
#include "test/support/sha256.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

struct GoldenFile {
  std::string name;
  std::string options;
  uint64_t entries = 0;
  std::string sha256_file;
  std::string sha256_dump;
  uint32_t format_version = 0;
};

std::vector<std::string> Split(const std::string& line, char separator) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, separator);) {
    fields.push_back(field);
  }
  return fields;
}

std::vector<GoldenFile> ReadManifest() {
  enum Column {
    kName,
    kProducer,
    kOptions,
    kEntries,
    kFileSum,
    kDumpSum,
    kSource,
    kVersion
  };
  std::vector<GoldenFile> files;
  std::istringstream lines(ReadFile(GoldenPath("golden.tsv")));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> fields = Split(line, '\t');
    files.push_back({fields[kName], fields[kOptions],
                     std::stoull(fields[kEntries]), fields[kFileSum],
                     fields[kDumpSum],
                     static_cast<uint32_t>(std::stoul(fields[kVersion]))});
  }
  return files;
}

// The words of an error, and the files that must be refused with it.
struct Refusal {
  const char* words;
  std::vector<const char*> files;
};

const std::vector<Refusal>& RefusedAtOpen() {
  static const std::vector<Refusal> refusals = {};
  return refusals;
}

// These files can be opened, because the fault shows only when a block is read.
const std::vector<Refusal>& RefusedAtFirstRead() {
  static const std::vector<Refusal> refusals = {
      {"compression manager 'GoldenCustom' (type 0x8A)",
       {"r119-custom-codec.sst"}},
  };
  return refusals;
}

// The number of files on neither list.
constexpr size_t kReadable = 423;

const char* FindRefusal(const std::vector<Refusal>& refusals,
                        const std::string& name) {
  for (const Refusal& refusal : refusals) {
    for (const char* file : refusal.files) {
      if (name == file) return refusal.words;
    }
  }
  return nullptr;
}

void ExpectRefused(const Status& status, const std::string& path,
                   const char* words) {
  EXPECT_TRUE(status.IsNotSupported()) << status.ToString();
  EXPECT_NE(status.message().find(words), std::string_view::npos)
      << "expected: " << words << "\nfound: " << status.ToString();
  EXPECT_TRUE(status.message().starts_with(path)) << status.ToString();
  EXPECT_NE(status.message().find(" block"), std::string_view::npos)
      << status.ToString();
  EXPECT_NE(status.message().find("offset "), std::string_view::npos)
      << status.ToString();
}

// A file as it is stored, with a simple search through its range deletions.
struct Stored {
  std::vector<Entry> entries;
  std::vector<Entry> range_deletions;
  const Comparator* comparator;

  // Returns the key that Get takes.
  Slice KeyOf(const Entry& entry) const {
    return WithoutTimestamp(UserKeyOf(entry.key), comparator->timestamp_size());
  }
  // Returns the largest sequence number of a range deletion over the key.
  SequenceNumber DeletedBelow(const Slice& user_key) const {
    SequenceNumber newest = 0;
    for (const Entry& deletion : range_deletions) {
      if (comparator->Compare(UserKeyOf(deletion.key), user_key) <= 0 &&
          comparator->Compare(user_key, deletion.value) < 0) {
        newest = std::max(newest, SequenceOf(deletion.key));
      }
    }
    return newest;
  }
  std::vector<Entry> Visible() const {
    std::vector<Entry> visible;
    for (const Entry& entry : entries) {
      if (SequenceOf(entry.key) >= DeletedBelow(UserKeyOf(entry.key))) {
        visible.push_back(entry);
      }
    }
    return visible;
  }
};

// What Get must return for the versions of one user key, newest first.
struct Expected {
  GetResult::State state = GetResult::State::kNotFound;
  std::string value;
  std::vector<std::string> operands;
};

std::string DefaultColumn(const std::string& entity) {
  std::vector<WideColumn> columns;
  const Status status = DecodeWideColumns(entity, &columns);
  EXPECT_TRUE(status.ok()) << status.ToString();
  if (columns.empty() || !columns[0].name.empty()) return {};
  return columns[0].value.ToString();
}

Expected Resolve(const Stored& stored, size_t first) {
  const std::vector<Entry>& entries = stored.entries;
  Expected expected;
  const Slice key = stored.KeyOf(entries[first]);
  const SequenceNumber deleted_below = stored.DeletedBelow(key);
  for (size_t i = first; i < entries.size() && stored.KeyOf(entries[i]) == key;
       ++i) {
    if (SequenceOf(entries[i].key) < deleted_below) break;
    switch (TypeOf(entries[i].key)) {
      case ValueType::kTypeMerge:
        expected.state = GetResult::State::kMerged;
        expected.operands.push_back(entries[i].value);
        continue;
      case ValueType::kTypeValue:
      case ValueType::kTypeSetWithDelete:
      case ValueType::kTypeBlobIndex:
        expected.state = GetResult::State::kFound;
        expected.value = entries[i].value;
        return expected;
      case ValueType::kTypeValuePreferredSeqno:
        expected.state = GetResult::State::kFound;
        expected.value =
            entries[i].value.substr(0, entries[i].value.size() - 8);
        return expected;
      case ValueType::kTypeWideColumnEntity:
        expected.state = GetResult::State::kFound;
        expected.value = DefaultColumn(entries[i].value);
        return expected;
      case ValueType::kTypeDeletion:
      case ValueType::kTypeSingleDeletion:
      case ValueType::kTypeDeletionWithTimestamp:
        expected.state = GetResult::State::kDeleted;
        return expected;
      case ValueType::kTypeRangeDeletion:
        ADD_FAILURE() << "range deletion among the entries";
    }
  }
  if (deleted_below != 0) expected.state = GetResult::State::kDeleted;
  return expected;
}

void CheckGet(const TableReader& reader, const Stored& stored, size_t first) {
  const std::string& key = stored.entries[first].key;
  SCOPED_TRACE("key " + DescribeInternalKey(key));
  const Expected expected = Resolve(stored, first);
  GetResult result;
  std::vector<std::string> operands;
  const Status status =
      reader.Get({}, stored.KeyOf(stored.entries[first]), kMaxSequenceNumber,
                 &result, [&](const Slice& operand, SequenceNumber) {
                   operands.push_back(operand.ToString());
                   return true;
                 });
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(result.state, expected.state);
  EXPECT_NE(result.filter, GetResult::Filter::kAbsent);
  EXPECT_EQ(operands, expected.operands);
  EXPECT_EQ(result.value.ToString(), expected.value);
}

// Expects that every user key is found, and that absent keys near them are not.
// Returns how many absent keys the filter ruled out.
size_t CheckGets(const TableReader& reader, const Stored& stored) {
  std::set<std::string> user_keys;
  for (size_t i = 0; i < stored.entries.size(); ++i) {
    const std::string user_key = stored.KeyOf(stored.entries[i]).ToString();
    if (user_keys.insert(user_key).second) CheckGet(reader, stored, i);
  }
  size_t ruled_out = 0;
  for (const std::string& user_key : user_keys) {
    for (const std::string& absent : {user_key + "!absent", "~" + user_key}) {
      if (user_keys.contains(absent)) continue;
      GetResult result;
      const Status status = reader.Get(absent, &result);
      EXPECT_TRUE(status.ok()) << status.ToString();
      EXPECT_EQ(result.state, stored.DeletedBelow(absent) == 0
                                  ? GetResult::State::kNotFound
                                  : GetResult::State::kDeleted)
          << absent;
      if (result.filter == GetResult::Filter::kAbsent) ++ruled_out;
    }
  }
  return ruled_out;
}

// Walks in both directions, with and without the entries that range deletions
// hide.
void CheckWalks(const TableReader& reader, const Stored& stored) {
  for (const bool ignore : {true, false}) {
    const ReadOptions options = {.ignore_range_deletions = ignore};
    const std::vector<Entry> expected =
        ignore ? stored.entries : stored.Visible();
    std::vector<Entry> forward;
    const Status there = ReadForward(reader, options, &forward);
    ASSERT_TRUE(there.ok()) << there.ToString();
    EXPECT_TRUE(forward == expected);
    std::vector<Entry> backward;
    const Status back = ReadBackward(reader, options, &backward);
    ASSERT_TRUE(back.ok()) << back.ToString();
    std::reverse(backward.begin(), backward.end());
    EXPECT_TRUE(backward == expected);
  }
}

// If a filter has no whole keys, only CappedPrefix has a prefix of every key.
bool HasUsableFilter(const ReferenceTable& table) {
  constexpr size_t kMetadata = 5;
  const auto property = [&table](const char* name) {
    const auto found = table.properties.find(name);
    return found == table.properties.end() ? std::string() : found->second;
  };
  if (property("rocksdb.block.based.table.whole.key.filtering") == "0" &&
      !property("rocksdb.prefix.extractor.name")
           .starts_with("rocksdb.CappedPrefix.")) {
    return false;
  }
  for (const auto& [name, place] : table.meta_blocks) {
    if (name.starts_with("partitionedfilter.")) return true;
  }
  const std::string& filter = table.filter;
  if (filter.size() <= kMetadata) return false;
  // The markers of Bloom, Ribbon and legacy Bloom filters.
  const auto marker = static_cast<uint8_t>(filter[filter.size() - kMetadata]);
  return marker == 0xFF || marker == 0xFE || (marker >= 1 && marker <= 0x7F);
}

// The dumps of the manifest have keys as they are stored.
std::vector<Entry> AsStored(const TableReader& reader,
                            std::vector<Entry> entries) {
  if (reader.properties().user_defined_timestamps_persisted != 0) {
    return entries;
  }
  const size_t size = reader.comparator()->timestamp_size();
  for (Entry& entry : entries) {
    std::string& key = entry.key;
    const size_t at = key.size() - kInternalKeyTailBytes - size;
    EXPECT_EQ(key.substr(at, size), std::string(size, '\0'));
    key.erase(at, size);
  }
  return entries;
}

// Returns the entries with their references to embedded blobs.
std::vector<Entry> WithReferences(const std::string& path) {
  auto file = OpenRandomAccessFile(path);
  Require(file.status());
  std::vector<Entry> entries;
  TableInspection inspection;
  Require(InspectTable(
      **file,
      {.on_entry =
           [&](const BlockInfo& block, const Slice& key, const Slice& value) {
             if (block.kind != BlockKind::kData) return;
             entries.push_back({key.ToString(), value.ToString()});
           }},
      &inspection));
  return entries;
}

void CheckReadable(const GoldenFile& file, const std::string& path) {
  auto opened = TableReader::Open(path);
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  const TableReader& reader = **opened;
  EXPECT_EQ(reader.format_version(), file.format_version);

  Stored stored{{}, RangeDeletionsOf(reader), reader.comparator()};
  const Status forward =
      ReadForward(reader, {.ignore_range_deletions = true}, &stored.entries);
  ASSERT_TRUE(forward.ok()) << forward.ToString();
  EXPECT_EQ(stored.entries.size() + stored.range_deletions.size(),
            file.entries);
  const std::string dump = CanonicalDump(AsStored(reader, stored.entries)) +
                           CanonicalDump(stored.range_deletions);
  // The manifest's dumps have references as they are stored.
  const bool has_blobs =
      file.options.find("embedded blobs") != std::string::npos;
  EXPECT_EQ(Sha256Hex(has_blobs ? CanonicalDump(WithReferences(path)) +
                                      CanonicalDump(stored.range_deletions)
                                : dump),
            file.sha256_dump);
  CheckWalks(reader, stored);

  const Status sums = reader.VerifyChecksum();
  EXPECT_TRUE(sums.ok()) << sums.ToString();

  const size_t ruled_out = CheckGets(reader, stored);
  GetResult result;
  ASSERT_TRUE(reader.Get("any", &result).ok());
  const ReferenceTable reference = ReadReferenceTable(ReadFile(path));
  EXPECT_EQ(CanonicalDump(reference), dump);
  // LevelDB's filter has a name of its own.
  const bool has_filter =
      HasUsableFilter(reference) || file.name.starts_with("ldb-bloom");
  EXPECT_EQ(result.filter != GetResult::Filter::kNone, has_filter);
  EXPECT_EQ(ruled_out > file.entries / 8, has_filter);
}

// Returns the tables in a folder, so that no table there is overlooked.
std::set<std::string> TablesIn(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string extension = file.path().extension();
    if (extension == ".sst" || extension == ".ldb") {
      names.insert(file.path().filename());
    }
  }
  return names;
}

TEST(Golden, FilesAreThoseOfTheManifest) {
  std::set<std::string> names;
  for (const GoldenFile& file : ReadManifest()) {
    // Files in a subfolder are also listed in a manifest of that subfolder, and
    // not among the tables of this folder.
    if (file.name.find('/') == std::string::npos) names.insert(file.name);
    EXPECT_EQ(Sha256Hex(ReadFile(GoldenPath(file.name))), file.sha256_file)
        << file.name;
  }
  EXPECT_EQ(names, TablesIn(GoldenPath("")));
}

TEST(Golden, EveryFileIsReadOrRefused) {
  size_t readable = 0;
  size_t refused = 0;
  for (const GoldenFile& file : ReadManifest()) {
    SCOPED_TRACE(file.name + " (" + file.options + ")");
    const std::string path = GoldenPath(file.name);
    if (const char* words = FindRefusal(RefusedAtOpen(), file.name)) {
      ++refused;
      const auto opened = TableReader::Open(path);
      EXPECT_FALSE(opened.ok());
      ExpectRefused(opened.status(), path, words);
      continue;
    }
    if (const char* words = FindRefusal(RefusedAtFirstRead(), file.name)) {
      ++refused;
      const auto opened = TableReader::Open(path);
      ASSERT_TRUE(opened.ok()) << opened.status().ToString();
      std::vector<Entry> entries;
      ExpectRefused(ReadForward(**opened, {}, &entries), path, words);
      entries.clear();
      ExpectRefused(ReadBackward(**opened, {}, &entries), path, words);
      continue;
    }
    ++readable;
    CheckReadable(file, path);
  }
  EXPECT_EQ(readable, kReadable);
  size_t listed = 0;
  for (const auto* list : {&RefusedAtOpen(), &RefusedAtFirstRead()}) {
    for (const Refusal& refusal : *list) listed += refusal.files.size();
  }
  EXPECT_EQ(refused, listed) << "a list names a file that is not there";
}

enum class Verdict : uint8_t {
  kRefused,  // not opened
  kDamaged,  // opened, but a walk in either direction ends in an error
  kGood,     // opened, and all its entries are there
};

struct BadFile {
  const char* name;
  Verdict verdict;
  Status::Code code;
  const char* words;
};

constexpr Status::Code kOk = Status::Code::kOk;
constexpr Status::Code kCorruption = Status::Code::kCorruption;
constexpr Status::Code kNotSupported = Status::Code::kNotSupported;

constexpr BadFile kBadFiles[] = {
    {"block-bit30.sst", Verdict::kDamaged, kCorruption,
     "reserved bit 30 of the block footer is 1"},
    {"block-uniform-bit.sst", Verdict::kGood, kOk, ""},
    {"cfid-5.sst", Verdict::kGood, kOk, ""},
    {"compression-badword-fv5.sst", Verdict::kRefused, kCorruption,
     "rocksdb.compression 'Foo': unknown codec name"},
    {"compression-nosep-fv7.sst", Verdict::kRefused, kCorruption,
     "rocksdb.compression 'ZSTD': missing separator"},
    {"compression-unknownmgr.sst", Verdict::kDamaged, kNotSupported,
     "compression manager 'Nobody' (type 0x07): no codec of that name was "
     "given"},
    {"compression-wrongtype.sst", Verdict::kDamaged, kCorruption,
     "bad compression type"},
    {"data-flip.sst", Verdict::kDamaged, kCorruption,
     "block checksum mismatch"},
    {"dup-userkey.sst", Verdict::kGood, kOk, ""},
    {"ext-version-3.sst", Verdict::kRefused, kCorruption,
     "external file version 3, expected 1 or 2"},
    {"foot-base0.sst", Verdict::kRefused, kCorruption,
     "bad base context checksum: expected a value other than 0, found 0"},
    {"foot-checksum-type-9.sst", Verdict::kRefused, kCorruption,
     "bad checksum type: expected 0 to 4, found 9"},
    {"foot-checksum-type-swapped.sst", Verdict::kRefused, kCorruption,
     "block checksum mismatch"},
    {"foot-extmagic.sst", Verdict::kRefused, kCorruption,
     "bad extended magic number: expected 0x7A003E, found 0x7A003F"},
    {"foot-flip.sst", Verdict::kRefused, kCorruption,
     "footer checksum mismatch"},
    {"foot-reserved16.sst", Verdict::kGood, kOk, ""},
    {"foot-reserved8.sst", Verdict::kRefused, kNotSupported,
     "the reserved bytes are not zero, so a later release wrote the file"},
    {"foot-version8.sst", Verdict::kRefused, kNotSupported,
     "format_version 8 is newer than this program reads (up to 7)"},
    {"fv1.sst", Verdict::kGood, kOk, ""},
    {"index-type-9.sst", Verdict::kRefused, kNotSupported, "index type 9"},
    {"largest-seqno-9.sst", Verdict::kGood, kOk, ""},
    {"lying-compression-zstd-fv5.sst", Verdict::kDamaged, kCorruption,
     "bad compression type"},
    {"lying-compression-zstd.sst", Verdict::kDamaged, kCorruption,
     "bad compression type"},
    {"meta-extra.sst", Verdict::kGood, kOk, ""},
    {"no-comparator.sst", Verdict::kGood, kOk, ""},
    {"no-compression-prop-zstd.sst", Verdict::kGood, kOk, ""},
    {"no-ext-both.sst", Verdict::kGood, kOk, ""},
    {"no-ext-version.sst", Verdict::kRefused, kCorruption,
     "property rocksdb.external_sst_file.global_seqno in a file that has no "
     "rocksdb.external_sst_file.version"},
    {"no-global-seqno.sst", Verdict::kGood, kOk, ""},
    {"no-index-type.sst", Verdict::kRefused, kCorruption,
     "expected rocksdb.block.based.table.index.type"},
    {"no-index.sst", Verdict::kRefused, kCorruption, "expected rocksdb.index"},
    {"no-props.sst", Verdict::kRefused, kCorruption,
     "expected rocksdb.properties"},
    {"num-entries-wrong.sst", Verdict::kGood, kOk, ""},
    {"num-entries-zero.sst", Verdict::kGood, kOk, ""},
    {"num-restarts-huge.sst", Verdict::kDamaged, kCorruption,
     "1048576 restart points do not fit"},
    {"ok.sst", Verdict::kGood, kOk, ""},
    {"other-comparator.sst", Verdict::kRefused, kCorruption,
     "entry 1 is not larger than the one before it"},
    {"props-unsorted.sst", Verdict::kRefused, kCorruption,
     "properties unsorted"},
    {"restart-out-of-block.sst", Verdict::kDamaged, kCorruption,
     "restart offsets do not ascend from 0 within the entries"},
    {"seq-nonzero.sst", Verdict::kGood, kOk, ""},
    {"shared-too-long.sst", Verdict::kDamaged, kCorruption,
     "header does not fit"},
    {"short.sst", Verdict::kRefused, kCorruption,
     "the file has 47 bytes; a table has at least 48"},
    {"tail-only.sst", Verdict::kRefused, kCorruption,
     "footer checksum mismatch"},
    {"truncated-front.sst", Verdict::kRefused, kCorruption,
     "footer checksum mismatch"},
    {"types-bad.sst", Verdict::kDamaged, kCorruption,
     "value type is not one that a data block can hold"},
    {"unsorted.sst", Verdict::kDamaged, kCorruption,
     "key is not larger than the one before it"},
};

void CheckBadFile(const BadFile& file) {
  constexpr size_t kEntries = 40;
  const std::string path = GoldenPath(std::string("bad/") + file.name);
  const auto expect_error = [&](const Status& status) {
    EXPECT_EQ(status.code(), file.code) << status.ToString();
    EXPECT_TRUE(status.message().starts_with(path)) << status.ToString();
    EXPECT_NE(status.message().find(file.words), std::string_view::npos)
        << "expected: " << file.words << "\nfound: " << status.ToString();
  };
  ReaderOptions options;
  options.load_index_and_filter = LoadTime::kAtOpen;
  const auto opened = TableReader::Open(path, options);
  EXPECT_EQ(opened.ok(), file.verdict != Verdict::kRefused)
      << opened.status().ToString();
  if (!opened.ok()) {
    expect_error(opened.status());
    // Loaded later, the same part is refused by the first read of it.
    options.load_index_and_filter = LoadTime::kAtFirstUse;
    const auto late = TableReader::Open(path, options);
    if (!late.ok()) return expect_error(late.status());
    GetResult result;
    Status status = (*late)->Get("key00000", &result);
    std::vector<Entry> entries;
    if (status.ok()) status = ReadForward(**late, {}, &entries);
    return expect_error(status);
  }
  std::vector<Entry> forward;
  const Status forward_status = ReadForward(**opened, {}, &forward);
  std::vector<Entry> backward;
  const Status backward_status = ReadBackward(**opened, {}, &backward);
  if (file.verdict == Verdict::kDamaged) {
    expect_error(forward_status);
    expect_error(backward_status);
    return;
  }
  EXPECT_TRUE(forward_status.ok()) << forward_status.ToString();
  EXPECT_TRUE(backward_status.ok()) << backward_status.ToString();
  EXPECT_EQ(forward.size(), kEntries);
  std::reverse(backward.begin(), backward.end());
  EXPECT_TRUE(backward == forward);
  EXPECT_TRUE((*opened)->VerifyChecksum().ok());
}

TEST(Golden, EveryBadFileGetsItsVerdict) {
  std::set<std::string> names;
  for (const BadFile& file : kBadFiles) {
    SCOPED_TRACE(file.name);
    names.insert(file.name);
    CheckBadFile(file);
  }
  std::istringstream lines(ReadFile(GoldenPath("bad/bad.tsv")));
  size_t listed = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    ++listed;
    EXPECT_TRUE(names.contains(Split(line, '\t')[0])) << line;
  }
  EXPECT_EQ(listed, names.size());
  EXPECT_EQ(names, TablesIn(GoldenPath("bad")));
}

}  // namespace
}  // namespace ashlar::testing
