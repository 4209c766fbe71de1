#include "tools/ashlar/rows/bad_rows.h"

#include <utility>

#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/print/report.h"
#include "tools/escaped_text.h"

namespace ashlar::tool {

BadRows::BadRows(uint64_t most, std::string path)
    : most_(most), path_(std::move(path)) {}

BadRows::~BadRows() = default;

Status BadRows::Open() {
  if (path_.empty()) return Status();
  auto file = AtomicFile::Create(path_, {.overwrite = FLAGS_overwrite});
  if (!file.ok()) return file.status();
  file_ = std::move(file).value();
  out_ = std::make_unique<Output>(file_->file());
  out_->Append("input\tline\treason\trow\n");
  return Status();
}

Status BadRows::Close() {
  if (file_ == nullptr) return Status();
  if (!out_->Flush()) return out_->file_status();
  return file_->Commit();
}

Status BadRows::Take(const RowPlace& place, const std::string& reason,
                     const std::string& line, bool ends_run,
                     FaultText* error_line) {
  ++count_;
  if (file_ != nullptr) {
    out_->Append(Escape(*place.input) + "\t" + std::to_string(place.line) +
                 "\t" + Escape(reason) + "\t" + Escape(line) + "\n");
    if (!out_->file_status().ok()) {
      *error_line = FaultLine(path_, out_->file_status());
      return out_->file_status();
    }
  }
  if (!ends_run && count_ <= most_) return Status();
  std::string text = reason;
  if (!ends_run && most_ != 0) {
    text +=
        " (the first bad row above --max_bad_rows=" + std::to_string(most_) +
        ")";
  }
  *error_line = {place.ToString() + ": ", "", text};
  return Status::InvalidArgument(reason);
}

}  // namespace ashlar::tool
