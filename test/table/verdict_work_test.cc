// What an inspection costs, in bytes that it reads, and what it says of files
// that need much.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "table/dump.h"
#include "table/format/footer.h"
#include "table/meta/plain_block.h"
#include "test/fuzz/sign_table.h"
#include "test/support/resign.h"
#include "test/support/tables.h"
#include "util/file.h"

namespace ashlar::testing {
namespace {

using namespace internal;

// Counts what is read of it.
class CountedFile final : public RandomAccessFile {
 public:
  explicit CountedFile(std::string bytes) : bytes_(std::move(bytes)) {}

  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* result) const override {
    if (offset <= scarce_at && scarce_at - offset < n) {
      return Status::OutOfMemory();
    }
    const size_t from = std::min<size_t>(offset, bytes_.size());
    const size_t most = std::min(n, bytes_.size() - from);
    std::memcpy(scratch, bytes_.data() + from, most);
    *result = Slice(scratch, most);
    bytes_read += most;
    return {};
  }
  uint64_t Size() const override { return bytes_.size(); }
  std::string name() const override { return "counted.sst"; }

  mutable uint64_t bytes_read = 0;
  // Reads of this byte find no memory.
  uint64_t scarce_at = ~uint64_t{0};

 private:
  const std::string bytes_;
};

struct Found {
  Status status;
  std::string faults;
  uint64_t bytes_read = 0;
  int reports = 0;
};

Found Inspect(CountedFile* file) {
  Found found;
  InspectOptions options;
  options.readahead_size = 0;
  options.on_progress = [&found](uint64_t, uint64_t) {
    ++found.reports;
    return true;
  };
  TableInspection inspection;
  found.status = InspectTable(*file, options, &inspection);
  for (const TableFault& fault : inspection.faults) {
    found.faults += fault.status.ToString() + "\n";
  }
  found.bytes_read = file->bytes_read;
  return found;
}

Found Inspect(const std::string& table) {
  CountedFile file(table);
  return Inspect(&file);
}

// --- Keys of an index --------------------------------------------------------

// So many data blocks, and in the index keys that share nearly all they have.
std::string TableOfLongKeys(int blocks) {
  constexpr size_t kKeyBytes = 30000;
  TableOptions options;
  options.format_version = 5;
  options.compression = CompressionType::kZSTD;
  options.filter = FilterType::kNone;
  options.block_size = 1;
  options.metadata_block_size = 40000;
  options.index_block_restart_interval = 1000;
  options.index_type = IndexType::kTwoLevelIndexSearch;
  std::vector<Entry> entries;
  for (int i = 0; i < blocks; ++i) {
    std::string number = std::to_string(1000000 + 2 * i);
    entries.push_back(
        Value(std::string(kKeyBytes, 'p') + number + "end", 7, "v"));
  }
  return BuildTable(options, entries);
}

TEST(VerdictWork, IndexKeysThatAReaderHasRoomFor) {
  const std::string table = TableOfLongKeys(1600);
  const Found found = Inspect(table);
  Require(found.status);
  EXPECT_EQ(found.faults, "");
  std::vector<Entry> entries;
  Require(ReadForward(*OpenTable(table), {}, &entries));
  EXPECT_EQ(entries.size(), 1600u);
}

// A reader that keeps the index in a cache reads it nevertheless.
TEST(VerdictWork, IndexKeysThatNoReaderCanKeep) {
  for (const int blocks : {2400, 4000}) {
    const std::string table = TableOfLongKeys(blocks);
    const Found found = Inspect(table);
    EXPECT_TRUE(found.status.IsMemoryLimit()) << found.status.ToString();
    EXPECT_EQ(found.faults, "");
    std::vector<Entry> entries;
    EXPECT_FALSE(ReadForward(*OpenTable(table), {}, &entries).ok()) << blocks;
  }
}

}  // namespace
}  // namespace ashlar::testing
