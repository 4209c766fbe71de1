#include "report.h"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "ashlar_rocksdb.h"

namespace ashlar_rocksdb {

namespace {

constexpr char kVariable[] = "ASHLAR_ROCKSDB_REPORT";

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
  std::FILE* const file = std::fopen(std::getenv(kVariable), "a");
  if (file == nullptr) return;
  const std::string line = ReportLine();
  // One write, so that lines of several processes do not mix.
  std::fwrite(line.data(), 1, line.size(), file);
  std::fclose(file);
}

}  // namespace

void ReportAtExit() {
  if (std::getenv(kVariable) != nullptr) std::atexit(AppendReport);
}

}  // namespace ashlar_rocksdb
