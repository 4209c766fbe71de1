// Fuzz target: the MANIFEST of a database, as records and as a file.
#include <utility>

#include "ashlar/table/database_files.h"
#include "ashlar/util/file.h"
#include "table/database/log_records.h"
#include "table/database/version_edit.h"
#include "table/database/version_fold.h"
#include "test/fuzz/cost.h"
#include "test/fuzz/fuzz_input.h"

namespace ashlar {

namespace {

using internal::LogRecords;
using internal::VersionEdit;
using internal::VersionFold;

void CheckFamily(const ColumnFamilyFiles& family) {
  uint32_t level = 0;
  for (const LiveTable& table : family.tables) {
    FUZZ_CHECK(table.level >= level);
    level = table.level;
    FUZZ_CHECK(table.smallest.size() >= kInternalKeyTailBytes);
    FUZZ_CHECK(table.largest.size() >= kInternalKeyTailBytes);
  }
}

// Takes records as a checksum would let them pass.
void FoldEdits(fuzz::FuzzInput* input) {
  VersionFold fold;
  VersionEdit edit;
  while (!input->empty()) {
    const size_t size = input->Number(sizeof(uint16_t));
    if (!internal::DecodeVersionEdit(input->Bytes(size), &edit).ok()) return;
    if (!fold.Take(std::move(edit)).ok()) return;
  }
  DatabaseFiles files;
  if (!fold.Finish(&files).ok()) return;
  for (const ColumnFamilyFiles& family : files.column_families) {
    CheckFamily(family);
  }
}

// A record ends behind its beginning, and not behind the file.
void ReadRecords(const Slice& bytes) {
  const auto file = NewMemoryFile("MANIFEST", bytes.ToString());
  LogRecords records(*file);
  uint64_t end = 0;
  while (records.Next()) {
    FUZZ_CHECK(records.begin() >= end);
    FUZZ_CHECK(records.end() > records.begin());
    end = records.end();
    FUZZ_CHECK(end <= bytes.size());
    FUZZ_CHECK(records.record().size() < end);
  }
}

}  // namespace

}  // namespace ashlar

// Input: whether edits follow, each behind its size, or a file; these.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ashlar::fuzz::Cost cost(ashlar::fuzz::kCostOfDecoder, size);
  ashlar::fuzz::FuzzInput input(data, size);
  if (input.Byte() % 2 == 0) {
    ashlar::FoldEdits(&input);
  } else {
    ashlar::ReadRecords(input.rest());
  }
  return 0;
}
