// The adapter's side of the preloaded library: what RocksDB's factories do once
// their functions are taken over.
//
//   ASHLAR_ROCKSDB_NO_BUILD=1, ASHLAR_ROCKSDB_NO_READ=1, and
//   ASHLAR_ROCKSDB_NO_FALLBACK=1   AshlarTableOptions
//   ASHLAR_ROCKSDB_REPORT=<file>   appends the counts as a line of JSON when
//                                  the process ends
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "adapted_tables.h"
#include "rocksdb/version.h"
#include "table/block_based/block_based_table_factory.h"
#include "take_over.h"

namespace ashlar_rocksdb {

namespace {

using NewReader = rocksdb::Status (*)(
    const rocksdb::BlockBasedTableFactory* factory,
    const rocksdb::ReadOptions& read_options,
    const rocksdb::TableReaderOptions& theirs,
    std::unique_ptr<rocksdb::RandomAccessFileReader>&& file, uint64_t file_size,
    std::unique_ptr<rocksdb::TableReader>* table, bool prefetch);
using NewBuilder = rocksdb::TableBuilder* (*)(
    const rocksdb::BlockBasedTableFactory* factory,
    const rocksdb::TableBuilderOptions& theirs,
    rocksdb::WritableFileWriter* file);

// Set once, before RocksDB gets the functions that read them.
NewReader stock_reader;
NewBuilder stock_builder;
AshlarTableOptions own_options;

const rocksdb::BlockBasedTableOptions& OptionsOf(
    const rocksdb::BlockBasedTableFactory* factory) {
  return *factory->GetOptions<rocksdb::BlockBasedTableOptions>();
}

rocksdb::Status NewAdaptedReader(
    const rocksdb::BlockBasedTableFactory* factory,
    const rocksdb::ReadOptions& read_options,
    const rocksdb::TableReaderOptions& theirs,
    std::unique_ptr<rocksdb::RandomAccessFileReader>&& file, uint64_t file_size,
    std::unique_ptr<rocksdb::TableReader>* table, bool prefetch) {
  const auto stock =
      [&](std::unique_ptr<rocksdb::RandomAccessFileReader> unread,
          std::unique_ptr<rocksdb::TableReader>* opened) {
        return stock_reader(factory, read_options, theirs, std::move(unread),
                            file_size, opened, prefetch);
      };
  return OpenAdaptedTable(OptionsOf(factory), own_options, theirs,
                          std::move(file), file_size, prefetch, stock, table);
}

rocksdb::TableBuilder* NewAdaptedTable(
    const rocksdb::BlockBasedTableFactory* factory,
    const rocksdb::TableBuilderOptions& theirs,
    rocksdb::WritableFileWriter* file) {
  return NewAdaptedBuilder(
      OptionsOf(factory), own_options, theirs, file,
      [&] { return stock_builder(factory, theirs, file); });
}

bool IsSet(const char* variable) {
  const char* const text = std::getenv(variable);
  return text != nullptr && std::string_view(text) != "0";
}

std::string JsonText(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    json += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return json + '"';
}

std::string ReportLine() {
  const TableCounts counts = GetTableCounts();
  std::string line = "{\"program\": ";
  line += JsonText(program_invocation_short_name);
  const auto add = [&line](const char* name, uint64_t count) {
    line += std::string(", \"") + name + "\": " + std::to_string(count);
  };
  add("pid", static_cast<uint64_t>(getpid()));
  add("built", counts.built);
  add("built_by_stock", counts.built_by_stock);
  add("read", counts.read);
  add("read_by_stock", counts.read_by_stock);
  line += ", \"reasons\": {";
  const char* separator = "";
  for (const auto& [reason, times] : counts.reasons) {
    line += separator + JsonText(reason) + ": " + std::to_string(times);
    separator = ", ";
  }
  return line + "}}\n";
}

void AppendReport() {
  std::FILE* const file = std::fopen(std::getenv("ASHLAR_ROCKSDB_REPORT"), "a");
  if (file == nullptr) return;
  const std::string line = ReportLine();
  // One write, so that lines of several processes do not mix.
  std::fwrite(line.data(), 1, line.size(), file);
  std::fclose(file);
}

}  // namespace

extern "C" ASHLAR_ROCKSDB_EXPORT const char* ashlar_rocksdb_compiled_release();
extern "C" ASHLAR_ROCKSDB_EXPORT FactoryFunctions
ashlar_rocksdb_take_over(const FactoryFunctions& stock);

const char* ashlar_rocksdb_compiled_release() {
  static const std::string release = std::to_string(ROCKSDB_MAJOR) + "." +
                                     std::to_string(ROCKSDB_MINOR) + "." +
                                     std::to_string(ROCKSDB_PATCH);
  return release.c_str();
}

FactoryFunctions ashlar_rocksdb_take_over(const FactoryFunctions& stock) {
  stock_reader = reinterpret_cast<NewReader>(stock.new_reader);
  stock_builder = reinterpret_cast<NewBuilder>(stock.new_builder);
  own_options.build = !IsSet("ASHLAR_ROCKSDB_NO_BUILD");
  own_options.read = !IsSet("ASHLAR_ROCKSDB_NO_READ");
  own_options.allow_fallback = !IsSet("ASHLAR_ROCKSDB_NO_FALLBACK");
  if (std::getenv("ASHLAR_ROCKSDB_REPORT") != nullptr) {
    std::atexit(AppendReport);
  }
  return {reinterpret_cast<void*>(&NewAdaptedReader),
          reinterpret_cast<void*>(&NewAdaptedTable)};
}

}  // namespace ashlar_rocksdb
