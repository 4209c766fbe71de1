#include "tools/ashlar/rows/text_row_input.h"

#include <optional>

#include "tools/ashlar/print/report.h"

namespace ashlar::tool {

TextRowInput::TextRowInput(const std::string* name, const RowFormat& format,
                           RowParser* parser, BadRows* bad_rows)
    : name_(name),
      parser_(parser),
      bad_rows_(bad_rows),
      reader_(*name, format.Is("csv") ? std::optional(format.delimiter)
                                      : std::nullopt) {}

Status TextRowInput::Open(FaultText* error_line) {
  Status status = reader_.Open();
  if (!status.ok()) {
    *error_line = FaultLine(*name_, status);
    return status;
  }
  parser_->BeginInput();
  return status;
}

Status TextRowInput::Next(FaultText* error_line) {
  constexpr uint64_t kLinesBetweenLooks = 1024;
  has_row_ = false;
  char* line;
  size_t size;
  while (!has_row_) {
    if (!reader_.Next(&line, &size)) return End(error_line);
    if (reader_.line_number() % kLinesBetweenLooks == 0 && Interrupted()) {
      return Status::Aborted("interrupted");
    }
    Status status = TakeLine(line, size, error_line);
    if (!status.ok()) return status;
  }
  return {};
}

Status TextRowInput::TakeLine(char* line, size_t size, FaultText* error_line) {
  // A parser changes the line.
  if (bad_rows_->keeps_lines()) line_copy_.assign(line, size);
  row_ = Row();
  row_.place = {name_, reader_.line_number()};
  std::string reason;
  const RowParser::Outcome outcome = parser_->Parse(line, size, &row_, &reason);
  switch (outcome) {
    case RowParser::Outcome::kSkip:
      break;
    case RowParser::Outcome::kRow:
      has_row_ = true;
      break;
    case RowParser::Outcome::kMalformed:
    case RowParser::Outcome::kUnusable:
      return bad_rows_->Take(row_.place, reason, line_copy_,
                             outcome == RowParser::Outcome::kUnusable,
                             error_line);
  }
  return {};
}

// Returns what is wrong with the input as a whole.
Status TextRowInput::End(FaultText* error_line) {
  Status status = reader_.status();
  std::string reason;
  if (status.IsInvalidArgument()) {
    // The reader's fault is one of the line that it was to return.
    const RowPlace place = {name_, reader_.line_number()};
    *error_line = {place.ToString() + ": ", "", std::string(status.message())};
  } else if (!status.ok()) {
    *error_line = FaultLine(*name_, status);
  } else if (!parser_->EndInput(&reason)) {
    *error_line = {*name_ + ":1: ", "", reason};
    status = Status::InvalidArgument(reason);
  }
  return status;
}

}  // namespace ashlar::tool
