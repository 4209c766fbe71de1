// The answers of a TableSession that are drawn as parts of a report.
#include <string>
#include <vector>

#include "ashlar/util/compression.h"
#include "ashlar/util/file.h"
#include "tools/ashlar/measure/table_report.h"
#include "tools/ashlar/page/page_render.h"
#include "tools/ashlar/print/report.h"
#include "tools/ashlar/print/results/results.h"
#include "tools/web/table_session.h"

namespace ashlar::tool {
namespace {

// Returns the names of the codecs that are not built in, for a person.
std::string MissingCodecs() {
  constexpr CompressionType kCodecs[] = {
      CompressionType::kSnappyCompression,
      CompressionType::kZlibCompression,
      CompressionType::kBZip2Compression,
      CompressionType::kLZ4Compression,
      CompressionType::kLZ4HCCompression,
      CompressionType::kXpressCompression,
      CompressionType::kZSTD,
  };
  std::string names;
  for (const CompressionType codec : kCodecs) {
    if (IsCompressionSupported(codec)) continue;
    if (!names.empty()) names += ", ";
    names += CompressionTypeName(codec);
  }
  return names;
}

}  // namespace

Status TableSession::Summary(JsonWriter* json) {
  json->Member("missing_codecs", MissingCodecs());
  auto file = OpenRandomAccessFile(path_);
  if (!file.ok()) return file.status();
  TableReport table;
  InspectOptions options;
  options.data_blocks = InspectOptions::DataBlocks::kSkip;
  Status status = InspectTable(**file, options, &table.inspection);
  if (!status.ok()) return status;
  Report report("report", ReportForm::kText, /*headings=*/false);
  report.BeginFile(path_);
  report.Opened(table.inspection);
  const JsonValue facts = JsonValue::Parse(report.FileObject(table));
  json->Member("facts", RenderFacts(facts) + RenderFaults(facts));
  json->Member("properties", RenderProperties(facts));
  json->BoolMember("is_table", table.inspection.magic != TableMagic::kUnknown);
  return Open();
}

Status TableSession::WholeReport(JsonWriter* json) {
  Report report("report", ReportForm::kText, /*headings=*/false);
  report.BeginFile(path_);
  TableReport table;
  const bool has_page = CollectTableReport(path_, &table, &report);
  const JsonValue document = JsonValue::Parse(report.FileObject(table));
  if (!has_page) {
    const std::vector<JsonValue>& errors = document["errors"].items();
    return Status::IOError(errors.empty() ? "the report was not finished"
                                          : errors.front()["message"].text());
  }
  json->Member("page", RenderPage(document));
  return {};
}

}  // namespace ashlar::tool
