#include "tools/ashlar/rows/input_rows.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "ashlar/util/worker_pool.h"
#include "tools/ashlar/print/progress.h"
#include "tools/ashlar/rows/arrow_row_input.h"
#include "tools/ashlar/rows/row_parser.h"
#include "tools/ashlar/rows/text_row_input.h"

namespace ashlar::tool {
namespace {

constexpr uint64_t kRowsBetweenLooks = 1024;

// Adds the files in a folder.
Status AddFiles(const std::string& folder, std::vector<std::string>* names) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> files;
  uint64_t folders = 0;
  fs::directory_iterator at(folder, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with('.') || name.starts_with('_')) continue;
    std::error_code of_entry;
    if (at->is_directory(of_entry)) {
      ++folders;
    } else {
      // Of a link that leads nowhere, the opening is the error.
      files.push_back(at->path().string());
    }
  }
  if (folders != 0) {
    PrintWarning(folder + ": folders in it that are not read: " +
                 std::to_string(folders));
  }
  if (error) return Status::FromErrno("read", folder, error.value());
  if (files.empty()) return Status::NotFound(folder + ": no file in it");
  std::sort(files.begin(), files.end());
  names->insert(names->end(), files.begin(), files.end());
  return {};
}

// Of an input of lines, `parser` parses them. Workers of `pool` help, unless it
// is null.
std::unique_ptr<RowInput> NewRowInput(const std::string* name,
                                      const RowFormat* format,
                                      RowParser* parser, BadRows* bad_rows,
                                      WorkerPool* pool) {
  if (format->IsArrow()) {
    return std::make_unique<ArrowRowInput>(name, format, bad_rows);
  }
  return std::make_unique<TextRowInput>(name, *format, parser, bad_rows, pool);
}

// One of several inputs that are merged.
struct MergedInput {
  MergedInput(const std::string* name, const RowFormat* format,
              BadRows* bad_rows)
      : parser(NewRowParser(format)),
        rows(NewRowInput(name, format, parser.get(), bad_rows, nullptr)) {}

  const std::unique_ptr<RowParser> parser;
  const std::unique_ptr<RowInput> rows;
};

// Whether a row comes before another: by key, and with sequence numbers the
// newest first.
int CompareMerged(const Comparator& order, const Row& a, const Row& b) {
  const int by_key = order.Compare(a.key, b.key);
  if (by_key != 0 || !a.has_sequence || !b.has_sequence) return by_key;
  const uint64_t a_tail = PackTail(a.sequence, a.type);
  const uint64_t b_tail = PackTail(b.sequence, b.type);
  return a_tail == b_tail ? 0 : a_tail > b_tail ? -1 : 1;
}

}  // namespace

Result<std::vector<std::string>> ExpandRowInputs(
    const std::vector<std::string>& names) {
  std::vector<std::string> files;
  if (std::count(names.begin(), names.end(), "-") > 1) {
    return Status::InvalidArgument("'-', standard input, is named twice");
  }
  for (const std::string& name : names) {
    std::error_code error;
    if (name == "-" || !std::filesystem::is_directory(name, error)) {
      files.push_back(name);
      continue;
    }
    Status status = AddFiles(name, &files);
    if (!status.ok()) return status;
  }
  return files;
}

InputRows::InputRows(const std::vector<std::string>& names, RowFormat format,
                     const Comparator* merge_by, BadRows* bad_rows,
                     Workers* workers)
    : names_(names.empty() ? std::vector<std::string>{"-"} : names),
      format_(std::move(format)),
      merge_by_(merge_by),
      bad_rows_(bad_rows),
      workers_(workers) {}

Status InputRows::ForEach(const Take& take, FaultText* error_line) {
  return merge_by_ != nullptr && names_.size() > 1
             ? Merge(take, error_line)
             : ReadOneByOne(take, error_line);
}

// Opens an input, and moves to its first row.
Status InputRows::FindFirst(size_t i, RowInput* input, FaultText* error_line) {
  Status status = input->Open(error_line);
  if (status.ok()) status = input->Next(error_line);
  if (input->skipped_byte_order_mark() && !warned_of_byte_order_mark_) {
    warned_of_byte_order_mark_ = true;
    PrintWarning(names_[i] +
                 ": skipped a byte order mark before the first row");
  }
  return status;
}

Status InputRows::ReadOneByOne(const Take& take, FaultText* error_line) {
  const std::unique_ptr<RowParser> parser = NewRowParser(&format_);
  uint64_t before_input = 0;  // bytes of the inputs before
  for (size_t i = 0; i < names_.size(); ++i) {
    before_.push_back(last_);
    Progress::SetFile(i + 1, names_.size());
    Progress progress(names_[i]);
    const std::unique_ptr<RowInput> input = NewRowInput(
        &names_[i], &format_, parser.get(), bad_rows_, workers_->pool());
    Status status = FindFirst(i, input.get(), error_line);
    while (status.ok() && input->row() != nullptr) {
      if (++count_ % kRowsBetweenLooks == 0) {
        bytes_read_ = before_input + input->position();
        if (!progress.Update(input->position(), input->size())) {
          return Status::Aborted("interrupted");
        }
      }
      status = take(*input->row());
      if (status.ok()) status = input->Next(error_line);
    }
    if (!status.ok()) return status;
    before_input += input->position();
  }
  return {};
}

Status InputRows::Merge(const Take& take, FaultText* error_line) {
  std::vector<std::unique_ptr<MergedInput>> inputs;
  // A heap of the inputs that have a row. The first one has the next.
  std::vector<size_t> next;
  const auto is_after = [&](size_t a, size_t b) {
    const int order = CompareMerged(*merge_by_, *inputs[a]->rows->row(),
                                    *inputs[b]->rows->row());
    return order != 0 ? order > 0 : a > b;
  };
  const auto queue = [&](size_t i) -> Status {
    const Row* row = inputs[i]->rows->row();
    // Range deletions may be anywhere. Keys without room for a timestamp cannot
    // be compared: the output says so.
    while (row != nullptr && (row->type == ValueType::kTypeRangeDeletion ||
                              row->key.size() < merge_by_->timestamp_size())) {
      ++count_;
      Status status = take(*row);
      if (status.ok()) status = inputs[i]->rows->Next(error_line);
      if (!status.ok()) return status;
      row = inputs[i]->rows->row();
    }
    if (row == nullptr) return {};
    next.push_back(i);
    std::push_heap(next.begin(), next.end(), is_after);
    return {};
  };
  for (size_t i = 0; i < names_.size(); ++i) {
    inputs.push_back(
        std::make_unique<MergedInput>(&names_[i], &format_, bad_rows_));
    Status status = FindFirst(i, inputs[i]->rows.get(), error_line);
    if (status.ok()) status = queue(i);
    if (!status.ok()) return status;
  }
  Progress progress(std::to_string(names_.size()) + " inputs");
  while (!next.empty()) {
    std::pop_heap(next.begin(), next.end(), is_after);
    const size_t i = next.back();
    next.pop_back();
    if (++count_ % kRowsBetweenLooks == 0) {
      uint64_t done = 0;
      uint64_t total = 0;
      for (const auto& input : inputs) {
        done += input->rows->position();
        total += input->rows->size();
      }
      if (!progress.Update(done, total)) return Status::Aborted("interrupted");
    }
    Status status = take(*inputs[i]->rows->row());
    if (status.ok()) status = inputs[i]->rows->Next(error_line);
    if (status.ok()) status = queue(i);
    if (!status.ok()) return status;
  }
  return {};
}

uint64_t InputRows::BytesOfFiles() const {
  uint64_t bytes = 0;
  for (const std::string& name : names_) {
    std::error_code error;
    const uintmax_t size = std::filesystem::file_size(name, error);
    if (name != "-" && !error) bytes += size;
  }
  return bytes;
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
