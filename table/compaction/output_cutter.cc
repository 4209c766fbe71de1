// The first of these that fits ends an output before a key. "The output" is the
// open one; its size is that of its written blocks. Keys move over
// `cut_around` and `grandparents` also while no output is open.
//
//   the key enters a file of cut_around, or is the first behind one
//   the partitioner asks for it
//   size >= limit: the target, or twice the target if the compaction is not
//     bottommost and has grandparents
//   the key is the first at or behind cut_at
//   the key crossed borders of grandparents, and
//     the grandparents overlapped + size > max_compaction_bytes
//     or, in level style
//     a whole grandparent was skipped: three borders (two, if the key is in a
//       gap), and more than target / 8 bytes between them
//     size >= target / 100, rounded up, x (50 + 5 for each border that was
//       crossed since the output began, 40 at most): full enough to end at a
//       good place
//
// Both sides of a file are borders. The walk: in a gap, a key at or behind the
// next file's smallest enters it; in a file, a key behind its largest leaves
// it, also one that is equal to it if the next file begins with that key. User
// keys are compared; a largest key that is the end of a range deletion is in
// front of its user key.
//
// A cut that would part versions of a user key waits for the next user key,
// unless cut_inside_user_keys.

#include "ashlar/table/output_cutter.h"

#include <algorithm>
#include <utility>

#include "ashlar/table/internal_key_less.h"

namespace ashlar {

namespace {

uint64_t LimitOf(const OutputCutterOptions& options) {
  const uint64_t target = options.target_file_size;
  if (options.bottommost || options.grandparents.empty()) return target;
  return target > OutputCutterOptions::kNoLimit / 2
             ? OutputCutterOptions::kNoLimit
             : 2 * target;
}

}  // namespace

OutputCutter::OutputCutter(OutputCutterOptions options)
    : options_(std::move(options)),
      timestamp_size_(options_.comparator->timestamp_size()),
      limit_(LimitOf(options_)),
      cut_at_passed_(options_.cut_at.empty()) {}

// Compares user keys without their timestamps.
int OutputCutter::Compare(const Slice& a, const Slice& b) const {
  // Once or twice per entry: without a virtual call.
  if (options_.comparator == BytewiseComparator()) return a.compare(b);
  return options_.comparator->CompareWithoutTimestamp(
      WithoutTimestamp(a, timestamp_size_),
      WithoutTimestamp(b, timestamp_size_));
}

int OutputCutter::CompareToLargest(const Slice& user_key,
                                   const FileRange& file) const {
  const int order = Compare(user_key, UserKeyOf(file.largest));
  return order == 0 && IsRangeDeletionEnd(file.largest) ? 1 : order;
}

void OutputCutter::CrossBorder() {
  if (!any_key_) return;
  ++borders_now_;
  ++borders_;
}

void OutputCutter::PassGrandparents(const Slice& user_key) {
  const std::vector<FileRange>& files = options_.grandparents;
  borders_now_ = 0;
  overlap_before_ = overlap_;
  while (at_ < files.size()) {
    if (!in_file_) {
      if (Compare(user_key, UserKeyOf(files[at_].smallest)) < 0) break;
      in_file_ = true;
      CrossBorder();
      if (any_key_) overlap_ += files[at_].size;
      continue;
    }
    const int order = CompareToLargest(user_key, files[at_]);
    const bool shares =
        order == 0 && at_ + 1 < files.size() &&
        Compare(user_key, UserKeyOf(files[at_ + 1].smallest)) == 0;
    if (order < 0 || (order == 0 && !shares)) break;
    in_file_ = false;
    CrossBorder();
    ++at_;
  }
  if (!any_key_) overlap_ = OverlapAt(user_key);
  any_key_ = true;
}

// Returns the bytes of the grandparents that have this key.
uint64_t OutputCutter::OverlapAt(const Slice& user_key) const {
  const std::vector<FileRange>& files = options_.grandparents;
  if (!in_file_) return 0;
  uint64_t bytes = files[at_].size;
  for (size_t i = at_; i > 0; --i) {
    if (CompareToLargest(user_key, files[i - 1]) != 0) break;
    bytes += files[i - 1].size;
  }
  return bytes;
}

bool OutputCutter::CrossesCutAround(const Slice& user_key, uint64_t tail) {
  const std::vector<FileRange>& files = options_.cut_around;
  if (next_around_ == files.size()) return false;
  const std::string key =
      MakeInternalKey(user_key, tail >> 8, static_cast<ValueType>(tail & 0xff));
  const auto compare = [&](const std::string& other) {
    return CompareInternalKeys(options_.comparator, key, other);
  };
  if (in_around_) {
    if (compare(files[next_around_].largest) <= 0) return false;
    in_around_ = false;
    ++next_around_;
    return true;
  }
  for (; next_around_ < files.size(); ++next_around_) {
    if (compare(files[next_around_].smallest) < 0) return false;
    if (compare(files[next_around_].largest) <= 0) {
      in_around_ = true;
      return true;
    }
  }
  return false;
}

bool OutputCutter::WantsCutAtBorder(uint64_t file_size) const {
  if (borders_now_ == 0) return false;
  if (overlap_ > options_.max_compaction_bytes ||
      file_size > options_.max_compaction_bytes - overlap_) {
    return true;
  }
  const uint64_t target = options_.target_file_size;
  if (!options_.level_style || target == OutputCutterOptions::kNoLimit) {
    return false;
  }
  if (borders_now_ >= (in_file_ ? 3U : 2U) &&
      overlap_ - overlap_before_ > target / 8) {
    return true;
  }
  constexpr uint64_t kPercent = 100;
  const uint64_t enough = 50 + std::min<uint64_t>(5 * borders_, 40);
  return file_size >= (target / kPercent + (target % kPercent != 0)) * enough;
}

bool OutputCutter::WantsCut(const Slice& user_key, uint64_t tail,
                            uint64_t file_size, bool crosses_cut_around) {
  if (crosses_cut_around) return true;
  if (options_.partitioner != nullptr &&
      options_.partitioner->ShouldPartition(previous_, user_key, file_size)) {
    return true;
  }
  if (file_size >= limit_) return true;
  if (!cut_at_passed_ &&
      CompareInternalKeys(options_.comparator,
                          MakeInternalKey(user_key, tail >> 8,
                                          static_cast<ValueType>(tail & 0xff)),
                          options_.cut_at) >= 0) {
    cut_at_passed_ = true;
    return true;
  }
  return WantsCutAtBorder(file_size);
}

bool OutputCutter::ShouldCutBefore(const Slice& user_key, uint64_t tail,
                                   bool is_begin, bool has_output,
                                   uint64_t file_size) {
  PassGrandparents(user_key);
  const bool crosses = CrossesCutAround(user_key, tail);
  bool cut =
      has_output && (owes_cut_ || WantsCut(user_key, tail, file_size, crosses));
  if (!has_output) owes_cut_ = false;
  if (cut && !options_.cut_inside_user_keys && any_entry_ &&
      Compare(user_key, last_entry_) == 0) {
    owes_cut_ = true;
    cut = false;
  }
  if (cut) {
    owes_cut_ = false;
    borders_ = 0;
    overlap_ = OverlapAt(user_key);
  }
  if (options_.partitioner != nullptr) {
    previous_.assign(user_key.data(), user_key.size());
  }
  if (!is_begin && !options_.cut_inside_user_keys) {
    last_entry_.assign(user_key.data(), user_key.size());
    any_entry_ = true;
  }
  return cut;
}

OutputRanges::OutputRanges(const Comparator* comparator, std::string start,
                           std::string end)
    : comparator_(comparator), start_(std::move(start)), end_(std::move(end)) {}

// Returns the internal key in front of all versions of a user key, which is
// given without timestamp.
std::string OutputRanges::Border(const Slice& user_key) const {
  std::string key = user_key.ToString();
  key.append(comparator_->timestamp_size(), '\xff');
  AppendInternalKey(Slice(), kMaxSequenceNumber, ValueType::kTypeRangeDeletion,
                    &key);
  return key;
}

void OutputRanges::Open(const Slice& user_key, uint64_t tail) {
  first_ =
      MakeInternalKey(user_key, tail >> 8, static_cast<ValueType>(tail & 0xff));
}

RangeDeletionAggregator::OutputRange OutputRanges::Close(
    const Slice& last_entry, const Slice& next) const {
  RangeDeletionAggregator::OutputRange range;
  if (any_kept_) {
    range.lower = first_;
  } else if (!start_.empty()) {
    range.lower = Border(start_);
  }
  if (next.empty()) {
    if (!end_.empty()) range.upper = Border(end_);
    return range;
  }
  const size_t size = comparator_->timestamp_size();
  const Slice next_key = WithoutTimestamp(UserKeyOf(next), size);
  const bool parts_key =
      !last_entry.empty() &&
      WithoutTimestamp(UserKeyOf(last_entry), size) == next_key;
  range.upper = parts_key ? last_entry.ToString() : Border(next_key);
  return range;
}

OlderFiles::OlderFiles(const Comparator* comparator,
                       std::vector<std::vector<FileRange>> levels)
    : comparator_(comparator),
      timestamp_size_(comparator->timestamp_size()),
      levels_(std::move(levels)) {}

// Returns whether, of some level, the first file whose largest key is not below
// `begin` begins early enough.
template <typename Reaches>
bool OlderFiles::Any(const Slice& begin, const Reaches& reaches) const {
  const auto plain = [this](const std::string& internal_key) {
    return WithoutTimestamp(UserKeyOf(internal_key), timestamp_size_);
  };
  for (const std::vector<FileRange>& files : levels_) {
    const auto at = std::partition_point(
        files.begin(), files.end(), [&](const FileRange& file) {
          return comparator_->CompareWithoutTimestamp(plain(file.largest),
                                                      begin) < 0;
        });
    if (at != files.end() && reaches(plain(at->smallest))) return true;
  }
  return false;
}

bool OlderFiles::Overlaps(const Slice& smallest, const Slice& largest) const {
  return Any(smallest, [&](const Slice& first) {
    return comparator_->CompareWithoutTimestamp(first, largest) <= 0;
  });
}

bool OlderFiles::MayHaveRange(const Slice& begin, const Slice& end) const {
  return Any(begin, [&](const Slice& first) {
    return comparator_->CompareWithoutTimestamp(first, end) < 0;
  });
}

}  // namespace ashlar
