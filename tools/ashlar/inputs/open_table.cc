#include "tools/ashlar/inputs/open_table.h"

#include <utility>

#include "ashlar/util/comparator.h"
#include "ashlar/util/file.h"
#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/print/output.h"

namespace ashlar::tool {
namespace {

// Returns whether the footer is not that of a block-based table. The reader's
// Status does not distinguish this from damage.
bool IsNoTable(const std::string& path) {
  Result<std::unique_ptr<RandomAccessFile>> file = OpenRandomAccessFile(path);
  if (!file.ok()) return false;
  TableInspection inspection;
  return InspectTable(
             **file, InspectOptionsFromFlags(InspectOptions::DataBlocks::kSkip),
             &inspection)
             .ok() &&
         inspection.magic == TableMagic::kUnknown;
}

void WarnOfOrder(const std::string& path, std::string_view comparator) {
  PrintWarning(path + ": comparator " + std::string(comparator) +
               " is not built in: the order of keys is not checked");
}

}  // namespace

void WarnOfUnknownOrder(const TableInspection& inspection,
                        const Report& report) {
  if (!inspection.properties || inspection.knows_order) return;
  WarnOfOrder(report.path(), inspection.properties->comparator_name);
}

std::string CheckComparatorFlag() {
  if (FLAGS_comparator.empty() ||
      FindBuiltinComparator(FLAGS_comparator) != nullptr) {
    return {};
  }
  return "--comparator: '" + FLAGS_comparator +
         "' is none of leveldb.BytewiseComparator, "
         "rocksdb.ReverseBytewiseComparator, and these with .u64ts behind";
}

InspectOptions InspectOptionsFromFlags(InspectOptions::DataBlocks data_blocks) {
  InspectOptions options;
  options.data_blocks = data_blocks;
  options.max_uncompressed_block_bytes = FLAGS_max_uncompressed_block;
  options.readahead_size = FLAGS_readahead_size;
  options.on_progress = [](uint64_t, uint64_t) { return !Interrupted(); };
  return options;
}

ReaderOptions ReaderOptionsFromFlags() {
  ReaderOptions options;
  // A damaged index is then reported before a command prints anything.
  options.load_index_and_filter = LoadTime::kAtOpen;
  if (!FLAGS_comparator.empty()) {
    options.comparator = FindBuiltinComparator(FLAGS_comparator);
  }
  options.max_uncompressed_block_bytes = FLAGS_max_uncompressed_block;
  return options;
}

ReadOptions ReadOptionsFromFlags() {
  ReadOptions options;
  options.verify_checksums = FLAGS_verify_checksum;
  options.readahead_size = FLAGS_readahead_size;
  return options;
}

std::unique_ptr<TableReader> OpenTable(const std::string& path, bool any_order,
                                       Report* report) {
  ReaderOptions options = ReaderOptionsFromFlags();
  options.allow_unknown_comparator = any_order;
  return ReportOpened(TableReader::Open(path, options), path, report);
}

std::unique_ptr<TableReader> ReportOpened(
    Result<std::unique_ptr<TableReader>> reader, const std::string& path,
    Report* report) {
  if (!reader.ok()) {
    if (reader.status().IsCorruption() && IsNoTable(path)) {
      report->SetFileStatus("not_sst");
    }
    report->AddFault(reader.status());
    return nullptr;
  }
  report->Opened((*reader)->format_version(), (*reader)->checksum_type(),
                 &(*reader)->properties());
  if (!(*reader)->knows_order())
    WarnOfOrder(path, (*reader)->comparator()->Name());
  return std::move(reader).value();
}

}  // namespace ashlar::tool
