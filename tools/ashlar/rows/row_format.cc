#include "tools/ashlar/rows/row_format.h"

namespace ashlar::tool {
namespace {

// Refuses flags that the format does not use.
std::string FindUnusedFlag(const CommandLine& line, const RowFormat& format) {
  const bool has_columns = format.Is("csv") || format.Is("tsv");
  if (line.Given("header") && !has_columns) {
    return "--header goes with --input_format=csv and tsv only";
  }
  if (line.Given("crlf") && !format.Is("tsv") && !format.Is("hex")) {
    return "--crlf goes with --input_format=tsv and hex only: in " +
           format.name + ", CR LF always ends a line";
  }
  if (!format.Is("csv") &&
      (line.Given("key_column") || line.Given("value_column"))) {
    return "--key_column and --value_column go with --input_format=csv only";
  }
  return {};
}

}  // namespace

std::string RowFormatFromFlags(const CommandLine& line, RowFormat* format) {
  format->name = FLAGS_input_format;
  format->crlf = FLAGS_crlf;
  format->key_column = FLAGS_key_column;
  format->value_column = FLAGS_value_column;
  std::string error = FindUnusedFlag(line, *format);
  if (!error.empty()) return error;
  const bool has_names =
      !format->key_column.empty() || !format->value_column.empty();
  if (has_names && line.Given("header") && !FLAGS_header) {
    return "--noheader excludes the names of columns";
  }
  if (FLAGS_header || has_names) {
    format->header = RowFormat::Header::kLine;
  } else if (format->Is("csv") && !line.Given("header")) {
    return "--input_format=csv needs --header or --noheader: say whether the "
           "first line of each input has the names of the columns";
  } else if (format->Is("tsv") && !line.Given("header")) {
    format->header = RowFormat::Header::kUnannounced;
  }
  return {};
}

}  // namespace ashlar::tool
