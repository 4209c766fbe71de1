// rocksdb_sst_dump: RocksDB's own sst_dump, of the release that fetch_oracle
// sets up. Tests check files with it, and tools/bench compares times with it.
//
// The tool is RocksDB's source, compiled from <oracle>/source and linked with
// RocksDB's library. This file adds `main`, and the only function that the tool
// uses from RocksDB's ldb, which is neither in the library nor in this program.
#include <rocksdb/sst_dump_tool.h>
#include <rocksdb/utilities/ldb_cmd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

// Returns the value of a hexadecimal digit, or -1 if `digit` is none.
int HexValue(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

}  // namespace

namespace ROCKSDB_NAMESPACE {

// For --input_key_hex and --parse_internal_key: "0x6162" becomes "ab".
std::string LDBCommand::HexToString(const std::string& str) {
  std::string bytes;
  bool valid = str.starts_with("0x") && str.size() % 2 == 0;
  for (size_t i = 2; valid && i < str.size(); i += 2) {
    const int high = HexValue(str[i]);
    const int low = HexValue(str[i + 1]);
    valid = high >= 0 && low >= 0;
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  if (!valid) {
    std::fprintf(stderr,
                 "rocksdb_sst_dump: not 0x and pairs of hex digits: %s\n",
                 str.c_str());
    std::exit(2);
  }
  return bytes;
}

}  // namespace ROCKSDB_NAMESPACE

int main(int argc, char** argv) {
  return ROCKSDB_NAMESPACE::SSTDumpTool().Run(argc, argv);
}
