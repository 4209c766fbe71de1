#include "tools/ashlar/rows/input_rows.h"

#include <algorithm>

#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/print/output.h"
#include "tools/ashlar/print/report.h"
#include "tools/ashlar/rows/line_reader.h"

namespace ashlar::tool {

InputRows::InputRows(const std::vector<std::string>& names)
    : names_(names.empty() ? std::vector<std::string>{"-"} : names),
      parser_(NewRowParser(FLAGS_input_format)) {}

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
  LineReader reader(name, FLAGS_input_format == "csv");
  Status status = reader.Open();
  parser_->BeginInput();
  char* line;
  size_t size;
  std::string reason;
  while (status.ok() && reader.Next(&line, &size)) {
    constexpr uint64_t kLinesBetweenLooks = 1024;
    Row row;
    row.place = {&name, reader.line_number()};
    if (row.place.line % kLinesBetweenLooks == 0 && Interrupted()) {
      return Status::Aborted("interrupted");
    }
    switch (parser_->Parse(line, size, &row, &reason)) {
      case RowParser::Outcome::kSkip:
        break;
      case RowParser::Outcome::kMalformed:
        *error_line = {row.place.ToString() + ": ", "", reason};
        return Status::InvalidArgument(reason);
      case RowParser::Outcome::kRow:
        status = take(row);
        if (!status.ok()) return status;
        break;
    }
  }
  if (status.ok()) status = reader.status();
  if (!status.ok()) *error_line = FaultLine(name, status);
  return status;
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
