#include "check_outputs.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <system_error>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/internal_key_less.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/comparator.h"
#include "plain_key.h"
#include "result_forms.h"

namespace ashlar_rocksdb {

namespace {

namespace fs = std::filesystem;
using ashlar::Comparator;
using ashlar::Status;

Status Fault(const JobOutputFile& file, const std::string& what) {
  return Status::Corruption("the output " + file.file_name + " " + what);
}

Status CheckFile(const fs::path& folder, const JobOutputFile& file) {
  const std::string path = (folder / file.file_name).string();
  std::error_code error;
  // Not the file that a link points to: RocksDB would take the link.
  const fs::file_status kind = fs::symlink_status(path, error);
  if (!error && !fs::is_regular_file(kind)) {
    return Status::Corruption(path + " is no regular file");
  }
  const uint64_t size = error ? 0 : fs::file_size(path, error);
  if (error) {
    return Status::FromErrno("find the size of", path, error.value());
  }
  if (size == file.file_size) return {};
  return Status::Corruption(path + " has " + std::to_string(size) +
                            " bytes instead of " +
                            std::to_string(file.file_size));
}

Status CheckFiles(const CompactionJob& job, const CompactionJobResult& result) {
  if (result.output_files.empty()) return {};
  const fs::path folder(result.output_path);
  std::error_code error;
  // Only the last name is the worker's: the job's folder may have any form.
  const fs::path last = folder.filename();
  if (folder.parent_path() != job.output_folder || last.empty() ||
      last == "." || last == ".." ||
      fs::is_symlink(fs::symlink_status(folder, error))) {
    return Status::InvalidArgument(result.output_path +
                                   " is not in the job's folder");
  }
  std::set<std::string> names;
  for (const JobOutputFile& file : result.output_files) {
    if (!names.insert(file.file_name).second) {
      return Fault(file, "is named twice");
    }
    Status status = CheckFile(folder, file);
    if (!status.ok()) return status;
  }
  return {};
}

// The plain keys that a job may write. The views are into the job.
struct KeyRange {
  ashlar::Slice smallest;
  ashlar::Slice largest;
};

// Requires: the job has inputs, whose keys are internal keys.
KeyRange RangeOf(const CompactionJob& job, const Comparator* order) {
  KeyRange range{.smallest = PlainKey(order, job.inputs.front().smallest),
                 .largest = PlainKey(order, job.inputs.front().largest)};
  for (const JobInputFile& input : job.inputs) {
    const ashlar::Slice smallest = PlainKey(order, input.smallest);
    const ashlar::Slice largest = PlainKey(order, input.largest);
    if (order->CompareWithoutTimestamp(smallest, range.smallest) < 0) {
      range.smallest = smallest;
    }
    if (order->CompareWithoutTimestamp(largest, range.largest) > 0) {
      range.largest = largest;
    }
  }
  return range;
}

bool IsInRange(const CompactionJob& job, const KeyRange& range,
               const Comparator* order, const JobOutputFile& file) {
  const ashlar::Slice smallest = PlainKey(order, file.smallest);
  const ashlar::Slice largest = PlainKey(order, file.largest);
  if (order->CompareWithoutTimestamp(smallest, range.smallest) < 0 ||
      order->CompareWithoutTimestamp(largest, range.largest) > 0) {
    return false;
  }
  // RocksDB divides a job at keys that have timestamps.
  if (job.begin && order->CompareWithoutTimestamp(
                       smallest, WithoutTime(order, *job.begin)) < 0) {
    return false;
  }
  if (!job.end) return true;
  const int at_end =
      order->CompareWithoutTimestamp(largest, WithoutTime(order, *job.end));
  // A range deletion that is cut there ends at the end itself, exclusively.
  return at_end < 0 ||
         (at_end == 0 && ashlar::IsRangeDeletionEnd(file.largest));
}

Status CheckKeys(const CompactionJob& job, const CompactionJobResult& result) {
  const Comparator* const order =
      ashlar::FindBuiltinComparator(job.column_family.comparator);
  if (order == nullptr || job.inputs.empty()) return {};
  const KeyRange range = RangeOf(job, order);
  // Files of the two output levels may overlap each other.
  std::array<const JobOutputFile*, 2> before = {};
  for (const JobOutputFile& file : result.output_files) {
    const size_t least = std::min(ashlar::UserKeyOf(file.smallest).size(),
                                  ashlar::UserKeyOf(file.largest).size());
    if (least < order->timestamp_size()) {
      return Fault(file, "has a key without a timestamp");
    }
    if (CompareInternalKeys(order, file.smallest, file.largest) > 0) {
      return Fault(file, "has a smallest key after its largest one");
    }
    if (!IsInRange(job, range, order, file)) {
      return Fault(file, "has keys outside the job's range");
    }
    const JobOutputFile*& last = before[file.is_proximal_level_output ? 1 : 0];
    if (last != nullptr &&
        CompareInternalKeys(order, last->largest, file.smallest) >= 0) {
      return Fault(file, "does not begin after " + last->file_name);
    }
    last = &file;
  }
  return {};
}

Status CheckSequenceNumbers(const CompactionJob& job,
                            const CompactionJobResult& result) {
  uint64_t smallest = std::numeric_limits<uint64_t>::max();
  uint64_t largest = 0;
  for (const JobInputFile& input : job.inputs) {
    smallest = std::min(smallest, input.smallest_seqno);
    largest = std::max(largest, input.largest_seqno);
  }
  for (const JobOutputFile& file : result.output_files) {
    const bool is_zeroed = job.bottommost && file.smallest_seqno == 0;
    if (file.smallest_seqno > file.largest_seqno ||
        file.largest_seqno > largest ||
        (file.smallest_seqno < smallest && !is_zeroed)) {
      return Fault(file, "has sequence numbers " +
                             std::to_string(file.smallest_seqno) + " to " +
                             std::to_string(file.largest_seqno) +
                             ", which are not the inputs'");
    }
  }
  return {};
}

uint64_t FigureOf(const Figures& figures, const char* name) {
  const auto found = figures.find(name);
  return found == figures.end() ? 0 : found->second;
}

// RocksDB compares the same sums, and fails the compaction.
Status CheckOutputRecords(const CompactionJobResult& result) {
  uint64_t records = 0;
  for (const JobOutputFile& file : result.output_files) {
    rocksdb::TableProperties properties;
    Status status = ParseProperties(file, &properties);
    if (!status.ok()) return status;
    records += properties.num_entries - properties.num_range_deletions;
  }
  uint64_t said = FigureOf(result.output_level_stats, "num_output_records");
  if (result.has_proximal_level_output) {
    said += FigureOf(result.proximal_level_stats, "num_output_records");
  }
  if (said == records) return {};
  return Status::Corruption(
      "the result says that it has " + std::to_string(said) +
      " output records, and its tables have " + std::to_string(records));
}

// Sets *records to what a compaction of whole inputs must read. Returns false
// if that is not known: RocksDB can then still compare the sum of all parts.
bool CountInputRecords(const CompactionJob& job, uint64_t* records) {
  *records = 0;
  ashlar::ReaderOptions options;
  options.comparator =
      ashlar::FindBuiltinComparator(job.column_family.comparator);
  options.skip_filters = true;
  if (options.comparator == nullptr) return false;
  for (const JobInputFile& input : job.inputs) {
    if (input.largest_seqno < ashlar::kMaxSequenceNumber) {
      options.largest_seqno = input.largest_seqno;
    }
    const auto reader = ashlar::TableReader::Open(input.path, options);
    options.largest_seqno = ashlar::ReaderOptions().largest_seqno;
    if (!reader.ok()) return false;
    const ashlar::TableProperties& properties = (*reader)->properties();
    *records += properties.num_entries - properties.num_range_deletions;
  }
  return true;
}

Status CheckInputRecords(const CompactionJob& job,
                         const CompactionJobResult& result) {
  uint64_t expected = 0;
  if (FigureOf(result.stats, "has_accurate_num_input_records") == 0 ||
      !CountInputRecords(job, &expected)) {
    return {};
  }
  const uint64_t said = FigureOf(result.stats, "num_input_records");
  // A part of a compaction reads less, and so does a universal one: RocksDB
  // leaves files out of it that a range deletion covers.
  const auto style = job.options.column_family.find("compaction_style");
  const bool is_whole = !job.begin && !job.end &&
                        style != job.options.column_family.end() &&
                        style->second == "kCompactionStyleLevel";
  if (said == expected || (said < expected && !is_whole)) return {};
  return Status::Corruption(
      "the result says that the worker has read " + std::to_string(said) +
      " records, and the inputs have " + std::to_string(expected));
}

}  // namespace

ashlar::Status CheckOutputs(const CompactionJob& job,
                            const CompactionJobResult& result) {
  if (result.output_level != job.output_level) {
    return Status::InvalidArgument(
        "the result is of level " + std::to_string(result.output_level) +
        ", and the job of level " + std::to_string(job.output_level));
  }
  Status status = CheckFiles(job, result);
  if (status.ok()) status = CheckKeys(job, result);
  if (status.ok()) status = CheckSequenceNumbers(job, result);
  if (status.ok()) status = CheckOutputRecords(result);
  if (status.ok()) status = CheckInputRecords(job, result);
  return status;
}

}  // namespace ashlar_rocksdb
