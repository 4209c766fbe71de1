#include "tools/ashlar/print/advice.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "ashlar/util/file.h"
#include "ashlar/util/result.h"
#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/print/output.h"

namespace ashlar::tool {
namespace {

using SubCode = Status::SubCode;

constexpr struct {
  SubCode cause;
  std::string_view advice;
} kByCause[] = {
    {SubCode::kPathNotFound,
     "check the path: a folder means the .sst files in it, and the folder of "
     "--out must exist"},
    {SubCode::kPermissionDenied,
     "check the permissions of the file and of the folders above it"},
    {SubCode::kNoSpace,
     "free some space, or set --out or --tmpdir to another file system"},
    {SubCode::kFileTooLarge,
     "raise the limit of file sizes (ulimit -f), or split the output with "
     "--target_file_size"},
    {SubCode::kTooManyOpenFiles, "raise the limit of open files (ulimit -n)"},
    {SubCode::kCompressionNotVerified,
     "no file was made. Run it again. If the same block fails, the codec's "
     "library is broken ('ashlar --version' names it); otherwise test the "
     "machine's memory"},
    {SubCode::kFilterNotVerified,
     "no file was made. Run it again. If it fails again, test the machine's "
     "memory"},
    {SubCode::kAboveSizeLimit,
     "if you trust the file, raise the limit for large blocks: "
     "--max_uncompressed_block"},
    {SubCode::kNewerFormat,
     "read it with a later release of ashlar, or with the RocksDB that wrote "
     "it"},
    {SubCode::kPlainTable, "RocksDB's sst_dump reads plain tables"},
    {SubCode::kCuckooTable, "RocksDB's sst_dump reads cuckoo tables"},
    {SubCode::kPebbleTable,
     "Pebble's 'pebble sstable' reads Pebble's own formats"},
    {SubCode::kNotBuiltIn,
     "'ashlar --version' lists the codecs of this build; 'ashlar layout', "
     "properties and verify work on any table"},
    {SubCode::kCustomCompression,
     "read it with the application that wrote it; 'ashlar properties' and "
     "'ashlar verify --checksums_only' need no codec"},
};

// Returns an empty string if there is no advice for the cause.
std::string_view AdviceFor(SubCode cause) {
  for (const auto& row : kByCause) {
    if (row.cause == cause) return row.advice;
  }
  return {};
}

// The first and the last bytes of a file.
struct Ends {
  uint64_t size = 0;
  std::string head;
  std::string tail;
};

Result<Ends> ReadEnds(const std::string& path) {
  constexpr uint64_t kBytes = 64;
  Result<std::unique_ptr<RandomAccessFile>> file = OpenRandomAccessFile(path);
  if (!file.ok()) return file.status();
  Ends ends;
  ends.size = (*file)->Size();
  const uint64_t size = std::min(ends.size, kBytes);
  for (std::string* bytes : {&ends.head, &ends.tail}) {
    bytes->resize(size);
    Slice read;
    Status status = (*file)->Read(bytes == &ends.head ? 0 : ends.size - size,
                                  bytes->size(), bytes->data(), &read);
    if (!status.ok()) return status;
    *bytes = read.ToString();
  }
  return ends;
}

bool IsAll(const std::string& bytes, bool (*test)(char)) {
  return !bytes.empty() && std::all_of(bytes.begin(), bytes.end(), test);
}
bool IsText(char c) {
  return (c >= ' ' && c <= '~') || c == '\n' || c == '\t' || c == '\r';
}

// Returns whether the file begins like one of RocksDB's logs, which MANIFESTs
// are too. A record begins with a checksum, a length and a type.
bool BeginsLikeLog(const Ends& ends) {
  constexpr size_t kHeader = 7;
  constexpr unsigned kLastOldType = 4;
  if (ends.head.size() < kHeader) return false;
  const auto byte = [&](size_t i) -> unsigned {
    return static_cast<unsigned char>(ends.head[i]);
  };
  const unsigned length = byte(4) | byte(5) << 8;
  const unsigned type = byte(6);
  constexpr unsigned kRecyclable = 4;
  const bool recyclable = type > kRecyclable && type <= 2 * kRecyclable;
  const uint64_t least = kHeader + (recyclable ? 4u : 0u) + length;
  // The record must be complete: it ends within the file and within its 32 KiB
  // log block.
  return length != 0 && type >= 1 && (type <= kLastOldType || recyclable) &&
         least <= ends.size && length <= 32768 - kHeader;
}

}  // namespace

bool IsOfNewTable(const Status& status) {
  return status.subcode() == SubCode::kCompressionNotVerified ||
         status.subcode() == SubCode::kFilterNotVerified;
}

std::string WhatItIsInstead(const std::string& path) {
  const Result<Ends> read = ReadEnds(path);
  if (!read.ok()) return {};
  const Ends& ends = *read;
  if (ends.size == 0) {
    return "an empty file, never written or truncated: restore it from a "
           "backup";
  }
  using std::string_view_literals::operator""sv;
  constexpr struct {
    std::string_view start;
    std::string_view what;
  } kStarts[] = {
      {"\x37\x8f\x24\0"sv, "a blob file of RocksDB: its blob_dump reads it"},
      {"\x1f\x8b"sv, "a gzip file: unpack it first"},
      {"\x28\xb5\x2f\xfd"sv, "a zstd file: unpack it first"},
      {"PK\x03\x04"sv, "a zip archive: unpack it first"},
  };
  for (const auto& row : kStarts) {
    if (ends.head.starts_with(row.start)) return std::string(row.what);
  }
  if (IsAll(ends.head, IsText) && IsAll(ends.tail, IsText)) {
    return "a text file: 'ashlar build' makes a table from it";
  }
  if (IsAll(ends.tail, [](char c) { return c == '\0'; })) {
    return "a file that ends in zeros, as after a crash or an unfinished copy: "
           "restore it from a backup";
  }
  if (BeginsLikeLog(ends)) {
    return "a log (WAL or MANIFEST) of RocksDB: 'ldb dump_wal' or 'ldb "
           "manifest_dump' reads it";
  }
  return "a file cut off, encrypted, or of another kind: compare its size with "
         "the original's, or decrypt it";
}

void Advice::AddLine(std::string line) {
  if (std::find(lines_.begin(), lines_.end(), line) == lines_.end()) {
    lines_.push_back(std::move(line));
  }
}

void Advice::Add(std::string_view command, const std::string& path,
                 const Status& status, bool is_no_table) {
  const std::string_view by_cause = AdviceFor(status.subcode());
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(path, error);
  if (is_folder && status.subcode() == SubCode::kPathNotFound) {
    AddLine(
        "the MANIFEST of the database names this file; --each_table takes the "
        "tables that are there, one by one");
  } else if (!by_cause.empty()) {
    AddLine(std::string(by_cause));
  } else if (status.IsMemoryLimit()) {
    AddLine(
        "this says nothing about the file: give the program more memory "
        "(ulimit -v), or let it use less (fewer --threads or "
        "--compression_parallel_threads, a smaller --memory)");
  } else if (command == "cache-sim") {
    // What follows is about tables.
    if (status.IsCorruption()) {
      AddLine(
          "'ashlar help cache-sim' says how traces of a block cache are made");
    }
  } else if (status.IsNotFound() && is_no_table) {
    AddLine(
        "name the files if they do not end in .sst; --recursive also looks "
        "into the folders of the folder");
  } else if (status.IsCorruption() && is_no_table) {
    const std::string what = WhatItIsInstead(path);
    if (!what.empty()) AddLine(path + " looks like " + what);
  } else if (status.IsCorruption() && is_folder) {
    AddLine("--each_table looks into each table of the database by itself");
  } else if (status.IsCorruption() && command != "salvage" &&
             command != "build") {
    std::string line =
        "'ashlar salvage --out=<new> <file>' saves what is readable of a "
        "damaged table";
    if (command != "verify") {
      line.insert(0, "'ashlar verify' lists all damage; ");
    }
    AddLine(std::move(line));
  }
}

void Advice::AddForRow(const Status& status) {
  if (status.subcode() == SubCode::kDuplicateKey) {
    AddLine("--on_duplicate=first or last keeps one of the rows");
  } else if (status.subcode() == SubCode::kKeyOutOfOrder) {
    AddLine("--nosorted sorts the rows");
  } else {
    AddLine(
        "correct the row; 'ashlar help build' describes rows of "
        "--input_format=" +
        FLAGS_input_format);
  }
}

void Advice::Print() const {
  for (const std::string& line : lines_) PrintHint(line);
}

}  // namespace ashlar::tool
