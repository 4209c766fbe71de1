// Tests TableOptions::verify_compression. A codec that spoils one block of a
// table fails the build, with a message that says where and how. This holds for
// any codec, dictionary, kind of block and number of threads. A codec that
// works causes no error.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/external_file_writer.h"
#include "ashlar/table/inspect.h"
#include "table/format/block_place.h"
#include "test/support/folder.h"
#include "test/support/random.h"
#include "test/support/spoiled_build.h"
#include "test/support/tables.h"
#include "util/compress/known_types.h"

namespace ashlar::testing {
namespace {

using internal::BlockPlace;
using internal::Compressor;

constexpr uint32_t kWorkers[] = {0, 1, 2, 4};

// The value of a marked entry contains this text, and so does its data block.
constexpr std::string_view kMark = "<spoil this one>";
// Every data block contains this text, and no other block does.
constexpr std::string_view kText = "the text of a value ";

bool Has(const Slice& raw, std::string_view part) {
  return std::string_view(raw.data(), raw.size()).find(part) !=
         std::string_view::npos;
}

// Returns more than half a MiB of entries, which make several runs of blocks.
std::vector<Entry> Entries(const std::vector<int>& marked, int count = 2500) {
  Random random(3);
  std::vector<Entry> entries;
  for (int i = 0; i < count; ++i) {
    std::string value(kText);
    value += std::to_string(i) + random.Bytes(60) + std::string(120, 'z');
    if (std::find(marked.begin(), marked.end(), i) != marked.end()) {
      value += kMark;
    }
    entries.push_back(Value("key" + std::to_string(1000000 + i), 7, value));
  }
  return entries;
}

struct Built {
  std::string bytes;
  Status status;
};

Built BuildWith(const TableOptions& options, const std::vector<Entry>& entries,
                uint32_t workers) {
  Built built;
  BuildOptions build = FixedBuild();
  build.workers = workers;
  const auto file = NewMemoryWritableFile("new.sst", &built.bytes);
  auto builder = TableBuilder::Create(options, build, file.get());
  Require(builder.status());
  for (const Entry& entry : entries) {
    built.status = (*builder)->Add(entry.key, entry.value);
    if (!built.status.ok()) return built;
  }
  built.status = (*builder)->Finish();
  return built;
}

// Returns the blocks of a sound file, in file order.
std::vector<BlockInfo> BlocksOf(const std::string& bytes) {
  TableInspection found;
  Require(InspectTable(*NewMemoryFile("new.sst", bytes), {}, &found));
  EXPECT_TRUE(found.faults.empty());
  return found.blocks;
}

// The place and the uncompressed size of the data block with an entry.
struct DataBlock {
  BlockPlace place;
  uint64_t raw_size = 0;
};
DataBlock FindDataBlock(const std::string& bytes, const Entry& entry) {
  DataBlock found;
  TableInspection table;
  InspectOptions options;
  options.on_entry = [&](const BlockInfo& block, const Slice& key,
                         const Slice&) {
    if (block.kind != BlockKind::kData || key != Slice(entry.key)) return;
    found = {{block.kind, {block.offset, block.size}, block.index},
             block.raw_size};
    EXPECT_NE(block.compression_type, 0);
  };
  Require(InspectTable(*NewMemoryFile("new.sst", bytes), options, &table));
  EXPECT_NE(found.raw_size, 0u);
  return found;
}

TableOptions Options(CompressionType type, uint32_t max_dict_bytes = 0) {
  TableOptions options;
  options.compression = type;
  options.compression_opts.max_dict_bytes = max_dict_bytes;
  // Otherwise blocks of random bytes would be stored uncompressed, and not be
  // spoiled.
  options.compression_opts.max_compressed_bytes_per_kb = 1023;
  options.verify_compression = true;
  return options;
}

std::vector<CompressionType> Codecs() {
  std::vector<CompressionType> types = SupportedCompressionTypes();
  std::erase(types, CompressionType::kNoCompression);
  return types;
}

// IsBad selects the blocks to spoil, and Change returns the changed block.
using IsBad = std::function<bool(const Slice& raw)>;
using Change = std::function<std::string(std::string raw)>;

bool IsMarked(const Slice& raw) { return Has(raw, kMark); }

// Spoils a block so that its payload decompresses to other contents.
Spoiler Exchange(const IsBad& is_bad, const Change& change) {
  return {.compress = [=](Compressor* codec, const Slice& raw, char* out,
                          size_t capacity) {
    if (!is_bad(raw)) return codec->Compress(raw, out, capacity);
    return codec->Compress(change(raw.ToString()), out, capacity);
  }};
}

// Spoils a block by clearing the last bytes of its payload.
Spoiler Clear(const IsBad& is_bad) {
  return {.compress = [=](Compressor* codec, const Slice& raw, char* out,
                          size_t capacity) {
    const size_t size = codec->Compress(raw, out, capacity);
    if (size != 0 && is_bad(raw)) {
      std::fill(out + size - std::min<size_t>(size, 20), out + size, 0);
    }
    return size;
  }};
}

// Returns the codec's name in messages.
std::string Word(CompressionType type) {
  return std::string(internal::FindKnownType(type)->word);
}

constexpr size_t kChangedByte = 777;

std::string WithOneOtherByte(std::string raw) {
  raw[kChangedByte] = static_cast<char>(~raw[kChangedByte]);
  return raw;
}

// Returns "byte 777 of 4003 is 0x9e, expected 0x61" up to the two values.
std::string ByteMessage(CompressionType type, uint64_t raw_size) {
  return Word(type) + " gives back other bytes: byte " +
         std::to_string(kChangedByte) + " of " + std::to_string(raw_size) +
         " is 0x";
}

struct Fault {
  Status status;  // the same for any number of threads
  std::string bytes;
};

// Makes a spoiled build with each number of threads, and expects the same error
// each time. `sound` is the file without the spoiler.
Fault BuildSpoiled(const TableOptions& options,
                   const std::vector<Entry>& entries, const Spoiler& spoiler,
                   const std::string& sound) {
  Fault fault;
  const Spoiling spoiling(spoiler);
  for (const uint32_t workers : kWorkers) {
    const Built built = BuildWith(options, entries, workers);
    EXPECT_TRUE(built.status.IsCorruption())
        << workers << " workers: " << built.status.ToString();
    EXPECT_EQ(built.status.subcode(), Status::SubCode::kCompressionNotVerified);
    // Everything that was written is before the bad block.
    EXPECT_TRUE(sound.starts_with(built.bytes)) << workers << " workers";
    if (workers == 0) fault.status = built.status;
    EXPECT_EQ(built.status.ToString(), fault.status.ToString())
        << workers << " workers";
    fault.bytes = std::max(fault.bytes, built.bytes);
  }
  return fault;
}

std::string Expected(const BlockPlace& place) {
  return "Corruption: new.sst: verify_compression failed in " +
         place.Describe() + ": ";
}

// The spoiled payload may have another size than the sound one. Returns the
// message up to the size.
std::string ExpectedBegin(const BlockPlace& place) {
  const std::string all = Expected(place);
  return all.substr(0, all.find(" size "));
}

TEST(VerifyCompression, OtherBytesAreFound) {
  const std::vector<Entry> entries = Entries({1500});
  for (const CompressionType type : Codecs()) {
    for (const uint32_t max_dict_bytes : {0, 3000}) {
      SCOPED_TRACE(Word(type) + ", dictionary of " +
                   std::to_string(max_dict_bytes) + " bytes");
      const TableOptions options = Options(type, max_dict_bytes);
      const std::string sound = BuildWith(options, entries, 0).bytes;
      const DataBlock block = FindDataBlock(sound, entries[1500]);
      const Fault fault = BuildSpoiled(
          options, entries, Exchange(IsMarked, WithOneOtherByte), sound);
      const std::string text = fault.status.ToString();
      EXPECT_TRUE(text.starts_with(ExpectedBegin(block.place))) << text;
      EXPECT_NE(text.find(ByteMessage(type, block.raw_size)), std::string::npos)
          << text;
      EXPECT_LE(fault.bytes.size(), block.place.handle.offset);
    }
  }
}

TEST(VerifyCompression, BrokenPayloadsAreFound) {
  const std::vector<Entry> entries = Entries({1500});
  for (const CompressionType type : Codecs()) {
    for (const uint32_t max_dict_bytes : {0, 3000}) {
      const TableOptions options = Options(type, max_dict_bytes);
      const std::string sound = BuildWith(options, entries, 0).bytes;
      const DataBlock block = FindDataBlock(sound, entries[1500]);
      const Fault fault =
          BuildSpoiled(options, entries, Clear(IsMarked), sound);
      // Only the last bytes changed, so the size is the same.
      const std::string text = fault.status.ToString();
      EXPECT_TRUE(text.starts_with(Expected(block.place))) << text;
      EXPECT_NE(text.find(": " + Word(type) + " "), std::string::npos) << text;
    }
  }
}

// Tests a dictionary that zstd trains, and one that it finalises.
TEST(VerifyCompression, DigestedDictionaries) {
  const std::vector<Entry> entries = Entries({1500});
  for (const bool trained : {false, true}) {
    TableOptions options = Options(CompressionType::kZSTD, 3000);
    if (!IsCompressionSupported(options.compression)) return;
    options.compression_opts.zstd_max_train_bytes = 100000;
    options.compression_opts.use_zstd_dict_trainer = trained;
    const std::string sound = BuildWith(options, entries, 0).bytes;
    const DataBlock block = FindDataBlock(sound, entries[1500]);
    const Fault fault = BuildSpoiled(
        options, entries, Exchange(IsMarked, WithOneOtherByte), sound);
    const std::string text = fault.status.ToString();
    EXPECT_NE(text.find(ByteMessage(options.compression, block.raw_size)),
              std::string::npos)
        << text;
  }
}

// If a payload declares more bytes than the original has, no buffer is
// allocated for them.
TEST(VerifyCompression, OtherSizesAreFound) {
  const std::vector<Entry> entries = Entries({1500});
  for (const CompressionType type : Codecs()) {
    const TableOptions options = Options(type);
    const std::string sound = BuildWith(options, entries, 0).bytes;
    const uint64_t size = FindDataBlock(sound, entries[1500]).raw_size;
    const auto message = [&](const Change& change) {
      return BuildSpoiled(options, entries, Exchange(IsMarked, change), sound)
          .status.ToString();
    };
    const std::string shorter = message([](std::string raw) {
      raw.pop_back();
      return raw;
    });
    EXPECT_TRUE(shorter.ends_with(" gives back " + std::to_string(size - 1) +
                                  " bytes, expected " + std::to_string(size)))
        << shorter;
    const std::string longer = message(
        [](const std::string& raw) { return raw + std::string(9, 'z'); });
    EXPECT_TRUE(longer.ends_with("declares " + std::to_string(size + 9) +
                                 " uncompressed bytes, above the limit of " +
                                 std::to_string(size)))
        << longer;
  }
}

// The error names the first bad block in the file, whichever thread finds which
// block first.
TEST(VerifyCompression, TheFirstOfManyIsReported) {
  const std::vector<Entry> entries =
      Entries({1500, 1600, 3000, 3500, 4999}, 5000);
  const TableOptions options = Options(DefaultCompressionType());
  const std::string sound = BuildWith(options, entries, 0).bytes;
  const DataBlock first = FindDataBlock(sound, entries[1500]);
  for (int i = 0; i < 5; ++i) {
    const Fault fault = BuildSpoiled(
        options, entries, Exchange(IsMarked, WithOneOtherByte), sound);
    const std::string text = fault.status.ToString();
    EXPECT_TRUE(text.starts_with(ExpectedBegin(first.place))) << text;
  }
}

// A bad block that is moved so that it crosses no boundary.
TEST(VerifyCompression, AlignedBlocks) {
  const std::vector<Entry> entries = Entries({1500});
  TableOptions options = Options(DefaultCompressionType());
  options.super_block_alignment_size = 8192;
  options.super_block_alignment_space_overhead_ratio = 2;
  // Marks one block after another until one is moved.
  bool moved = false;
  for (int marked = 1500; marked < 1700 && !moved; marked += 15) {
    const std::vector<Entry> some = Entries({marked});
    const std::string sound = BuildWith(options, some, 0).bytes;
    const DataBlock block = FindDataBlock(sound, some[size_t(marked)]);
    moved = block.place.handle.offset % 8192 == 0;
    const Fault fault = BuildSpoiled(options, some, Clear(IsMarked), sound);
    const std::string text = fault.status.ToString();
    EXPECT_TRUE(text.starts_with(Expected(block.place))) << text;
  }
  EXPECT_TRUE(moved);
}

// Spoils every compressed block of an index, one after the other.
void SpoilEachIndexBlock(const TableOptions& options) {
  const std::vector<Entry> entries = Entries({}, 1000);
  const std::string sound = BuildWith(options, entries, 0).bytes;
  std::vector<BlockPlace> places;
  for (const BlockInfo& block : BlocksOf(sound)) {
    if (block.kind == BlockKind::kData || block.compression_type == 0) continue;
    places.push_back({block.kind, {block.offset, block.size}, block.index});
  }
  ASSERT_FALSE(places.empty());
  std::atomic<size_t> number = 0;
  for (size_t bad = 0; bad < places.size(); ++bad) {
    const Spoiling spoiling(Clear(
        [&](const Slice& raw) { return !Has(raw, kText) && number++ == bad; }));
    for (const uint32_t workers : {0, 2}) {
      number = 0;
      const Built built = BuildWith(options, entries, workers);
      const std::string text = built.status.ToString();
      EXPECT_TRUE(text.starts_with(Expected(places[bad]))) << text;
      EXPECT_TRUE(sound.starts_with(built.bytes));
    }
  }
}

TEST(VerifyCompression, IndexBlocks) {
  TableOptions options = Options(DefaultCompressionType());
  SpoilEachIndexBlock(options);
  options.index_type = IndexType::kBinarySearchWithFirstKey;
  SpoilEachIndexBlock(options);
  options.index_type = IndexType::kTwoLevelIndexSearch;
  options.metadata_block_size = 300;
  SpoilEachIndexBlock(options);
  options.partition_filters = true;
  options.decouple_partitioned_filters = false;
  SpoilEachIndexBlock(options);
  options = Options(DefaultCompressionType(), 2000);
  options.index_type = IndexType::kHashSearch;
  options.prefix_extractor = NewFixedPrefixExtractor(9);
  SpoilEachIndexBlock(options);
}

TEST(VerifyCompression, NothingIsSeenWithoutIt) {
  const std::vector<Entry> entries = Entries({1500});
  TableOptions options = Options(DefaultCompressionType());
  options.verify_compression = false;
  const Spoiling spoiling(Exchange(IsMarked, WithOneOtherByte));
  for (const uint32_t workers : kWorkers) {
    Require(BuildWith(options, entries, workers).status);
  }
}

TEST(VerifyCompression, SoundTablesAreTheSame) {
  const std::vector<Entry> entries = Entries({});
  std::vector<CompressionType> types = Codecs();
  types.push_back(CompressionType::kNoCompression);
  for (const CompressionType type : types) {
    for (const uint32_t max_dict_bytes : {0, 3000}) {
      TableOptions options = Options(type, max_dict_bytes);
      options.compression_opts.max_compressed_bytes_per_kb = 896;
      options.index_type = IndexType::kTwoLevelIndexSearch;
      options.verify_compression = false;
      const std::string expected = BuildWith(options, entries, 0).bytes;
      options.verify_compression = true;
      for (const uint32_t workers : kWorkers) {
        const Built built = BuildWith(options, entries, workers);
        Require(built.status);
        EXPECT_TRUE(built.bytes == expected) << workers << " workers";
      }
    }
  }
}

TEST(VerifyCompression, NoFileIsLeft) {
  const std::vector<Entry> entries = Entries({1500});
  const TableOptions options = Options(DefaultCompressionType());
  const Spoiling spoiling(Exchange(IsMarked, WithOneOtherByte));
  for (const uint32_t workers : kWorkers) {
    const TestFolder folder;
    BuildOptions build = FixedBuild();
    build.workers = workers;
    {
      auto writer =
          ExternalFileWriter::Open(folder / "new.sst", options, build);
      Require(writer.status());
      Status status;
      for (const Entry& entry : entries) {
        status = (*writer)->Put(UserKeyOf(entry.key), entry.value);
        if (!status.ok()) break;
      }
      if (status.ok()) status = (*writer)->Finish();
      EXPECT_TRUE(status.IsCorruption()) << status.ToString();
      EXPECT_NE(status.ToString().find(folder / "new.sst"), std::string::npos)
          << status.ToString();
      // A failed build cannot be finished.
      EXPECT_TRUE((*writer)->Finish().IsCorruption());
    }
    EXPECT_EQ(folder.Names(), std::vector<std::string>());
  }
}

}  // namespace
}  // namespace ashlar::testing
