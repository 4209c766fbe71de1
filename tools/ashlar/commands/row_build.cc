#include "tools/ashlar/commands/row_build.h"

#include <utility>

#include "tools/ashlar/print/progress.h"
#include "tools/ashlar/print/report.h"
#include "tools/ashlar/rows/scratch_folder.h"

namespace ashlar::tool {
namespace {

// After how many bytes of keys and values the program guesses how many there
// will be: fewer than a sorter writes at once.
constexpr uint64_t kBytesForGuess = uint64_t{16} << 20;

DuplicateRule ChosenDuplicateRule() {
  if (FLAGS_on_duplicate == "first") return DuplicateRule::kFirst;
  if (FLAGS_on_duplicate == "last") return DuplicateRule::kLast;
  return DuplicateRule::kError;
}

}  // namespace

RowBuild::RowBuild(SinkOptions options, RowFormat format, RowRange range,
                   const std::vector<std::string>& inputs)
    : options_(std::move(options)),
      range_(std::move(range)),
      bad_rows_(FLAGS_max_bad_rows, FLAGS_bad_rows),
      inputs_(inputs, std::move(format),
              FLAGS_merge_inputs ? options_.table.comparator : nullptr,
              &bad_rows_, &workers_) {}

Status RowBuild::Run() {
  Status status = bad_rows_.Open();
  if (!status.ok()) return Fail(bad_rows_.path(), status);
  status = MakeTable();
  const Status closed = bad_rows_.Close();
  return status.ok() && !closed.ok() ? Fail(bad_rows_.path(), closed) : status;
}

RowCounts RowBuild::counts() const {
  return {inputs_.count(), bad_rows_.count(),
          rows_ == nullptr ? 0 : rows_->duplicates(), range_.rows_outside(),
          options_.dry_run};
}

Status RowBuild::MakeTable() {
  Status status = inputs_.ForEach(
      [this](const Row& row) { return TakeRow(row); }, &error_line_);
  if (status.ok() && sorter_ != nullptr) status = AddSorted();
  if (status.ok() && sink_ == nullptr) {
    status = Begin(FLAGS_external || FLAGS_input_format != "hex");
  }
  if (!status.ok()) return status;
  status = rows_->Flush();
  if (!status.ok()) return FailAt(rows_->bad_place(), status);
  // Until now, an interrupt leaves nothing behind.
  if (Interrupted()) return Status::Aborted("interrupted");
  status = sink_->Finish();
  return status.ok() ? status : Fail(options_.path, status);
}

Status RowBuild::Fail(const std::string& place, const Status& status) {
  is_about_row_ = false;
  error_line_ = FaultLine(place, status);
  return status;
}

// Sets the error line for a row. It shows the status code only if that is
// unusual.
Status RowBuild::FailAt(const RowPlace& place, const Status& status) {
  // This is a check of the output, which has rows that were added earlier.
  // This row is not to blame.
  if (status.IsCorruption()) return Fail(options_.path, status);
  std::string text(status.message());
  if (text.starts_with(options_.path + ": ")) {
    text.erase(0, options_.path.size() + 2);
  }
  error_line_ = {place.ToString() + ": ", "", text};
  if (!status.IsInvalidArgument()) {
    error_line_.fault = StatusCodeName(status.code());
    error_line_.after = ": " + text;
  }
  return status;
}

// Sets the error line for the scratch files.
Status RowBuild::FailToSort(const Status& status) {
  if (status.IsMemoryLimit()) return Fail(options_.path, status);
  error_line_ = FaultLine(ScratchFolder(), status);
  error_line_.after +=
      "; rows that --memory does not hold are sorted there; --tmpdir sets "
      "another folder";
  // This text replaces the advice that the errno would cause.
  return status.IsIOError() ? Status::IOError(error_line_.ToString()) : status;
}

Status RowBuild::TakeRow(const Row& row) {
  if (sink_ == nullptr) {
    Status status = Begin(FLAGS_external || !row.has_sequence);
    if (!status.ok()) return status;
  }
  if (row.has_sequence && options_.external && !FLAGS_external) {
    return FailAt(row.place,
                  Status::InvalidArgument(
                      "this row has a seq, but the first row has none"));
  }
  const Row* const inside = range_.Narrow(row, *options_.table.comparator);
  if (inside == nullptr) return Status();
  const bool at_once =
      sorter_ == nullptr || row.type == ValueType::kTypeRangeDeletion;
  return at_once ? AddRow(*inside) : AddToSorter(*inside);
}

// Creates the output. The first row determines which kind of table it is.
Status RowBuild::Begin(bool external) {
  options_.external = external;
  auto sink = TableOutput::Create(options_);
  if (!sink.ok()) return Fail(options_.path, sink.status());
  sink_ = std::move(sink).value();
  rows_ = std::make_unique<OrderedRows>(&options_, ChosenDuplicateRule(),
                                        sink_.get());
  if (!FLAGS_sorted || MustKnowAllRanges()) {
    Status status = MakeSorter();
    if (!status.ok()) return FailToSort(status);
  }
  if (FLAGS_sorted && sorter_ != nullptr) {
    check_ = std::make_unique<OrderCheck>(&options_);
    checked_rows_ = std::make_unique<OrderedRows>(
        &options_, ChosenDuplicateRule(), check_.get());
  }
  return Status();
}

Status RowBuild::MakeSorter() {
  EntrySorterOptions options;
  options.comparator = options_.table.comparator;
  options.internal_keys = !options_.external;
  options.memory = FLAGS_memory;
  options.temp_folder = ScratchFolder();
  options.threads = 1;
  options.worker_pool = workers_.pool();
  options.is_cancelled = Interrupted;
  auto sorter = EntrySorter::Create(options);
  if (!sorter.ok()) return sorter.status();
  sorter_ = std::move(sorter).value();
  return Status();
}

// Returns whether all range deletions must be known before the first entry,
// as a set of tables requires. They may be anywhere in the input, except in
// tsv and csv, which have none.
bool RowBuild::MustKnowAllRanges() const {
  return options_.build.target_file_size != 0 &&
         (FLAGS_input_format == "hex" || FLAGS_input_format == "jsonl");
}

Status RowBuild::AddRow(const Row& row, OrderedRows* rows) {
  const Status status = rows->Add(row);
  return status.ok() ? status : FailAt(rows->bad_place(), status);
}

// Tells the sorter how much will come, if the rest of the inputs is like what
// was read.
void RowBuild::GuessBytes() {
  has_guessed_ = true;
  const uint64_t read = inputs_.BytesRead();
  if (read == 0) return;
  const double part =
      static_cast<double>(inputs_.BytesOfFiles()) / static_cast<double>(read);
  sorter_->ExpectBytes(
      static_cast<uint64_t>(static_cast<double>(sorted_bytes_) * part));
}

Status RowBuild::AddToSorter(const Row& row) {
  if (!CanBeSorted(row)) return Refuse(row);
  if (checked_rows_ != nullptr) {
    Status status = AddRow(row, checked_rows_.get());
    if (!status.ok()) return status;
  }
  const Status status = sorter_->Add({row.key, row.value, row.sequence,
                                      row.type, inputs_.NumberOf(row.place)});
  sorted_bytes_ += row.key.size() + row.value.size();
  if (!has_guessed_ && sorted_bytes_ >= kBytesForGuess) GuessBytes();
  return status.ok() || status.IsAborted() ? status : FailToSort(status);
}

bool RowBuild::CanBeSorted(const Row& row) const {
  return row.key.size() >= options_.table.comparator->timestamp_size() &&
         row.key.size() <=
             TableBuilder::kMaxUserKeyBytes - kInternalKeyTailBytes &&
         row.value.size() < TableBuilder::kMaxValueBytes &&
         (row.sequence == 0 || !options_.external);
}

// Returns the sink's error for a row that cannot be compared.
Status RowBuild::Refuse(const Row& row) {
  const Status status = sink_->Add(row);
  return FailAt(row.place,
                status.ok()
                    ? Status::NotSupported("the row is too large to be sorted")
                    : status);
}

Status RowBuild::AddSorted() {
  constexpr uint64_t kRowsBetweenLooks = 1024;
  bool taken = true;
  uint64_t rows = 0;
  const SortProgress all = sorter_->progress();
  Progress progress(options_.path);
  const Status status = sorter_->ForEach([&](const SortEntry& sorted) {
    if (++rows % kRowsBetweenLooks == 0) {
      progress.UpdateByEntries(rows, all.entries, all.entry_bytes);
    }
    Row row;
    row.key = sorted.user_key;
    row.value = sorted.value;
    row.sequence = sorted.sequence;
    row.type = sorted.type;
    row.place = inputs_.PlaceOf(sorted.number);
    Status added = AddRow(row);
    taken = added.ok();
    return added;
  });
  const bool is_reported = status.ok() || status.IsAborted() || !taken;
  return is_reported ? status : FailToSort(status);
}

}  // namespace ashlar::tool
