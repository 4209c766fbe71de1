// sorted_rows: how fast the library alone makes a table of rows that are in
// memory already.
//
//   sorted_rows <rows> <table> <parallel_threads>
//
// For tools/bench/row_tables.py, which compares `ashlar build` with it. Reads
// lines of key, TAB and value, in order and without escapes. Then it prints the
// seconds from the opening of the table, with the program's defaults and zstd,
// to the return of Finish, the file's sync included.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ashlar/table/external_file_writer.h"
#include "tools/bench/stopwatch.h"

namespace {

using Row = std::pair<std::string_view, std::string_view>;

std::vector<Row> Split(std::string_view text) {
  std::vector<Row> rows;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const size_t tab = std::min(line.find('\t'), line.size());
    rows.emplace_back(line.substr(0, tab),
                      line.substr(std::min(tab + 1, line.size())));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rows;
}

ashlar::Status Build(const std::vector<Row>& rows, const std::string& path,
                     int threads) {
  ashlar::TableOptions table_options;
  table_options.compression = ashlar::CompressionType::kZSTD;
  ashlar::BuildOptions build_options;
  build_options.parallel_threads = threads;
  auto writer =
      ashlar::ExternalFileWriter::Open(path, table_options, build_options);
  if (!writer.ok()) return writer.status();
  for (const auto& [key, value] : rows) {
    ashlar::Status status =
        (*writer)->Put({key.data(), key.size()}, {value.data(), value.size()});
    if (!status.ok()) return status;
  }
  return (*writer)->Finish();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: sorted_rows <rows> <table> <threads>\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  if (text.empty()) {
    std::fprintf(stderr, "sorted_rows: %s: no rows\n", argv[1]);
    return 1;
  }
  const std::vector<Row> rows = Split(text);
  const ashlar::bench::Stopwatch watch(
      ashlar::bench::Stopwatch::Load::kManyThreads);
  const ashlar::Status status = Build(rows, argv[2], std::atoi(argv[3]));
  if (!status.ok()) {
    std::fprintf(stderr, "sorted_rows: %s\n", status.ToString().c_str());
    return 1;
  }
  std::printf("%.6f\n", watch.Stop().seconds);
  return 0;
}
