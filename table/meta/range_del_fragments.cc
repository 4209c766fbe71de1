#include "table/meta/range_del_fragments.h"

#include <algorithm>
#include <new>
#include <string>

namespace ashlar::internal {

namespace {

// The most ranks in all nodes together: 1 GiB. Honest tables stay far below
// that.
constexpr uint64_t kMostRanks = uint64_t{1} << 28;

// Calls visit(node) for the nodes that make up leaves [begin, end).
template <typename Visit>
void ForEachNode(size_t num_leaves, size_t begin, size_t end, Visit visit) {
  for (begin += num_leaves, end += num_leaves; begin < end;
       begin /= 2, end /= 2) {
    if (begin % 2 == 1) visit(begin++);
    if (end % 2 == 1) visit(--end);
  }
}

}  // namespace

Status RangeDeletionFragments::Build(
    const std::vector<RangeDeletion>& deletions, const BlockPlace& place) {
  try {
    CollectBounds(deletions);
    if (bounds_.empty()) return {};
    CollectVersions(deletions);
    return FillTree(MakeSpans(deletions), place);
  } catch (const std::bad_alloc&) {
    return Status::MemoryLimit("no memory to sort " +
                               std::to_string(deletions.size()) +
                               " range deletions");
  }
}

void RangeDeletionFragments::CollectBounds(
    const std::vector<RangeDeletion>& deletions) {
  for (const RangeDeletion& deletion : deletions) {
    if (IsEmpty(deletion)) continue;
    const Slice begin = KeyOf(deletion.begin);
    const Slice end = KeyOf(deletion.end);
    // Writers that store fragments repeat each range for all deletions over it,
    // and begin the next one where the last one ends.
    if (bounds_.empty() || bounds_.back() != begin) {
      const size_t n = bounds_.size();
      const bool repeats =
          n >= 2 && bounds_[n - 1] == end && bounds_[n - 2] == begin;
      if (!repeats) bounds_.push_back(begin);
    }
    if (bounds_.back() != end) bounds_.push_back(end);
  }
  std::sort(bounds_.begin(), bounds_.end(),
            [this](const Slice& a, const Slice& b) {
              return order_.CompareUserKeys(a, b) < 0;
            });
  const auto last = std::unique(bounds_.begin(), bounds_.end(),
                                [this](const Slice& a, const Slice& b) {
                                  return order_.CompareUserKeys(a, b) == 0;
                                });
  bounds_.erase(last, bounds_.end());
  bounds_.shrink_to_fit();
}

uint32_t RangeDeletionFragments::BoundNumber(const Slice& user_key) const {
  const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), user_key,
                                   [this](const Slice& a, const Slice& b) {
                                     return order_.CompareUserKeys(a, b) < 0;
                                   });
  return static_cast<uint32_t>(at - bounds_.begin());
}

bool RangeDeletionFragments::IsNewer(const Version& a, const Version& b) const {
  if (a.sequence != b.sequence) return a.sequence > b.sequence;
  return timestamp_size_ != 0 && IsLater(a.timestamp, b.timestamp);
}

uint32_t RangeDeletionFragments::RankOf(const Version& version) const {
  const auto at = std::lower_bound(
      versions_.begin(), versions_.end(), version,
      [this](const Version& a, const Version& b) { return IsNewer(a, b); });
  return static_cast<uint32_t>(at - versions_.begin());
}

void RangeDeletionFragments::CollectVersions(
    const std::vector<RangeDeletion>& deletions) {
  for (const RangeDeletion& deletion : deletions) {
    if (!IsEmpty(deletion)) versions_.push_back(VersionOf(deletion));
  }
  const auto newer = [this](const Version& a, const Version& b) {
    return IsNewer(a, b);
  };
  std::sort(versions_.begin(), versions_.end(), newer);
  versions_.erase(std::unique(versions_.begin(), versions_.end(),
                              [&](const Version& a, const Version& b) {
                                return !newer(a, b) && !newer(b, a);
                              }),
                  versions_.end());
  versions_.shrink_to_fit();
  for (size_t i = 1; timestamp_size_ != 0 && i < versions_.size(); ++i) {
    if (IsLater(versions_[i].timestamp, versions_[i - 1].timestamp)) {
      timestamps_descend_ = false;
    }
  }
}

// Sorted by rank, newest first, so that the ranks of each node come in order.
std::vector<RangeDeletionFragments::Span> RangeDeletionFragments::MakeSpans(
    const std::vector<RangeDeletion>& deletions) const {
  std::vector<Span> spans;
  spans.reserve(deletions.size());
  for (const RangeDeletion& deletion : deletions) {
    if (IsEmpty(deletion)) continue;
    spans.push_back({BoundNumber(KeyOf(deletion.begin)),
                     BoundNumber(KeyOf(deletion.end)),
                     RankOf(VersionOf(deletion))});
  }
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.rank < b.rank; });
  return spans;
}

// Counts the ranks of each node, and then fills them in. A node gets each rank
// once, however many deletions have one version, as in files made for
// ingestion.
Status RangeDeletionFragments::FillTree(const std::vector<Span>& spans,
                                        const BlockPlace& place) {
  constexpr uint32_t kNone = ~uint32_t{0};
  const size_t num_leaves = size();
  node_begin_.assign(2 * num_leaves + 1, 0);
  std::vector<uint32_t> last_rank(2 * num_leaves, kNone);
  uint64_t total = 0;
  for (const Span& span : spans) {
    ForEachNode(num_leaves, span.begin, span.end, [&](size_t node) {
      if (last_rank[node] == span.rank) return;
      last_rank[node] = span.rank;
      ++node_begin_[node + 1];
      ++total;
    });
    if (total > kMostRanks) {
      return place.NotSupported(
          "range deletions overlap too much",
          std::to_string(spans.size()) + " of them would take more than " +
              std::to_string(kMostRanks * sizeof(uint32_t)) + " bytes");
    }
  }
  for (size_t node = 1; node < node_begin_.size(); ++node) {
    node_begin_[node] += node_begin_[node - 1];
  }
  ranks_.resize(static_cast<size_t>(total));
  std::vector<uint32_t> next(node_begin_.begin(), node_begin_.end() - 1);
  last_rank.assign(last_rank.size(), kNone);
  for (const Span& span : spans) {
    ForEachNode(num_leaves, span.begin, span.end, [&](size_t node) {
      if (last_rank[node] == span.rank) return;
      last_rank[node] = span.rank;
      ranks_[next[node]++] = span.rank;
    });
  }
  return {};
}

size_t RangeDeletionFragments::Find(const Slice& user_key) const {
  const auto behind =
      std::upper_bound(bounds_.begin(), bounds_.end(), user_key,
                       [this](const Slice& a, const Slice& b) {
                         return order_.CompareUserKeys(a, b) < 0;
                       });
  if (behind == bounds_.end()) return size();
  // This is kBefore if no bound is before the key.
  return static_cast<size_t>(behind - bounds_.begin()) - 1;
}

RangeDeletionFragments::Version RangeDeletionFragments::NewestAt(
    size_t i, SequenceNumber snapshot, const Slice& timestamp) const {
  if (i >= size()) return {};
  const auto hidden = [&](const Version& version) {
    return version.sequence > snapshot ||
           (timestamps_descend_ && !timestamp.empty() &&
            IsLater(version.timestamp, timestamp));
  };
  const auto visible = static_cast<uint32_t>(
      std::partition_point(versions_.begin(), versions_.end(), hidden) -
      versions_.begin());
  auto best = static_cast<uint32_t>(versions_.size());
  for (size_t node = size() + i; node >= 1; node /= 2) {
    const auto begin = ranks_.begin() + node_begin_[node];
    const auto end = ranks_.begin() + node_begin_[node + 1];
    auto found = std::lower_bound(begin, end, visible);
    while (!timestamps_descend_ && !timestamp.empty() && found != end &&
           IsLater(versions_[*found].timestamp, timestamp)) {
      ++found;
    }
    if (found != end) best = std::min(best, *found);
  }
  return best < versions_.size() ? versions_[best] : Version();
}

void RangeDeletionFragments::ListAt(size_t i,
                                    RangeDeletionFragment* fragment) const {
  std::vector<uint32_t> ranks;
  for (size_t node = size() + i; node >= 1; node /= 2) {
    ranks.insert(ranks.end(), ranks_.begin() + node_begin_[node],
                 ranks_.begin() + node_begin_[node + 1]);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  fragment->sequences.clear();
  fragment->timestamps.clear();
  for (const uint32_t rank : ranks) {
    fragment->sequences.push_back(versions_[rank].sequence);
    if (timestamp_size_ != 0) {
      fragment->timestamps.push_back(versions_[rank].timestamp);
    }
  }
}

uint64_t RangeDeletionFragments::MemoryUsage() const {
  return bounds_.capacity() * sizeof(Slice) +
         versions_.capacity() * sizeof(Version) +
         (node_begin_.capacity() + ranks_.capacity()) * sizeof(uint32_t);
}

}  // namespace ashlar::internal
