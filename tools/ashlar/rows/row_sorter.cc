#include "tools/ashlar/rows/row_sorter.h"

#include <algorithm>
#include <utility>

#include "tools/ashlar/print/output.h"

namespace ashlar::tool {
namespace {

// An eighth of the memory is left for the program, and for the table builders
// of the runs and of the output. A smaller buffer than kLeast would not help.
size_t BufferBytes(uint64_t memory) {
  constexpr uint64_t kLeast = uint64_t{16} << 10;
  return static_cast<size_t>(std::max((memory - memory / 8) / 2, kLeast));
}

// Runs are merged when the buffers are freed and the output's builder has
// grown.
size_t MergeBytes(uint64_t memory) { return static_cast<size_t>(memory / 4); }

}  // namespace

RowSorter::RowSorter(const Comparator* comparator, bool external,
                     uint64_t memory)
    : form_(comparator, external),
      filled_(&form_, BufferBytes(memory)),
      written_(&form_, BufferBytes(memory)),
      runs_(&form_, MergeBytes(memory)) {}

Status RowSorter::Add(const Row& row, uint64_t number) {
  if (filled_.Add(row, number)) return Status();
  Status status = HandOver();
  if (status.ok()) filled_.Add(row, number);
  return status;
}

Status RowSorter::HandOver() {
  Status status = writing_.Wait();
  if (!status.ok()) return status;
  written_.Clear();
  std::swap(filled_, written_);
  writing_.Start([this] {
    written_.Sort();
    return runs_.Add(written_);
  });
  return Status();
}

Status RowSorter::ForEach(const Take& take) {
  const auto decode = [&](const Slice& key, const Slice& value) {
    uint64_t number;
    const Row row = form_.Read(key, value, &number);
    return take(row, number);
  };
  Status status = writing_.Wait();
  if (!status.ok()) return status;
  filled_.Sort();
  if (runs_.empty()) return ForEachInMemory(decode);
  written_.Free();
  status = runs_.Add(filled_);
  filled_.Free();
  if (status.ok()) status = runs_.Prepare();
  return status.ok() ? runs_.ForEach(decode) : status;
}

Status RowSorter::ForEachInMemory(const SortedRuns::Take& take) {
  constexpr size_t kRowsBetweenLooks = 1024;
  for (size_t i = 0; i < filled_.size(); ++i) {
    if (i % kRowsBetweenLooks == 0 && Interrupted()) {
      return Status::Aborted("interrupted");
    }
    Slice key;
    Slice value;
    filled_.Entry(i, &key, &value);
    Status status = take(key, value);
    if (!status.ok()) return status;
  }
  return Status();
}

}  // namespace ashlar::tool
