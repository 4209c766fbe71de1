// Runs the reference reader over the golden corpus: an independent decoder,
// written from FORMAT.md alone, reads files that other programs wrote.
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "test/support/folder.h"
#include "test/support/reference_reader.h"
#include "test/support/resign.h"
#include "test/support/sha256.h"

namespace ashlar::testing {
namespace {

// The files that the reader does not support, and its messages.
const std::map<std::string, std::string>& Refused() {
  static const std::map<std::string, std::string> refused = {
      {"r119-custom-codec.sst",
       "not supported: compression manager GoldenCustom"},
  };
  return refused;
}

// Returns the SHA-256 of the dump, or the error message.
std::string SumOrRefusal(const std::string& name) {
  try {
    return Sha256Hex(CanonicalDump(ReadReferenceTable(
        ReadFile(GoldenPath(name)), /*follow_blobs=*/false)));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(ReferenceGolden, DumpsAreThoseOfTheManifest) {
  std::istringstream lines(ReadFile(GoldenPath("golden.tsv")));
  size_t files = 0;
  size_t refused = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream columns(line);
    std::string name;
    std::string sum;
    std::getline(columns, name, '\t');
    for (int i = 0; i < 5; ++i) std::getline(columns, sum, '\t');
    const auto refusal = Refused().find(name);
    refused += refusal != Refused().end() ? 1 : 0;
    EXPECT_EQ(SumOrRefusal(name),
              refusal != Refused().end() ? refusal->second : sum)
        << name;
    ++files;
  }
  EXPECT_EQ(refused, Refused().size());
  EXPECT_GT(files, 200u);
}

// `sound` lists files of test/golden/bad that are sound by FORMAT.md, even if
// an importer refuses them. The reader must find every other file of `bad`
// faulty.
TEST(ReferenceGolden, BadFilesAreRefused) {
  const std::set<std::string> sound = {"block-uniform-bit.sst",
                                       "cfid-5.sst",
                                       "dup-userkey.sst",
                                       "foot-reserved16.sst",
                                       "fv1.sst",
                                       "largest-seqno-9.sst",
                                       "meta-extra.sst",
                                       "no-comparator.sst",
                                       "no-compression-prop-zstd.sst",
                                       "no-ext-both.sst",
                                       "no-global-seqno.sst",
                                       "ok.sst",
                                       "seq-nonzero.sst"};
  std::istringstream lines(ReadFile(GoldenPath("bad/bad.tsv")));
  std::set<std::string> read;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::string name = line.substr(0, line.find('\t'));
    try {
      const ReferenceTable table =
          ReadReferenceTable(ReadFile(GoldenPath("bad/" + name)));
      EXPECT_EQ(table.entries.size(), 40u) << name;
      read.insert(name);
    } catch (const std::runtime_error& error) {
      EXPECT_STRNE(error.what(), "") << name;
    }
  }
  EXPECT_EQ(read, sound);
}

std::string ErrorOf(const std::string& table) {
  try {
    ReadReferenceTable(table);
    return "none";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

// Blobs between the data blocks have trailers like those of data blocks.
TEST(ReferenceGolden, EmbeddedBlobsAreChecked) {
  const std::string whole = ReadFile(GoldenPath("r119-embedded.sst"));
  const ReferenceTable read = ReadReferenceTable(whole);
  std::set<std::pair<uint64_t, uint64_t>> blobs;
  for (const BlockInfo& block : BlocksOf(whole)) {
    if (block.kind == BlockKind::kBlob) {
      blobs.emplace(block.offset, block.size);
    }
  }
  EXPECT_GT(blobs.size(), 10u);
  EXPECT_EQ(read.embedded_blobs, blobs);
  BlockInfo blob = FindBlock(BlocksOf(whole), BlockKind::kBlob, 3);
  std::string table = whole;
  table[blob.offset] ^= 1;
  EXPECT_EQ(ErrorOf(table),
            "block checksum mismatch at " + std::to_string(blob.offset));
  Resign(blob, &table);
  EXPECT_EQ(ErrorOf(table), "none");
  table[blob.offset + blob.size] = 1;
  Resign(blob, &table);
  EXPECT_EQ(ErrorOf(table), "compressed embedded blob");
}

// A table with embedded blobs must have the property that announces them.
TEST(ReferenceGolden, EmbeddedBlobsAreTold) {
  std::string table = ReadFile(GoldenPath("r119-embedded.sst"));
  const BlockInfo properties =
      FindBlock(BlocksOf(table), BlockKind::kProperties);
  const std::string name = "embedded.blob.stats";
  const size_t at = table.find(name, properties.offset);
  ASSERT_NE(at, std::string::npos);
  table[at + name.size() - 1] = 't';
  Resign(properties, &table);
  EXPECT_EQ(ErrorOf(table), "embedded blobs that no property tells of");
}

}  // namespace
}  // namespace ashlar::testing
