#include "tools/ashlar/rows/text_row_input.h"

#include <algorithm>
#include <optional>

#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/print/report.h"
#include "tools/memory_limit.h"

namespace ashlar::tool {
namespace {

// One batch is shown and the others are ahead: two for each worker, so that one
// that has finished finds another.
size_t RingSize(const WorkerPool* pool) {
  constexpr size_t kMostAhead = 16;
  const size_t workers = pool == nullptr ? 0 : pool->threads();
  return 1 + std::min(2 * workers, kMostAhead);
}

}  // namespace

TextRowInput::TextRowInput(const std::string* name, const RowFormat& format,
                           RowParser* parser, BadRows* bad_rows,
                           WorkerPool* pool)
    : name_(name),
      parser_(parser),
      bad_rows_(bad_rows),
      pool_(pool),
      reader_(*name,
              format.Is("csv") ? std::optional(format.delimiter) : std::nullopt,
              FLAGS_max_row_bytes),
      ring_(RingSize(pool)) {}

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
  constexpr size_t kRowsBetweenLooks = 1024;
  row_ = nullptr;
  while (true) {
    if (current_ == nullptr) {
      Status status = MoveToBatch();
      if (!status.ok()) return status;
      if (current_ == nullptr) return End(error_line);
      if (Interrupted()) return Status::Aborted("interrupted");
    }
    if (next_bad_ < current_->bad.size() &&
        current_->bad[next_bad_].rows_before == next_row_) {
      Status status = TakeBadLine(current_->bad[next_bad_++], error_line);
      if (!status.ok()) return status;
      continue;
    }
    if (next_row_ < current_->rows.size()) break;
    if (!current_->IsParsed()) {
      ParseMore();
      continue;
    }
    FreeCurrent();
  }
  row_ = &current_->rows[next_row_++];
  return next_row_ % kRowsBetweenLooks == 0 && Interrupted()
             ? Status::Aborted("interrupted")
             : Status();
}

Status TextRowInput::MoveToBatch() {
  ReadAhead();
  if (shown_ == filled_) return {};
  AheadBatch& batch = At(shown_);
  Status parsed = batch.parsing.Wait();
  // Only a lack of memory is an error.
  if (!IsOkOrThrow(parsed)) return parsed;
  current_ = &batch.rows;
  next_row_ = next_bad_ = 0;
  return {};
}

// Goes on with the current batch, whose first rows were shown.
void TextRowInput::ParseMore() {
  AheadBatch& batch = At(shown_);
  Parse(batch.parser != nullptr ? batch.parser.get() : parser_, &batch.rows);
  next_row_ = next_bad_ = 0;
}

// A batch that has grown for a large line gives its memory back, since the
// others of the ring may grow too.
void TextRowInput::FreeCurrent() {
  if (current_->lines.capacity > LineReader::kBatchBytes) {
    ring_[shown_ % ring_.size()].reset();
  }
  current_ = nullptr;
  ++shown_;
}

void TextRowInput::Parse(RowParser* parser, RowBatch* batch) const {
  ParseLines(parser, name_, bad_rows_->keeps_lines(), bad_rows_->most(), batch);
}

// Fills the free batches. The first one is needed now; for the others the owner
// does not wait.
void TextRowInput::ReadAhead() {
  while (!at_end_ && filled_ - shown_ < ring_.size()) {
    if (filled_ != shown_ && !reader_.MayReadAhead()) return;
    std::unique_ptr<AheadBatch>& batch = ring_[filled_ % ring_.size()];
    if (batch == nullptr) batch = std::make_unique<AheadBatch>();
    at_end_ = !reader_.Next(&batch->rows.lines);
    if (at_end_) return;
    ++filled_;
    StartToParse(batch.get());
  }
}

void TextRowInput::StartToParse(AheadBatch* batch) {
  batch->rows.parsed = 0;
  if (pool_ == nullptr || !parser_->IsSettled()) {
    Parse(parser_, &batch->rows);
    // Nobody may go on with a parser that has refused its input.
    if (batch->rows.EndsRun()) at_end_ = true;
    return;
  }
  if (batch->parser == nullptr) batch->parser = parser_->Copy();
  batch->parsing.Start(pool_, [this, batch] {
    Parse(batch->parser.get(), &batch->rows);
    return Status();
  });
}

Status TextRowInput::TakeBadLine(const BadLine& line, FaultText* error_line) {
  return bad_rows_->Take(line.place, line.reason, line.text, line.ends_run,
                         error_line);
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
