// RangeDeletionAggregator: pieces, the sweep over them, and what each output
// gets of them. The header says how they go together.

#include "ashlar/table/range_deletion_aggregator.h"

#include <deque>
#include <set>
#include <utility>

#include "table/compaction/deletion_pieces.h"
#include "table/compaction/snapshot_stripes.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

using internal::ActiveVersions;
using internal::DeletionPiece;
using internal::DeletionVersion;
using internal::PieceOrder;
using internal::SnapshotStripes;

namespace {

constexpr size_t kMostPieces = size_t{1} << 24;
constexpr auto kRangeDeletion = ValueType::kTypeRangeDeletion;

}  // namespace

struct RangeDeletionAggregator::State {
  explicit State(Options options)
      : order(options.comparator),
        stripes(std::move(options.snapshots)),
        low_mark(std::move(options.full_history_ts_low)) {}

  Status AddFragments(std::vector<DeletionPiece> raw, const Bounds* limits);
  void AddClipped(const Slice& begin, const Slice& end,
                  const ActiveVersions& versions, const std::string* smallest,
                  const std::string* to);
  void AddBegin(const Slice& begin, const DeletionVersion& version,
                const Slice& file_smallest);
  void Prepare();
  void MoveTo(const Slice& user_key, uint64_t tail);
  bool NewerInStripe(SequenceNumber sequence) const;
  bool IsBelowLow(const Slice& timestamp) const {
    return !low_mark.empty() &&
           order.comparator()->CompareTimestamp(timestamp, low_mark) < 0;
  }
  bool IsCounted(const DeletionPiece& piece) const {
    return order.timestamp_size() == 0 || IsBelowLow(piece.version.timestamp);
  }

  void TakePieces(const OutputRange& range);
  int CompareBegin(const Slice& begin, const DeletionVersion& version,
                   const std::string& key) const;
  bool IsDropped(const Slice& begin, const Slice& end,
                 const DeletionVersion& version, const OutputRange& range,
                 const DropRule& rule) const;
  void Widen(const Slice& begin, const Slice& end,
             const DeletionVersion& version, const OutputRange& range,
             Result* result) const;
  Status WriteFragment(const Slice& begin, const Slice& end,
                       const ActiveVersions& versions, const OutputRange& range,
                       const DropRule& rule,
                       const std::function<Status(const RangeDeletion&)>& visit,
                       Result* result) const;
  Status Pass(const Slice& begin, const Slice& end,
              const DeletionVersion& version,
              const std::function<Status(const RangeDeletion&)>& visit) const;

  const PieceOrder order;
  const SnapshotStripes stripes;
  const std::string low_mark;

  std::deque<std::string> bounds;     // owned keys that pieces point to
  std::vector<DeletionPiece> pieces;  // after Prepare by ascending begin
  std::vector<std::string> begins;
  bool prepared = false;

  // The sweep of Deletes.
  size_t next = 0;  // the first piece that it has not met
  std::vector<const DeletionPiece*> over;  // heap: the first to end on top
  std::multiset<SequenceNumber> sequences;

  // The sweep of CutForOutput.
  size_t next_for_output = 0;
  std::vector<DeletionPiece> carried;
};

RangeDeletionAggregator::RangeDeletionAggregator(Options options)
    : state_(std::make_unique<State>(std::move(options))) {}
RangeDeletionAggregator::RangeDeletionAggregator(
    RangeDeletionAggregator&& other) noexcept = default;
RangeDeletionAggregator& RangeDeletionAggregator::operator=(
    RangeDeletionAggregator&& other) noexcept = default;
RangeDeletionAggregator::~RangeDeletionAggregator() = default;

bool RangeDeletionAggregator::empty() const { return state_->pieces.empty(); }

Status RangeDeletionAggregator::Add(std::span<const RangeDeletion> deletions,
                                    const Bounds* bounds) {
  if (deletions.empty()) return {};
  return internal::OrMemoryLimit([&] {
    State& s = *state_;
    std::vector<DeletionPiece> raw;
    raw.reserve(deletions.size());
    for (const RangeDeletion& deletion : deletions) {
      raw.push_back({s.order.Plain(deletion.begin),
                     s.order.Plain(deletion.end),
                     {deletion.sequence,
                      TimestampOf(deletion.begin, s.order.timestamp_size())}});
    }
    return s.AddFragments(std::move(raw), bounds);
  });
}

Status RangeDeletionAggregator::State::AddFragments(
    std::vector<DeletionPiece> raw, const Bounds* limits) {
  const std::string* smallest = nullptr;
  const std::string* to = nullptr;
  Slice file_smallest;
  if (limits != nullptr) {
    smallest = &bounds.emplace_back(limits->smallest.ToString());
    file_smallest =
        limits->file_smallest.empty()
            ? Slice(*smallest)
            : Slice(bounds.emplace_back(limits->file_smallest.ToString()));
    // A range deletion counts up to the last entry of the file, and not for
    // older versions of its key.
    const uint64_t tail = TailOf(limits->largest);
    const SequenceNumber sequence = tail >> 8;
    std::string* const end =
        &bounds.emplace_back(UserKeyOf(limits->largest).ToString());
    const bool is_entry = sequence != 0 && !IsRangeDeletionEnd(limits->largest);
    AppendInternalKey(
        Slice(), is_entry ? sequence - 1 : sequence,
        is_entry ? ValueType{0xff} : static_cast<ValueType>(tail & 0xff), end);
    to = end;
  }
  bool fits = true;
  FragmentPieces(order, &raw,
                 [&](const Slice& begin, const Slice& end,
                     const ActiveVersions& versions) {
                   fits = pieces.size() + versions.size() <= kMostPieces;
                   if (!fits) return false;
                   const size_t before = pieces.size();
                   AddClipped(begin, end, versions, smallest, to);
                   if (pieces.size() > before) {
                     AddBegin(begin, versions.begin()->first, file_smallest);
                   }
                   return true;
                 });
  if (fits) return {};
  return Status::NotSupported(
      "range deletions overlap too much: an input has more than " +
      std::to_string(kMostPieces) + " pieces");
}

// Adds a piece for each version, clipped to what the input has.
void RangeDeletionAggregator::State::AddClipped(const Slice& begin,
                                                const Slice& end,
                                                const ActiveVersions& versions,
                                                const std::string* smallest,
                                                const std::string* to) {
  DeletionPiece piece{begin, end, {}};
  if (smallest != nullptr) {
    const Slice first = order.Plain(UserKeyOf(*smallest));
    if (order.ComparePlain(first, end) >= 0) return;
    if (order.ComparePlain(first, begin) > 0) {
      piece.begin = first;
      piece.from = smallest;
    } else if (order.ComparePlain(first, begin) == 0) {
      piece.from = smallest;
    }
    const Slice last = order.Plain(UserKeyOf(*to));
    const int at_end = order.ComparePlain(last, end);
    if (at_end < 0) {
      piece.end = last;
      piece.to = to;
    }
    if (IsRangeDeletionEnd(*to)) piece.to = nullptr;
    const int width = order.ComparePlain(piece.begin, piece.end);
    if (width > 0 || (width == 0 && piece.to == nullptr)) return;
  }
  for (const auto& [version, times] : versions) {
    piece.version = version;
    pieces.push_back(piece);
  }
}

void RangeDeletionAggregator::State::AddBegin(const Slice& begin,
                                              const DeletionVersion& version,
                                              const Slice& file_smallest) {
  std::string key = begin.ToString();
  key.append(version.timestamp.data(), version.timestamp.size());
  AppendInternalKey(Slice(), version.sequence, kRangeDeletion, &key);
  if (!file_smallest.empty() &&
      order.Compare(UserKeyOf(key), TailOf(key), file_smallest) < 0) {
    key = file_smallest.ToString();
  }
  begins.push_back(std::move(key));
}

void RangeDeletionAggregator::VisitBegins(
    const std::function<void(const Slice& internal_key)>& visit) const {
  std::vector<Slice> sorted(state_->begins.begin(), state_->begins.end());
  const PieceOrder& order = state_->order;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Slice& a, const Slice& b) {
                     return order.Compare(UserKeyOf(a), TailOf(a), b) < 0;
                   });
  for (const Slice& key : sorted) visit(key);
}

void RangeDeletionAggregator::State::Prepare() {
  prepared = true;
  std::stable_sort(pieces.begin(), pieces.end(),
                   [this](const DeletionPiece& a, const DeletionPiece& b) {
                     return order.BeginLess(a, b);
                   });
}

// Moves the sweep to a key.
void RangeDeletionAggregator::State::MoveTo(const Slice& user_key,
                                            uint64_t tail) {
  if (!prepared) Prepare();
  const auto ends_later = [this](const DeletionPiece* a,
                                 const DeletionPiece* b) {
    return order.EndLess(*b, *a);
  };
  while (next < pieces.size() &&
         !order.BeginsAfter(pieces[next], user_key, tail)) {
    const DeletionPiece& piece = pieces[next++];
    if (!IsCounted(piece)) continue;
    sequences.insert(piece.version.sequence);
    over.push_back(&piece);
    std::push_heap(over.begin(), over.end(), ends_later);
  }
  while (!over.empty() && order.EndsBefore(*over.front(), user_key, tail)) {
    sequences.erase(sequences.find(over.front()->version.sequence));
    std::pop_heap(over.begin(), over.end(), ends_later);
    over.pop_back();
  }
}

bool RangeDeletionAggregator::State::NewerInStripe(
    SequenceNumber sequence) const {
  const auto newer = sequences.upper_bound(sequence);
  return newer != sequences.end() && *newer <= stripes.Of(sequence);
}

bool RangeDeletionAggregator::Deletes(const Slice& user_key, uint64_t tail) {
  State& s = *state_;
  if (s.pieces.empty()) return false;
  s.MoveTo(user_key, tail);
  if (s.sequences.empty()) return false;
  const size_t timestamp_size = s.order.timestamp_size();
  if (timestamp_size != 0 &&
      !s.IsBelowLow(TimestampOf(user_key, timestamp_size))) {
    return false;
  }
  return s.NewerInStripe(tail >> 8);
}

bool RangeDeletionAggregator::WouldDelete(SequenceNumber sequence) const {
  return state_->NewerInStripe(sequence);
}

// Compares (begin, timestamp, sequence) with an internal key.
int RangeDeletionAggregator::State::CompareBegin(const Slice& begin,
                                                 const DeletionVersion& version,
                                                 const std::string& key) const {
  const Slice user_key = UserKeyOf(key);
  const int by_key = order.ComparePlain(begin, order.Plain(user_key));
  if (by_key != 0) return by_key;
  if (order.timestamp_size() != 0) {
    const int by_time = order.comparator()->CompareTimestamp(
        TimestampOf(user_key, order.timestamp_size()), version.timestamp);
    if (by_time != 0) return by_time;
  }
  const uint64_t tail = PackTail(version.sequence, kRangeDeletion);
  if (tail == TailOf(key)) return 0;
  return tail > TailOf(key) ? -1 : 1;
}

// Sets `carried` to the pieces that touch the output. Those that end in front
// of it touch no later output either.
void RangeDeletionAggregator::State::TakePieces(const OutputRange& range) {
  if (!prepared) Prepare();
  if (!range.lower.empty()) {
    std::erase_if(carried, [&](const DeletionPiece& piece) {
      return order.EndsBefore(piece, UserKeyOf(range.lower),
                              TailOf(range.lower));
    });
  }
  for (; next_for_output < pieces.size(); ++next_for_output) {
    const DeletionPiece& piece = pieces[next_for_output];
    // Pieces are sorted by key, and not by sequence number. One that begins at
    // the key of the upper bound may be for the next output.
    if (!range.upper.empty() &&
        order.ComparePlain(piece.begin, order.Plain(UserKeyOf(range.upper))) >
            0) {
      break;
    }
    if (range.lower.empty() ||
        !order.EndsBefore(piece, UserKeyOf(range.lower), TailOf(range.lower))) {
      carried.push_back(piece);
    }
  }
}

bool RangeDeletionAggregator::State::IsDropped(const Slice& begin,
                                               const Slice& end,
                                               const DeletionVersion& version,
                                               const OutputRange& range,
                                               const DropRule& rule) const {
  if (version.sequence > stripes.earliest()) return false;
  if (order.timestamp_size() != 0 && !IsBelowLow(version.timestamp)) {
    return false;
  }
  if (rule.bottommost) return true;
  if (!rule.may_exist_deeper) return false;
  Slice from = begin;
  Slice to = end;
  if (!range.lower.empty()) {
    const Slice lower = order.Plain(UserKeyOf(range.lower));
    if (order.ComparePlain(from, lower) < 0) from = lower;
  }
  // An upper bound that is an entry is part of the output, and so no end.
  if (!range.upper.empty() && IsRangeDeletionEnd(range.upper)) {
    const Slice upper = order.Plain(UserKeyOf(range.upper));
    if (order.ComparePlain(to, upper) > 0) to = upper;
  }
  return !rule.may_exist_deeper(from, to);
}

// Widens the key range of an output by a fragment.
void RangeDeletionAggregator::State::Widen(const Slice& begin, const Slice& end,
                                           const DeletionVersion& version,
                                           const OutputRange& range,
                                           Result* result) const {
  const auto compare = [this](const std::string& a, const std::string& b) {
    return order.Compare(UserKeyOf(a), TailOf(a), b);
  };
  Slice first = begin;
  if (!range.lower.empty()) {
    const Slice lower = order.Plain(UserKeyOf(range.lower));
    if (order.ComparePlain(first, lower) < 0) first = lower;
  }
  std::string smallest = first.ToString();
  smallest.append(version.timestamp.data(), version.timestamp.size());
  AppendInternalKey(Slice(), version.sequence, kRangeDeletion, &smallest);
  if (!range.lower.empty() && compare(smallest, range.lower) < 0) {
    smallest = range.lower;
  }
  std::string largest = end.ToString();
  largest.append(order.timestamp_size(), '\xff');
  AppendInternalKey(Slice(), kMaxSequenceNumber, kRangeDeletion, &largest);
  if (!range.upper.empty() && compare(largest, range.upper) > 0) {
    largest = range.upper;
  }
  if (result->smallest.empty() || compare(smallest, result->smallest) < 0) {
    result->smallest = std::move(smallest);
  }
  if (result->largest.empty() || compare(largest, result->largest) > 0) {
    result->largest = std::move(largest);
  }
  result->smallest_seqno = std::min(result->smallest_seqno, version.sequence);
  result->largest_seqno = std::max(result->largest_seqno, version.sequence);
}

Status RangeDeletionAggregator::State::Pass(
    const Slice& begin, const Slice& end, const DeletionVersion& version,
    const std::function<Status(const RangeDeletion&)>& visit) const {
  if (version.timestamp.empty()) return visit({begin, end, version.sequence});
  const std::string begin_at = begin.ToString() + version.timestamp.ToString();
  const std::string end_at = end.ToString() + version.timestamp.ToString();
  return visit({begin_at, end_at, version.sequence});
}

// Writes of the versions over a fragment the newest of each stripe, or all
// where keys have timestamps. A piece that touches the output may have
// fragments that do not.
Status RangeDeletionAggregator::State::WriteFragment(
    const Slice& begin, const Slice& end, const ActiveVersions& versions,
    const OutputRange& range, const DropRule& rule,
    const std::function<Status(const RangeDeletion&)>& visit,
    Result* result) const {
  if (!range.lower.empty() &&
      order.ComparePlain(end, order.Plain(UserKeyOf(range.lower))) <= 0) {
    return {};
  }
  auto at = versions.begin();
  while (at != versions.end()) {
    const DeletionVersion version = at->first;
    if (!range.upper.empty() && CompareBegin(begin, version, range.upper) > 0) {
      // It is for the next output.
    } else if (IsDropped(begin, end, version, range, rule)) {
      ++result->dropped;
    } else {
      Status passed = Pass(begin, end, version, visit);
      if (!passed.ok()) return passed;
      ++result->written;
      Widen(begin, end, version, range, result);
    }
    if (order.timestamp_size() != 0) {
      ++at;
      continue;
    }
    const SequenceNumber below = stripes.Below(version.sequence);
    if (below == 0) break;
    at = versions.lower_bound({below, Slice()});
  }
  return {};
}

Status RangeDeletionAggregator::CutForOutput(
    const OutputRange& range, const DropRule& rule,
    const std::function<Status(const RangeDeletion& deletion)>& visit,
    Result* result) {
  *result = Result();
  State& s = *state_;
  if (s.pieces.empty()) return {};
  return internal::OrMemoryLimit([&] {
    const bool bounded = !range.lower.empty() && !range.upper.empty();
    if (bounded && s.order.Compare(UserKeyOf(range.lower), TailOf(range.lower),
                                   range.upper) > 0) {
      return Status();
    }
    s.TakePieces(range);
    std::vector<DeletionPiece> pieces;
    for (const DeletionPiece& piece : s.carried) {
      if (range.upper.empty() ||
          s.CompareBegin(piece.begin, piece.version, range.upper) <= 0) {
        pieces.push_back(piece);
      }
    }
    Status status;
    internal::FragmentPieces(s.order, &pieces,
                             [&](const Slice& begin, const Slice& end,
                                 const ActiveVersions& versions) {
                               status =
                                   s.WriteFragment(begin, end, versions, range,
                                                   rule, visit, result);
                               return status.ok();
                             });
    return status;
  });
}

}  // namespace ashlar
