#include "tools/ashlar/rows/row_format.h"

#include "tools/ashlar/rows/column_file_form.h"
#include "tools/escaped_text.h"

namespace ashlar::tool {
namespace {

// Refuses flags that the format does not use.
std::string FindUnusedFlag(const CommandLine& line, const RowFormat& format) {
  const bool has_columns = format.Is("csv") || format.Is("tsv");
  if (line.Given("header") && !has_columns) {
    return "--header goes with --input_format=csv and tsv only";
  }
  if (line.Given("crlf") && !format.Is("tsv") && !format.Is("hex")) {
    return "--crlf goes with --input_format=tsv and hex only: " +
           (format.IsArrow()
                ? format.name + " has no lines"
                : "in " + format.name + ", CR LF always ends a line");
  }
  if (format.Is("hex") &&
      (line.Given("key_column") || line.Given("value_column"))) {
    return "--key_column and --value_column do nothing with "
           "--input_format=hex";
  }
  if (line.Given("delimiter") && !format.Is("csv")) {
    return "--delimiter goes with --input_format=csv only";
  }
  if (line.Given("null") && !has_columns) {
    return "--null goes with --input_format=csv and tsv only";
  }
  return {};
}

std::string SetDelimiter(RowFormat* format) {
  const std::optional<std::string> text = Unescape(FLAGS_delimiter);
  constexpr std::string_view kForbidden = "\"\r\n";
  const bool good = text && text->size() == 1 &&
                    kForbidden.find(text->front()) == std::string_view::npos &&
                    static_cast<unsigned char>(text->front()) <= '~';
  if (!good) {
    return "--delimiter: '" + FLAGS_delimiter +
           "' is not one ASCII character, such as ';' or \\t, other than a "
           "quote or a line break";
  }
  format->delimiter = text->front();
  return {};
}

// Decides about the header, after the columns are known.
std::string SetHeader(const CommandLine& line, RowFormat* format) {
  if (!format->Is("csv") && !format->Is("tsv")) return {};
  const bool needs_names = format->columns.NeedsNames();
  if (needs_names && line.Given("header") && !FLAGS_header) {
    return "--noheader leaves columns without names; --key_column and "
           "--value_column must have numbers, and only one value";
  }
  if (FLAGS_header || needs_names) {
    format->header = RowFormat::Header::kLine;
  } else if (line.Given("header")) {
    format->header = RowFormat::Header::kNone;
  } else {
    format->header = RowFormat::Header::kUnannounced;
  }
  return {};
}

}  // namespace

std::string RowFormatFromFlags(const CommandLine& line,
                               const std::vector<std::string>& inputs,
                               RowFormat* format) {
  format->name = FLAGS_input_format;
  format->crlf = FLAGS_crlf;
  if (line.Given("null")) format->null = FLAGS_null;
  std::string error;
  if (!line.Given("input_format")) {
    error = RecognizeColumnFiles(inputs, &format->name);
  }
  if (error.empty()) error = FindUnusedFlag(line, *format);
  if (error.empty()) error = SetDelimiter(format);
  if (error.empty()) {
    // Rows of tsv have escapes for any bytes. In columns of Arrow, the type of
    // the column says whether it is text.
    const auto notation = format->Is("tsv") || format->IsArrow()
                              ? PlannedColumn::Notation::kBytes
                              : PlannedColumn::Notation::kText;
    error = ParseColumnPlan(FLAGS_key_column, FLAGS_value_column, notation,
                            &format->columns);
  }
  if (error.empty()) error = SetHeader(line, format);
  return error;
}

}  // namespace ashlar::tool
