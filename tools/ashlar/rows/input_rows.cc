#include "tools/ashlar/rows/input_rows.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "tools/ashlar/print/output.h"
#include "tools/ashlar/print/report.h"

namespace ashlar::tool {

InputRows::InputRows(const std::vector<std::string>& names, RowFormat format,
                     BadRows* bad_rows)
    : names_(names.empty() ? std::vector<std::string>{"-"} : names),
      format_(std::move(format)),
      bad_rows_(bad_rows),
      parser_(NewRowParser(&format_)) {}

Status InputRows::ForEach(const Take& take, FaultText* error_line) {
  for (const std::string& name : names_) {
    before_.push_back(last_);
    Status status = ReadInput(name, take, error_line);
    if (!status.ok()) return status;
  }
  return Status();
}

Status InputRows::ReadInput(const std::string& name, const Take& take,
                            FaultText* error_line) {
  LineReader reader(name, format_.Is("csv") ? std::optional(format_.delimiter)
                                            : std::nullopt);
  Status status = reader.Open();
  if (!status.ok()) {
    *error_line = FaultLine(name, status);
    return status;
  }
  parser_->BeginInput();
  status = ReadLines(&reader, name, take, error_line);
  if (!status.ok()) return status;
  status = reader.status();
  if (status.IsInvalidArgument()) {
    // The reader's fault is one of the line that it was to return.
    const RowPlace place = {&name, reader.line_number()};
    *error_line = {place.ToString() + ": ", "", std::string(status.message())};
  } else if (!status.ok()) {
    *error_line = FaultLine(name, status);
  } else {
    std::string reason;
    if (!parser_->EndInput(&reason)) {
      *error_line = {name + ":1: ", "", reason};
      status = Status::InvalidArgument(reason);
    }
  }
  return status;
}

Status InputRows::ReadLines(LineReader* reader, const std::string& name,
                            const Take& take, FaultText* error_line) {
  constexpr uint64_t kLinesBetweenLooks = 1024;
  char* line;
  size_t size;
  while (reader->Next(&line, &size)) {
    const RowPlace place = {&name, reader->line_number()};
    if (place.line == 1 && reader->skipped_byte_order_mark()) {
      ReportByteOrderMark(name);
    }
    if (place.line % kLinesBetweenLooks == 0 && Interrupted()) {
      return Status::Aborted("interrupted");
    }
    Status status = TakeLine(line, size, place, take, error_line);
    if (!status.ok()) return status;
  }
  return Status();
}

Status InputRows::TakeLine(char* line, size_t size, const RowPlace& place,
                           const Take& take, FaultText* error_line) {
  // A parser changes the line.
  if (bad_rows_->keeps_lines()) line_copy_.assign(line, size);
  Row row;
  row.place = place;
  std::string reason;
  const RowParser::Outcome outcome = parser_->Parse(line, size, &row, &reason);
  switch (outcome) {
    case RowParser::Outcome::kSkip:
      break;
    case RowParser::Outcome::kRow:
      ++count_;
      return take(row);
    case RowParser::Outcome::kMalformed:
    case RowParser::Outcome::kUnusable:
      return bad_rows_->Take(place, reason, line_copy_,
                             outcome == RowParser::Outcome::kUnusable,
                             error_line);
  }
  return Status();
}

void InputRows::ReportByteOrderMark(const std::string& name) {
  if (reported_byte_order_mark_) return;
  reported_byte_order_mark_ = true;
  PrintWarning(name + ": skipped a byte order mark before the first row");
}

uint64_t InputRows::NumberOf(const RowPlace& place) {
  last_ = before_.back() + place.line;
  return last_;
}

RowPlace InputRows::PlaceOf(uint64_t number) const {
  const auto next = std::lower_bound(before_.begin(), before_.end(), number);
  const auto input = static_cast<size_t>(next - before_.begin()) - 1;
  return {&names_[input], number - before_[input]};
}

}  // namespace ashlar::tool
