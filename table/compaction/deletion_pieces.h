// DeletionPiece: a range deletion, or a part of one, as a compaction holds it;
// and the cutting of overlapping pieces into fragments.
//
// Plain values and pure functions: thread-safe.
#ifndef ASHLAR_TABLE_COMPACTION_DELETION_PIECES_H_
#define ASHLAR_TABLE_COMPACTION_DELETION_PIECES_H_

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/slice.h"
#include "table/format/key_order.h"

namespace ashlar::internal {

// Sequence number and timestamp of a range deletion.
struct DeletionVersion {
  SequenceNumber sequence = 0;
  Slice timestamp;  // empty if keys have none
};

struct DeletionPiece {
  Slice begin;  // user keys without timestamps
  Slice end;
  DeletionVersion version;
  // Internal keys at which it begins and in front of which it ends. Null: in
  // front of all versions of `begin`, and of `end`.
  const std::string* from = nullptr;
  const std::string* to = nullptr;
};

// Compares pieces with each other and with entries.
class PieceOrder {
 public:
  explicit PieceOrder(const Comparator* comparator)
      : full_(comparator), plain_(full_.WithoutTimestamps()) {}

  size_t timestamp_size() const { return full_.timestamp_size(); }
  const Comparator* comparator() const { return full_.comparator(); }
  Slice Plain(const Slice& user_key) const {
    return WithoutTimestamp(user_key, timestamp_size());
  }
  // Keys without timestamps.
  int ComparePlain(const Slice& a, const Slice& b) const {
    return plain_.CompareUserKeys(a, b);
  }
  // Internal keys, of which the first is given in two parts.
  int Compare(const Slice& user_key, uint64_t tail,
              const Slice& internal_key) const {
    const int order = full_.CompareUserKeys(user_key, UserKeyOf(internal_key));
    if (order != 0) return order;
    const uint64_t other = TailOf(internal_key);
    if (tail == other) return 0;
    return tail > other ? -1 : 1;
  }

  bool BeginsAfter(const DeletionPiece& piece, const Slice& user_key,
                   uint64_t tail) const {
    if (piece.from != nullptr) return Compare(user_key, tail, *piece.from) < 0;
    return ComparePlain(Plain(user_key), piece.begin) < 0;
  }
  bool EndsBefore(const DeletionPiece& piece, const Slice& user_key,
                  uint64_t tail) const {
    if (piece.to != nullptr) return Compare(user_key, tail, *piece.to) >= 0;
    return ComparePlain(Plain(user_key), piece.end) >= 0;
  }
  bool BeginLess(const DeletionPiece& a, const DeletionPiece& b) const {
    return EdgeLess(a.begin, a.from, b.begin, b.from);
  }
  bool EndLess(const DeletionPiece& a, const DeletionPiece& b) const {
    return EdgeLess(a.end, a.to, b.end, b.to);
  }
  // Returns whether a is to come before b: newer first.
  bool IsNewer(const DeletionVersion& a, const DeletionVersion& b) const {
    if (a.sequence != b.sequence) return a.sequence > b.sequence;
    return timestamp_size() != 0 &&
           comparator()->CompareTimestamp(a.timestamp, b.timestamp) > 0;
  }

 private:
  bool EdgeLess(const Slice& a, const std::string* a_at, const Slice& b,
                const std::string* b_at) const {
    const int order = ComparePlain(a, b);
    if (order != 0) return order < 0;
    if (a_at == nullptr || b_at == nullptr) {
      return a_at == nullptr && b_at != nullptr;
    }
    return full_.Compare(*a_at, *b_at) < 0;
  }

  KeyOrder full_;
  KeyOrder plain_;
};

// The versions over a fragment, newest first; the number says how often.
struct NewerVersion {
  const PieceOrder* order;
  bool operator()(const DeletionVersion& a, const DeletionVersion& b) const {
    return order->IsNewer(a, b);
  }
};
using ActiveVersions = std::map<DeletionVersion, uint32_t, NewerVersion>;

// Calls visit(begin, end, versions) for each fragment of the pieces that has a
// version, in ascending order. `from` and `to` are not looked at. Ends when it
// returns false. Sorts the pieces.
template <typename Visit>
void FragmentPieces(const PieceOrder& order, std::vector<DeletionPiece>* pieces,
                    const Visit& visit) {
  std::sort(pieces->begin(), pieces->end(),
            [&](const DeletionPiece& a, const DeletionPiece& b) {
              return order.ComparePlain(a.begin, b.begin) < 0;
            });
  const auto ends_later = [&](const DeletionPiece* a, const DeletionPiece* b) {
    return order.ComparePlain(a->end, b->end) > 0;
  };
  std::vector<const DeletionPiece*> open;  // a heap: the first to end on top
  ActiveVersions versions{NewerVersion{&order}};
  Slice at;
  size_t next = 0;
  while (next < pieces->size() || !open.empty()) {
    if (open.empty()) at = (*pieces)[next].begin;
    while (next < pieces->size() &&
           order.ComparePlain((*pieces)[next].begin, at) == 0) {
      const DeletionPiece& piece = (*pieces)[next++];
      if (order.ComparePlain(piece.begin, piece.end) >= 0) continue;
      open.push_back(&piece);
      std::push_heap(open.begin(), open.end(), ends_later);
      ++versions[piece.version];
    }
    if (open.empty()) continue;
    Slice end = open.front()->end;
    if (next < pieces->size() &&
        order.ComparePlain((*pieces)[next].begin, end) < 0) {
      end = (*pieces)[next].begin;
    }
    if (!visit(at, end, versions)) return;
    at = end;
    while (!open.empty() && order.ComparePlain(open.front()->end, at) <= 0) {
      const auto version = versions.find(open.front()->version);
      if (--version->second == 0) versions.erase(version);
      std::pop_heap(open.begin(), open.end(), ends_later);
      open.pop_back();
    }
  }
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_COMPACTION_DELETION_PIECES_H_
