// Dictionaries: how codecs use them, how they are made, and what happens to
// blocks that are read with the wrong one.
#include "util/compress/dictionary.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "util/compress/codec.h"

namespace ashlar::internal {
namespace {

std::vector<CompressionType> TypesThatCompress() {
  std::vector<CompressionType> types;
  for (const CompressionType type : SupportedCompressionTypes()) {
    if (type != CompressionType::kNoCompression) types.push_back(type);
  }
  return types;
}

bool UsesDictionary(CompressionType type) {
  return type != CompressionType::kSnappyCompression &&
         type != CompressionType::kBZip2Compression;
}

std::string RandomBytes(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::string bytes(n, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

// Returns a record that compresses badly alone, and well with another record as
// its dictionary.
std::string Record(uint32_t seed) {
  static const std::string form = RandomBytes(300, 1);
  std::string record = form.substr(seed % 50);
  record += RandomBytes(seed % 97, seed);
  record += form.substr(0, 100 + seed % 200);
  return record;
}

DictionarySamples RecordSamples(size_t count) {
  DictionarySamples samples;
  for (uint32_t i = 0; i < count; ++i) {
    const std::string record = Record(i);
    samples.bytes += record;
    samples.lengths.push_back(record.size());
  }
  return samples;
}

std::unique_ptr<Compressor> MakeCompressor(CompressionType type,
                                           const std::string& dictionary,
                                           int level) {
  auto made = NewCompressor(type, {.level = level}, dictionary);
  EXPECT_TRUE(made.ok()) << made.status().ToString();
  return std::move(made).value();
}

std::string Payload(Compressor* compressor, const std::string& raw) {
  std::string out(2 * raw.size() + 1000, '\0');
  out.resize(compressor->Compress(raw, out.data(), out.size()));
  EXPECT_FALSE(out.empty());
  return out;
}

std::bitset<256> AnyType() { return std::bitset<256>().set(); }

struct Decoded {
  Status status;
  std::string raw;
};

Decoded Decode(CompressionType type, const std::string& payload,
               const DecompressionDictionary* dictionary,
               Decompressor* decompressor) {
  Buffer out;
  Decoded decoded;
  decoded.status =
      decompressor->Decompress(type, 2, payload, {}, &out, dictionary);
  decoded.raw = out.slice().ToString();
  return decoded;
}

TEST(Dictionary, RoundTripsAndIsNeeded) {
  constexpr int kDefault = CompressionOptions::kDefaultLevel;
  Decompressor decompressor;
  for (const CompressionType type : TypesThatCompress()) {
    // Sizes within and beyond each codec's window.
    for (const size_t size : {1u, 7u, 300u, 20000u, 70000u, 200000u}) {
      std::string dictionary = RandomBytes(size, 3);
      for (uint32_t i = 0; dictionary.size() > 1000 && i < 3; ++i) {
        const std::string record = Record(i);
        dictionary.replace(dictionary.size() - record.size() - 400 * i,
                           record.size(), record);
      }
      const DecompressionDictionary decoding(dictionary, AnyType());
      const auto with = MakeCompressor(type, dictionary, kDefault);
      const auto without = MakeCompressor(type, "", kDefault);
      for (uint32_t i = 10; i < 20; ++i) {
        const std::string raw = Record(i);
        const std::string payload = Payload(with.get(), raw);
        const Decoded decoded = Decode(type, payload, &decoding, &decompressor);
        ASSERT_TRUE(decoded.status.ok()) << decoded.status.ToString();
        ASSERT_EQ(decoded.raw, raw);
        const std::string alone = Payload(without.get(), raw);
        if (!UsesDictionary(type)) {
          EXPECT_EQ(payload, alone);
          continue;
        }
        // A payload that was made without a dictionary can be read with one.
        EXPECT_EQ(Decode(type, alone, &decoding, &decompressor).raw, raw);
        if (size < 1000) continue;
        EXPECT_LT(payload.size() + 100, alone.size())
            << CompressionTypeName(type) << " dictionary of " << size;
        EXPECT_NE(Decode(type, payload, nullptr, &decompressor).raw, raw);
      }
    }
  }
}

TEST(Dictionary, PayloadDoesNotDependOnEarlierBlocks) {
  const std::string dictionary = RecordSamples(20).bytes;
  for (const CompressionType type : TypesThatCompress()) {
    for (const int level : {CompressionOptions::kDefaultLevel, 1}) {
      const CompressionLevelRange levels = CompressionLevels(type);
      if (level == 1 && (levels.max < 1 || levels.min == levels.max)) continue;
      const std::string raw = Record(70);
      const std::string fresh =
          Payload(MakeCompressor(type, dictionary, level).get(), raw);
      const auto used = MakeCompressor(type, dictionary, level);
      std::string small(10, '\0');
      for (uint32_t i = 0; i < 20; ++i) {
        Payload(used.get(), Record(i));
        used->Compress(Record(i), small.data(), small.size());
        EXPECT_EQ(Payload(used.get(), raw), fresh) << CompressionTypeName(type);
      }
    }
  }
}

TEST(Dictionary, ServesManyThreads) {
  const std::string bytes =
      MakeDictionary(CompressionType::kZSTD,
                     {.max_dict_bytes = 4000, .zstd_max_train_bytes = 100000},
                     RecordSamples(200));
  const DecompressionDictionary dictionary(bytes, AnyType());
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&dictionary, &bytes, t] {
      Decompressor decompressor;
      for (const CompressionType type : TypesThatCompress()) {
        const auto compressor =
            MakeCompressor(type, bytes, CompressionOptions::kDefaultLevel);
        for (uint32_t i = 0; i < 50; ++i) {
          const std::string raw = Record(t * 1000 + i);
          const std::string payload = Payload(compressor.get(), raw);
          EXPECT_EQ(Decode(type, payload, &dictionary, &decompressor).raw, raw);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Dictionary, RawSamplesAreUsedAsTheyAre) {
  for (const CompressionType type : SupportedCompressionTypes()) {
    EXPECT_EQ(SampleBytesFor(type, {}), 0u);
    EXPECT_EQ(SampleBytesFor(type, {.zstd_max_train_bytes = 500}), 0u);
    const CompressionOptions options{.max_dict_bytes = 100};
    EXPECT_EQ(SampleBytesFor(type, options), 100u);
    EXPECT_EQ(MakeDictionary(type, options, {"samples", {3, 4}}), "samples");
    EXPECT_EQ(MakeDictionary(type, options, {}), "");
    const CompressionOptions trained{.max_dict_bytes = 100,
                                     .zstd_max_train_bytes = 999};
    EXPECT_EQ(SampleBytesFor(type, trained),
              type == CompressionType::kZSTD ? 999u : 100u);
  }
}

TEST(Dictionary, ZstdLearnsFromSamplesOrGivesNone) {
  const CompressionType type = CompressionType::kZSTD;
  if (!IsCompressionSupported(type)) {
    GTEST_SKIP() << "zstd is left out of this build";
  }
  CompressionOptions options{.max_dict_bytes = 3000,
                             .zstd_max_train_bytes = 100000};
  std::vector<std::string> made;
  for (const bool trained : {true, false}) {
    options.use_zstd_dict_trainer = trained;
    const std::string dictionary =
        MakeDictionary(type, options, RecordSamples(200));
    EXPECT_EQ(dictionary.substr(0, 4), "\x37\xa4\x30\xec");
    EXPECT_LE(dictionary.size(), 3000u);
    made.push_back(dictionary);
    // There are no samples, or there is no room for a trained dictionary.
    EXPECT_EQ(MakeDictionary(type, options, {}), "");
    CompressionOptions no_room = options;
    no_room.max_dict_bytes = 100;
    EXPECT_EQ(MakeDictionary(type, no_room, RecordSamples(200)), "");
  }
  EXPECT_NE(made[0], made[1]);
  options.use_zstd_dict_trainer = true;
  EXPECT_EQ(MakeDictionary(type, options, {"tiny", {4}}), "");
}

// Whatever bytes the dictionary block has, the result is an error or bytes, not
// a crash.
TEST(Dictionary, SurvivesDamage) {
  const std::string good =
      MakeDictionary(CompressionType::kZSTD,
                     {.max_dict_bytes = 1000, .zstd_max_train_bytes = 60000},
                     RecordSamples(200));
  std::mt19937 random(5);
  Decompressor decompressor;
  for (const CompressionType type : TypesThatCompress()) {
    const std::string raw = Record(4);
    const std::string payload = Payload(
        MakeCompressor(type, good, CompressionOptions::kDefaultLevel).get(),
        raw);
    for (int i = 0; i < 2000; ++i) {
      std::string bad = good;
      bad[random() % bad.size()] = static_cast<char>(random());
      if (i % 3 == 0) bad.resize(1 + random() % bad.size());
      const DecompressionDictionary dictionary(bad, AnyType());
      const Decoded decoded = Decode(type, payload, &dictionary, &decompressor);
      if (decoded.status.ok()) {
        ASSERT_EQ(decoded.raw.size(), raw.size());
      } else {
        ASSERT_TRUE(decoded.status.IsCorruption());
      }
    }
    const DecompressionDictionary dictionary(good, AnyType());
    EXPECT_EQ(Decode(type, payload, &dictionary, &decompressor).raw, raw);
  }
  if (!IsCompressionSupported(CompressionType::kZSTD)) return;
  // Begins like a trained dictionary, but has no contents.
  const DecompressionDictionary hollow(Slice(good.data(), 8), AnyType());
  EXPECT_EQ(Decode(CompressionType::kZSTD, "\x01xxxxx", &hollow, &decompressor)
                .status.message(),
            "zstd dictionary of 8 bytes: cannot be loaded");
}

}  // namespace
}  // namespace ashlar::internal
