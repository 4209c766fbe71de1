// The form of the adapter that is preloaded under a program:
//
//   LD_PRELOAD=libashlar_rocksdb_preload.so db_bench ...
//
// It takes over the two functions by which RocksDB's block-based factory makes
// builders and readers. The dynamic linker binds RocksDB's own calls of them to
// these, because RocksDB's library exports them and was not linked with
// -Bsymbolic.
//
// Of another release than the one it was compiled for it takes nothing over:
// the classes that it shares with RocksDB may differ.
//
//   ASHLAR_ROCKSDB_OFF=1            takes nothing over
//   ASHLAR_ROCKSDB_REPORT=<file>    appends the counts as a line of JSON when
//                                   the process ends
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "adapted_tables.h"
#include "rocksdb/version.h"
#include "table/block_based/block_based_table_factory.h"

namespace ashlar_rocksdb {

namespace {

// The two functions as the linker names them.
constexpr const char* kReaderSymbol =
    "_ZNK7rocksdb22BlockBasedTableFactory14NewTableReaderERKNS_"
    "11ReadOptionsERKNS_18TableReaderOptionsEOSt10unique_ptrINS_"
    "22RandomAccessFileReaderESt14default_deleteIS8_EEmPS7_INS_"
    "11TableReaderES9_ISD_EEb";
constexpr const char* kBuilderSymbol =
    "_ZNK7rocksdb22BlockBasedTableFactory15NewTableBuilderERKNS_"
    "19TableBuilderOptionsEPNS_18WritableFileWriterE";

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

template <class Function>
Function FindNext(const char* symbol) {
  void* const found = dlsym(RTLD_NEXT, symbol);
  if (found == nullptr) {
    std::fprintf(stderr, "libashlar_rocksdb_preload: no RocksDB: %s\n",
                 dlerror());
    std::abort();
  }
  return reinterpret_cast<Function>(found);
}

bool IsSet(const char* variable) {
  const char* const text = std::getenv(variable);
  return text != nullptr && std::string_view(text) != "0";
}

bool IsCompiledFor(const std::string& release) {
  const std::string compiled = std::to_string(ROCKSDB_MAJOR) + "." +
                               std::to_string(ROCKSDB_MINOR) + "." +
                               std::to_string(ROCKSDB_PATCH);
  if (release == compiled) return true;
  std::fprintf(stderr,
               "libashlar_rocksdb_preload: steps aside: it is for RocksDB %s, "
               "and this is %s\n",
               compiled.c_str(), release.c_str());
  return false;
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

// What the first table of the process decides, for all of them.
struct TakenOver {
  NewReader stock_reader = FindNext<NewReader>(kReaderSymbol);
  NewBuilder stock_builder = FindNext<NewBuilder>(kBuilderSymbol);
  AshlarTableOptions options;

  TakenOver() {
    const bool is_on = !IsSet("ASHLAR_ROCKSDB_OFF") &&
                       IsCompiledFor(rocksdb::GetRocksVersionAsString());
    options.build = is_on && !IsSet("ASHLAR_ROCKSDB_NO_BUILD");
    options.read = is_on && !IsSet("ASHLAR_ROCKSDB_NO_READ");
    options.allow_fallback = !IsSet("ASHLAR_ROCKSDB_NO_FALLBACK");
    if (std::getenv("ASHLAR_ROCKSDB_REPORT") != nullptr) {
      std::atexit(AppendReport);
    }
  }
  static const TakenOver& Get() {
    static const TakenOver taken_over;
    return taken_over;
  }
};

}  // namespace

}  // namespace ashlar_rocksdb

namespace rocksdb {

ASHLAR_ROCKSDB_EXPORT Status BlockBasedTableFactory::NewTableReader(
    const ReadOptions& ro, const TableReaderOptions& table_reader_options,
    std::unique_ptr<RandomAccessFileReader>&& file, uint64_t file_size,
    std::unique_ptr<TableReader>* table_reader,
    bool prefetch_index_and_filter_in_cache) const {
  const ashlar_rocksdb::TakenOver& own = ashlar_rocksdb::TakenOver::Get();
  const auto stock = [&](std::unique_ptr<RandomAccessFileReader> unread,
                         std::unique_ptr<TableReader>* opened) {
    return own.stock_reader(this, ro, table_reader_options, std::move(unread),
                            file_size, opened,
                            prefetch_index_and_filter_in_cache);
  };
  return ashlar_rocksdb::OpenAdaptedTable(
      *GetOptions<BlockBasedTableOptions>(), own.options, table_reader_options,
      std::move(file), file_size, prefetch_index_and_filter_in_cache, stock,
      table_reader);
}

ASHLAR_ROCKSDB_EXPORT TableBuilder* BlockBasedTableFactory::NewTableBuilder(
    const TableBuilderOptions& table_builder_options,
    WritableFileWriter* file) const {
  const ashlar_rocksdb::TakenOver& own = ashlar_rocksdb::TakenOver::Get();
  return ashlar_rocksdb::NewAdaptedBuilder(
      *GetOptions<BlockBasedTableOptions>(), own.options,
      table_builder_options, file,
      [&] { return own.stock_builder(this, table_builder_options, file); });
}

}  // namespace rocksdb
