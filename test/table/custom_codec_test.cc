// Tests of tables that a codec of the application compresses.

#include "ashlar/util/custom_codec.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/inspect.h"
#include "test/support/folder.h"
#include "test/support/random.h"
#include "test/support/sha256.h"
#include "test/support/tables.h"
#include "test/support/test_codec.h"

namespace ashlar::testing {
namespace {

using Code = Status::Code;
using SubCode = Status::SubCode;

constexpr CompressionType kType = CustomCompressionType(0x8A);

std::shared_ptr<const TestCodec> NewCodec(CodecFaults faults = {},
                                          std::string name = "TestCodec") {
  return std::make_shared<const TestCodec>(std::move(name), 0x8A,
                                           std::move(faults));
}

TableOptions OptionsFor(std::shared_ptr<const CustomCodec> codec) {
  TableOptions options;
  options.format_version = 7;
  options.compression = kType;
  options.codec = std::move(codec);
  options.block_size = 700;
  return options;
}

// Values that LZ4 shrinks, and now and then one that it does not.
std::vector<Entry> Rows(int count) {
  Random random(7);
  std::vector<Entry> entries;
  for (int i = 0; i < count; ++i) {
    char key[16];
    std::snprintf(key, sizeof key, "key%06d", i);
    std::string value = "a value that repeats itself, row " + std::to_string(i);
    if (i % 40 == 0) {
      for (int k = 0; k < 900; ++k) {
        value.push_back(static_cast<char>(random.Next()));
      }
    }
    entries.push_back(Value(key, 7, value));
  }
  return entries;
}

ReaderOptions ReaderWith(std::shared_ptr<const CustomCodec> codec) {
  ReaderOptions options;
  if (codec != nullptr) options.codecs = {std::move(codec)};
  return options;
}

void ExpectReads(const std::string& bytes, const ReaderOptions& options,
                 const std::vector<Entry>& entries) {
  const auto reader = OpenTable(bytes, options);
  std::vector<Entry> found;
  ASSERT_TRUE(ReadForward(*reader, {}, &found).ok());
  EXPECT_EQ(found, entries);
  ASSERT_TRUE(ReadBackward(*reader, {}, &found).ok());
  std::vector<std::string> keys;
  keys.reserve(entries.size());
  for (const Entry& e : entries) keys.push_back(UserKeyOf(e.key).ToString());
  std::vector<GetResult> results(keys.size());
  std::vector<Status> statuses(keys.size());
  const std::vector<Slice> slices(keys.begin(), keys.end());
  reader->MultiGet({}, slices, kMaxSequenceNumber, results, statuses);
  for (size_t i = 0; i < keys.size(); ++i) {
    ASSERT_TRUE(statuses[i].ok()) << statuses[i].ToString();
    ASSERT_EQ(results[i].value.ToString(), entries[i].value);
  }
}

TEST(CustomCodec, WritesAndReads) {
  const std::vector<Entry> entries = Rows(600);
  for (const uint32_t dictionary_bytes : {0u, 4096u}) {
    for (const IndexType index :
         {IndexType::kBinarySearch, IndexType::kTwoLevelIndexSearch}) {
      const auto codec = NewCodec();
      TableOptions options = OptionsFor(codec);
      options.compression_opts.max_dict_bytes = dictionary_bytes;
      options.index_type = index;
      options.verify_compression = true;
      BuildOptions alone = FixedBuild();
      const std::string bytes = BuildTable(options, entries, alone);
      BuildOptions together = FixedBuild();
      together.parallel_threads = 4;
      EXPECT_EQ(BuildTable(options, entries, together), bytes);
      EXPECT_GT(codec->counts->compressors, 0);

      ExpectReads(bytes, ReaderWith(codec), entries);
      ReaderOptions cached = ReaderWith(codec);
      cached.block_cache = NewLruCache({}).value();
      cached.cache_index_and_filter_blocks = true;
      ExpectReads(bytes, cached, entries);
      EXPECT_EQ(codec->counts->alive, 0) << "a reader left something behind";

      InspectOptions inspect;
      inspect.codecs = {codec};
      TableInspection inspection;
      const auto file = NewMemoryFile("test.sst", bytes);
      ASSERT_TRUE(InspectTable(*file, inspect, &inspection).ok());
      for (const TableFault& f : inspection.faults) {
        ADD_FAILURE() << f.status.ToString();
      }
      EXPECT_EQ(inspection.properties->compression_name, "TestCodec;8A;");
      EXPECT_NE(inspection.properties->compression_options.find(
                    "_type=138; _compression_manager=TestCodec; "),
                std::string::npos);
      bool has_raw = false;
      bool has_custom = false;
      for (const BlockInfo& block : inspection.blocks) {
        if (block.kind != BlockKind::kData) continue;
        has_raw = has_raw || block.compression_type == 0;
        has_custom = has_custom || block.compression_type == 0x8A;
      }
      EXPECT_TRUE(has_raw && has_custom);
    }
  }
}

TEST(CustomCodec, ReadsATableOfRocksDB) {
  const auto codec = NewCodec({}, "GoldenCustom");
  const auto reader = OpenTable(ReadFile(GoldenPath("r119-custom-codec.sst")),
                                ReaderWith(codec));
  std::vector<Entry> found;
  ASSERT_TRUE(ReadForward(*reader, {}, &found).ok());
  EXPECT_EQ(found.size(), 120u);
  std::istringstream manifest(ReadFile(GoldenPath("golden.tsv")));
  std::string line;
  while (std::getline(manifest, line) &&
         !line.starts_with("r119-custom-codec.sst")) {
  }
  EXPECT_NE(line.find(Sha256Hex(CanonicalDump(found))), std::string::npos);
}

void ExpectUnknown(const Status& status, std::string_view name) {
  EXPECT_EQ(status.code(), Code::kNotSupported) << status.ToString();
  EXPECT_EQ(status.subcode(), SubCode::kCustomCompression);
  EXPECT_NE(status.message().find("compression manager '" + std::string(name) +
                                  "' (type 0x8A)"),
            std::string_view::npos)
      << status.ToString();
  EXPECT_TRUE(status.message().starts_with("test.sst: ")) << status.ToString();
}

TEST(CustomCodec, WithoutItTheFileOpensAndReadsSayWhatIsMissing) {
  const std::string bytes = BuildTable(OptionsFor(NewCodec()), Rows(300));
  for (const bool given : {false, true}) {
    // A codec of another name is of no use, even if it has the same byte.
    ReaderOptions options = ReaderWith(given ? NewCodec({}, "Other") : nullptr);
    const auto reader = OpenTable(bytes, options);
    EXPECT_EQ(reader->properties().num_entries, 300u);
    GetResult result;
    ExpectUnknown(reader->Get("key000001", &result), "TestCodec");
    std::vector<Entry> found;
    ExpectUnknown(ReadForward(*reader, {}, &found), "TestCodec");
    std::vector<GetResult> results(1);
    std::vector<Status> statuses(1);
    const std::vector<Slice> keys = {"key000001"};
    reader->MultiGet({}, keys, kMaxSequenceNumber, results, statuses);
    ExpectUnknown(statuses[0], "TestCodec");
    options.load_index_and_filter = LoadTime::kAtOpen;
    ExpectUnknown(OpenBytes(bytes, options).status(), "TestCodec");
  }
  TableInspection inspection;
  ASSERT_TRUE(
      InspectTable(*NewMemoryFile("test.sst", bytes), {}, &inspection).ok());
  ASSERT_FALSE(inspection.faults.empty());
  EXPECT_EQ(inspection.faults[0].status.subcode(), SubCode::kCustomCompression);
  EXPECT_EQ(inspection.properties->num_entries, 300u);
  InspectOptions checksums;
  checksums.data_blocks = InspectOptions::DataBlocks::kSkip;
  ASSERT_TRUE(
      InspectTable(*NewMemoryFile("test.sst", bytes), checksums, &inspection)
          .ok());
  // The property says so once, and the block that has it is sound.
  ASSERT_EQ(inspection.faults.size(), 1u);
  EXPECT_EQ(inspection.faults[0].kind, BlockKind::kProperties);
  EXPECT_EQ(inspection.blocks_bad, 0u);
}

// Builds with these faults, and returns the error.
Status BuildWith(CodecFaults faults, uint32_t threads) {
  std::string bytes;
  const auto file = NewMemoryWritableFile("test.sst", &bytes);
  BuildOptions build = FixedBuild();
  build.parallel_threads = threads;
  auto builder = TableBuilder::Create(OptionsFor(NewCodec(std::move(faults))),
                                      build, file.get());
  if (!builder.ok()) return builder.status();
  for (const Entry& e : Rows(300)) {
    Status status = (*builder)->Add(e.key, e.value);
    if (!status.ok()) return status;
  }
  return (*builder)->Finish();
}

struct FaultCase {
  CodecFaults faults;
  Code code;
  const char* words;
};

void ExpectFault(const Status& status, const FaultCase& expected) {
  EXPECT_EQ(status.code(), expected.code) << status.ToString();
  EXPECT_NE(status.message().find(expected.words), std::string_view::npos)
      << status.ToString();
  if (status.IsCorruption()) {
    EXPECT_EQ(status.subcode(), SubCode::kCodecFailed) << status.ToString();
  }
  if (!status.IsMemoryLimit()) {
    EXPECT_NE(status.message().find("codec 'TestCodec'"),
              std::string_view::npos)
        << status.ToString();
  }
}

TEST(CustomCodec, WhatItDoesWrongFailsTheBuild) {
  const std::vector<FaultCase> cases = {
      {{.compress = [](const Slice&, char*, size_t,
                       size_t*) { return Status::NotFound("broken"); }},
       Code::kAborted,
       "cannot compress in data block #0"},
      {{.compress =
            [](const Slice&, char*, size_t capacity, size_t* size) {
              *size = capacity + 1;
              return Status();
            }},
       Code::kCorruption,
       "expected at most"},
      {{.compress =
            [](const Slice&, char* out, size_t capacity, size_t* size) {
              std::memset(out, 0, capacity + 1);
              *size = capacity;
              return Status();
            }},
       Code::kCorruption,
       "wrote beyond its room"},
      {{.compress = [](const Slice&, char*, size_t,
                       size_t*) { return Status::MemoryLimit("none"); }},
       Code::kMemoryLimit,
       "none"},
      {{.compress = [](const Slice&, char*, size_t, size_t*) -> Status {
         throw std::bad_alloc();
       }},
       Code::kMemoryLimit,
       ""},
      {{.null_compressor = true}, Code::kCorruption, "made no compressor"},
  };
  for (const FaultCase& c : cases) {
    for (const uint32_t threads : {1u, 3u}) {
      ExpectFault(BuildWith(c.faults, threads), c);
    }
  }
}

TEST(CustomCodec, WhatItDoesWrongFailsTheRead) {
  const std::string bytes = BuildTable(OptionsFor(NewCodec()), Rows(300));
  const auto returns = [](Status (*make)()) {
    return CodecFaults{
        .decompress = [make](char*, size_t, size_t*) { return make(); }};
  };
  const std::vector<FaultCase> cases = {
      {returns([] { return Status::NotFound("x"); }), Code::kCorruption, "x"},
      {returns([] { return Status::MergeInProgress("x"); }), Code::kCorruption,
       "x"},
      {returns([] { return Status::Aborted("x"); }), Code::kAborted, "x"},
      {returns([] { return Status::IOError("x"); }), Code::kIOError, "x"},
      {returns([] { return Status::NotSupported("x"); }), Code::kNotSupported,
       "x"},
      {returns([] { return Status::MemoryLimit("x"); }), Code::kMemoryLimit,
       ""},
      {{.decompress =
            [](char*, size_t size, size_t* made) {
              *made = size - 1;
              return Status();
            }},
       Code::kCorruption,
       "uncompressed bytes, expected"},
      {{.decompress =
            [](char* out, size_t size, size_t* made) {
              std::memset(out, 0, size + 2);
              *made = size;
              return Status();
            }},
       Code::kCorruption,
       "wrote beyond its room"},
      {{.decompress = [](char*, size_t, size_t*) -> Status {
         throw std::bad_alloc();
       }},
       Code::kMemoryLimit,
       ""},
      {{.read_size = [](const Slice&, uint64_t*,
                        Slice*) { return Status::Corruption("no size"); }},
       Code::kCorruption,
       "no size"},
      {{.null_decompressor = true}, Code::kCorruption, "made no decompressor"},
  };
  for (const FaultCase& c : cases) {
    const auto reader = OpenTable(bytes, ReaderWith(NewCodec(c.faults)));
    GetResult result;
    const Status status = reader->Get("key000001", &result);
    ExpectFault(status, c);
    EXPECT_NE(result.state, GetResult::State::kFound);
  }
}

TEST(CustomCodec, KeepsTheReadersLimit) {
  const std::string bytes = BuildTable(OptionsFor(NewCodec()), Rows(300));
  ReaderOptions options = ReaderWith(
      NewCodec({.read_size = [](const Slice&, uint64_t* size, Slice*) {
        *size = uint64_t{1} << 50;
        return Status();
      }}));
  options.max_uncompressed_block_bytes = 1 << 20;
  GetResult result;
  const Status status = OpenTable(bytes, options)->Get("key000001", &result);
  EXPECT_EQ(status.subcode(), SubCode::kAboveSizeLimit) << status.ToString();
}

TEST(CustomCodec, WrongBytesAreFoundWhenTheTableIsBuilt) {
  TableOptions options = OptionsFor(
      NewCodec({.decompress = [](char* out, size_t size, size_t* made) {
        std::memset(out, 'x', size);
        *made = size;
        return Status();
      }}));
  options.verify_compression = true;
  std::string bytes;
  const auto file = NewMemoryWritableFile("test.sst", &bytes);
  auto builder = TableBuilder::Create(options, FixedBuild(), file.get());
  ASSERT_TRUE(builder.ok());
  for (const Entry& e : Rows(50)) {
    (*builder)->Add(e.key, e.value).IgnoreError();
  }
  const Status status = (*builder)->Finish();
  EXPECT_EQ(status.subcode(), SubCode::kCompressionNotVerified)
      << status.ToString();
}

TEST(CustomCodec, DecompressorsAreForOneThreadAtATime) {
  const std::vector<Entry> entries = Rows(400);
  const auto codec = NewCodec();
  const std::string bytes = BuildTable(OptionsFor(codec), entries);
  {
    const auto reader = OpenTable(bytes, ReaderWith(codec));
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        std::vector<Entry> found;
        EXPECT_TRUE(ReadForward(*reader, {}, &found).ok());
        EXPECT_EQ(found, entries);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_LE(codec->counts->decompressors, 4);
    EXPECT_GE(codec->counts->decompressors, 1);
  }
  EXPECT_EQ(codec->counts->alive, 0);
}

TEST(CustomCodec, OptionsThatDoNotFit) {
  const auto expect = [](const TableOptions& options, const char* words) {
    const Status status = options.Validate();
    EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
    EXPECT_NE(status.message().find(words), std::string_view::npos)
        << status.ToString();
  };
  TableOptions options = OptionsFor(NewCodec());
  options.format_version = 6;
  expect(options, "format_version is 6, expected 7");
  options = OptionsFor(NewCodec());
  options.compression = CompressionType::kZSTD;
  expect(options, "compression is 7, expected a custom type");
  options.compression = CustomCompressionType(0x8B);
  expect(options, "compression is 139");
  expect(OptionsFor(NewCodec({}, "BuiltinV2")), "other than BuiltinV2");
  expect(OptionsFor(NewCodec({}, "")), "expected a name");
  expect(OptionsFor(NewCodec({}, "a;b")), "expected a name");
  options = OptionsFor(nullptr);
  EXPECT_TRUE(options.Validate().IsNotSupported());

  const std::string bytes = BuildTable({}, Rows(5));
  ReaderOptions reading;
  reading.codecs = {NewCodec(), NewCodec()};
  EXPECT_NE(
      OpenBytes(bytes, reading).status().message().find("two of the name"),
      std::string_view::npos);
  reading.codecs = {nullptr};
  EXPECT_TRUE(OpenBytes(bytes, reading).status().IsInvalidArgument());
  InspectOptions inspect;
  inspect.codecs = {nullptr};
  TableInspection inspection;
  EXPECT_TRUE(InspectTable(*NewMemoryFile("a", bytes), inspect, &inspection)
                  .IsInvalidArgument());
}

// A codec that reads blocks, and has no dictionaries.
class WithoutDictionaries final : public CustomCodec {
 public:
  std::string_view CompatibilityName() const override {
    return codec_.CompatibilityName();
  }
  bool Supports(CompressionType type) const override {
    return codec_.Supports(type);
  }
  Result<std::unique_ptr<CustomCompressor>> NewCompressor(
      CompressionType type, const CompressionOptions& options,
      const CustomDictionary* dictionary) const override {
    return codec_.NewCompressor(type, options, dictionary);
  }
  Result<std::unique_ptr<CustomDecompressor>> NewDecompressor() const override {
    return codec_.NewDecompressor();
  }

 private:
  const TestCodec codec_;
};

TEST(CustomCodec, ADictionaryThatItCannotUseFailsTheRead) {
  TableOptions options = OptionsFor(NewCodec());
  options.compression_opts.max_dict_bytes = 4096;
  const std::string table = BuildTable(options, Rows(600));
  const auto reader =
      OpenBytes(table, ReaderWith(std::make_shared<WithoutDictionaries>()));
  Status read = reader.status();
  std::vector<Entry> entries;
  if (read.ok()) read = ReadForward(**reader, {}, &entries);
  EXPECT_TRUE(entries.empty());
  EXPECT_TRUE(read.IsNotSupported());
  EXPECT_TRUE(read.message().starts_with(
      "test.sst: bad dictionary in dictionary block offset "))
      << read.ToString();
  EXPECT_TRUE(read.message().ends_with(
      ": codec 'TestCodec': cannot use a dictionary: it has no dictionaries"))
      << read.ToString();
}

// What a decompressor has by default.
TEST(CustomCodec, SizesBeforeTheBodyAreVarints) {
  class DecompressesNothing final : public CustomDecompressor {
    Status Decompress(CompressionType /*type*/, const Slice& /*body*/,
                      const CustomDictionary* /*dictionary*/, char* /*out*/,
                      size_t /*size*/, size_t* /*made*/) override {
      return {};
    }
  };
  const DecompressesNothing decompressor;
  uint64_t size = 0;
  Slice body;
  Require(decompressor.ReadSize(kType,
                                "\x85\x01"
                                "abc",
                                &size, &body));
  EXPECT_EQ(size, 133u);
  EXPECT_EQ(body, Slice("abc"));
  for (const std::string& payload : {std::string(), std::string(3, '\xff')}) {
    const Status bad = decompressor.ReadSize(kType, payload, &size, &body);
    EXPECT_TRUE(bad.IsCorruption());
    EXPECT_EQ(bad.message(),
              "block of " + std::to_string(payload.size()) +
                  " bytes: expected its uncompressed size first");
  }
}

}  // namespace
}  // namespace ashlar::testing
