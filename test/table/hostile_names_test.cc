// Tests file and comparator names that an attacker chose to do harm.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/file.h"
#include "ashlar/util/printable.h"
#include "test/support/folder.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

// Returns the names that the next temporary files will get.
std::vector<std::string> NextTemporaries(const std::string& path, int count) {
  const std::string front = path + ".tmp." + std::to_string(::getpid()) + ".";
  uint64_t number = 0;
  {
    auto probe = AtomicFile::Create(path, {});
    Require(probe.status());
    while (!std::filesystem::exists(front + std::to_string(number))) ++number;
  }
  std::vector<std::string> names;
  names.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    names.push_back(front + std::to_string(++number));
  }
  return names;
}

void WriteAtomically(const std::string& path, std::string_view contents) {
  auto file = AtomicFile::Create(path, {});
  Require(file.status());
  Require((*file)->file()->Append(Slice(contents.data(), contents.size())));
  Require((*file)->Commit());
}

TEST(HostileNames, LinkPlantedAtTheTemporaryName) {
  const TestFolder folder;
  const std::string path = folder / "file";
  const std::string victim = folder / "victim";
  const std::string absent = folder / "absent";
  WriteFile(victim, "precious");
  const std::vector<std::string> planted = NextTemporaries(path, 3);
  std::filesystem::create_symlink(victim, planted[0]);
  std::filesystem::create_symlink(absent, planted[1]);
  WriteFile(planted[2], "theirs");
  WriteAtomically(path, "new");
  EXPECT_EQ(ReadFile(path), "new");
  EXPECT_TRUE(std::filesystem::symlink_status(path).type() ==
              std::filesystem::file_type::regular);
  EXPECT_EQ(ReadFile(victim), "precious");
  EXPECT_FALSE(std::filesystem::exists(absent));
  EXPECT_TRUE(std::filesystem::is_symlink(planted[0]));
  EXPECT_TRUE(std::filesystem::is_symlink(planted[1]));
  EXPECT_EQ(ReadFile(planted[2]), "theirs");
  EXPECT_EQ(folder.Names().size(), 5u);
}

TEST(HostileNames, PipesAndFoldersAreRefused) {
  const TestFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string inner = folder / "inner";
  std::filesystem::create_directory(inner);
  for (const std::string& path : {pipe, inner}) {
    const Status status = AtomicFile::Create(path, {}).status();
    EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
    EXPECT_TRUE(status.message().starts_with(path)) << status.ToString();
  }
  EXPECT_EQ(folder.Names(), (std::vector<std::string>{"inner", "pipe"}));
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_TRUE(std::filesystem::is_directory(inner));
}

TEST(HostileNames, LinkAtThePathIsReplaced) {
  const TestFolder folder;
  const std::string path = folder / "file";
  const std::string target = folder / "target";
  WriteFile(target, "precious");
  std::filesystem::create_symlink(target, path);
  WriteAtomically(path, "new");
  EXPECT_FALSE(std::filesystem::is_symlink(path));
  EXPECT_EQ(ReadFile(path), "new");
  EXPECT_EQ(ReadFile(target), "precious");
}

// The attacker chose the name of this comparator, which is stored in the file.
class NamedComparator final : public Comparator {
 public:
  std::string_view Name() const override { return kName; }
  int Compare(const Slice& a, const Slice& b) const override {
    return a.compare(b);
  }
  static constexpr std::string_view kName = "\x1b[2J\n\xff";
};

void ExpectPrintable(const Status& status) {
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(PrintableText(status.message()), status.message());
  EXPECT_NE(status.message().find("\\x1B"), std::string_view::npos)
      << status.ToString();
}

TEST(HostileNames, NoMessageCarriesThem) {
  const NamedComparator comparator;
  TableOptions options;
  options.comparator = &comparator;
  const std::string table = BuildTable(options, SomeEntries(10));
  ExpectPrintable(OpenBytes(table).status());
  ReaderOptions bytewise;
  bytewise.comparator = BytewiseComparator();
  ExpectPrintable(OpenBytes(table, bytewise).status());

  const TestFolder folder;
  const std::string path = folder / "a\x1b[2J\n";
  ExpectPrintable(TableReader::Open(path).status());
  WriteFile(path, "no table");
  ExpectPrintable(TableReader::Open(path).status());
  ExpectPrintable(AtomicFile::Create(path, {.overwrite = false}).status());
  const auto file = OpenRandomAccessFile(path);
  Require(file.status());
  TableInspection inspection;
  Require(InspectTable(**file, {}, &inspection));
  ASSERT_FALSE(inspection.faults.empty());
  const std::string_view fault = inspection.faults[0].status.message();
  EXPECT_EQ(PrintableText(fault), fault);
}

// Messages describe a key of damaged blocks. They do not copy its bytes.
TEST(HostileNames, NoMessageCarriesKeys) {
  TableOptions options;
  options.compression = CompressionType::kNoCompression;
  options.checksum = ChecksumType::kNoChecksum;
  std::string table = BuildTable(
      options, {Value("a\x1b[2J\xff", 1, "v"), Value("b\x1b[2J\xff", 1, "v")});
  table[table.find("b\x1b[2J")] = 'A';
  const auto reader = OpenTable(table);
  Iterator it = reader->NewIterator();
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
  }
  const Status status = it.status();
  EXPECT_TRUE(status.IsCorruption());
  EXPECT_EQ(PrintableText(status.message()), status.message());
}

}  // namespace
}  // namespace ashlar::testing
