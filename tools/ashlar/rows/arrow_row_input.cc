#include "tools/ashlar/rows/arrow_row_input.h"

#include <algorithm>

#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/print/report.h"

namespace ashlar::tool {
namespace {

// A batch takes a small part of the memory for sorting, and is large enough
// that its own costs do not count.
uint64_t BatchBytes() {
  constexpr uint64_t kPartOfMemory = 16;
  constexpr uint64_t kLeast = uint64_t{1} << 18;
  constexpr uint64_t kMost = uint64_t{8} << 20;
  return std::clamp(FLAGS_memory / kPartOfMemory, kLeast, kMost);
}

}  // namespace

Status ArrowRowInput::Fail(const Status& status, FaultText* error_line) const {
  *error_line = FaultLine(*name_, status);
  return status;
}

Status ArrowRowInput::Open(FaultText* error_line) {
  Status status = file_.Open(*name_, format_->Is("parquet"), BatchBytes());
  if (status.ok()) status = file_.ReadSchema();
  if (!status.ok()) return Fail(status, error_line);
  std::string reason;
  if (!columns_.Find(file_.schema(), &reason)) {
    *error_line = {*name_ + ": ", "", reason};
    return Status::InvalidArgument(reason);
  }
  status = file_.Begin(columns_.wanted());
  return status.ok() ? status : Fail(status, error_line);
}

Status ArrowRowInput::TakeBatch(FaultText* error_line) {
  const ArrowArray* batch = nullptr;
  Status status = file_.NextBatch(&batch);
  if (status.IsAborted()) return status;
  next_ = 0;
  at_end_ = batch == nullptr;
  if (status.ok() && batch != nullptr) {
    status = columns_.Bind(*batch).WithPrefix(*name_);
  }
  return status.ok() ? status : Fail(status, error_line);
}

Status ArrowRowInput::Next(FaultText* error_line) {
  constexpr uint64_t kRowsBetweenLooks = 1024;
  row_ = nullptr;
  while (row_ == nullptr) {
    while (!at_end_ && next_ == columns_.length()) {
      Status status = TakeBatch(error_line);
      if (!status.ok()) return status;
    }
    if (at_end_) return {};
    if (++rows_ % kRowsBetweenLooks == 0 && Interrupted()) {
      return Status::Aborted("interrupted");
    }
    made_ = Row();
    made_.place = {name_, rows_};
    std::string reason;
    if (columns_.MakeRow(next_++, &made_, &reason)) {
      row_ = &made_;
      continue;
    }
    Status status = bad_rows_->Take(
        made_.place, reason,
        bad_rows_->keeps_lines() ? columns_.TextOf(next_ - 1) : std::string(),
        false, error_line);
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace ashlar::tool
