#include "tools/ashlar/inputs/equal_numbers.h"

#include <algorithm>
#include <utility>

#include "ashlar/table/table_reader.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/print/output.h"
#include "tools/ashlar/print/print_text.h"

namespace ashlar::tool {
namespace {

// Whether two tables may have entries of one key with one sequence number, as
// far as their bounds tell.
bool MayHaveEqualNumbers(std::vector<LiveTable> tables,
                         const Comparator& comparator) {
  bool any_meet = false;
  std::sort(tables.begin(), tables.end(), [](const auto& a, const auto& b) {
    return a.smallest_seqno < b.smallest_seqno;
  });
  SequenceNumber largest = 0;
  for (size_t i = 0; i < tables.size(); ++i) {
    any_meet = any_meet || (i != 0 && tables[i].smallest_seqno <= largest);
    largest = std::max(largest, tables[i].largest_seqno);
  }
  if (!any_meet) return false;
  const size_t timestamp_size = comparator.timestamp_size();
  const auto compare = [&](const std::string& a, const std::string& b) {
    return comparator.CompareWithoutTimestamp(
        WithoutTimestamp(UserKeyOf(a), timestamp_size),
        WithoutTimestamp(UserKeyOf(b), timestamp_size));
  };
  std::sort(tables.begin(), tables.end(), [&](const auto& a, const auto& b) {
    return compare(a.smallest, b.smallest) < 0;
  });
  const std::string* last = nullptr;
  for (const LiveTable& table : tables) {
    if (last != nullptr && compare(table.smallest, *last) <= 0) return true;
    if (last == nullptr || compare(table.largest, *last) > 0) {
      last = &table.largest;
    }
  }
  return false;
}

}  // namespace

MergingIterator MergedEntries(const OpenedTables& tables,
                              const Comparator* comparator) {
  ReadOptions options = ReadOptionsFromFlags();
  options.ignore_range_deletions = true;
  std::vector<Iterator> children;
  for (const UserIteratorTable& each : tables.ForIterator()) {
    children.push_back(each.table->NewIterator(options));
  }
  return MergingIterator(comparator, std::move(children));
}

std::string EqualNumbers::FileOf(size_t child) const {
  const std::string path = tables_[child].table->file().name();
  return path.substr(path.rfind('/') + 1);
}

void EqualNumbers::Begin(const OpenedTables& tables) {
  tables_ = tables.ForIterator();
  has_last_ = false;
}

void EqualNumbers::Take(const MergingIterator& at) {
  const bool same_number = has_last_ && at.user_key() == UserKeyOf(last_key_) &&
                           at.sequence() == SequenceOf(last_key_);
  // Copies of one table have the same entries, and then the age means nothing.
  const bool differ = same_number && (at.type() != TypeOf(last_key_) ||
                                      at.value() != Slice(last_value_));
  if (differ && !is_counted_ && keys_++ == 0) {
    first_key_ = at.user_key().ToString();
    sequence_ = at.sequence();
    taken_file_ = FileOf(last_child_);
    other_file_ = FileOf(at.child());
  }
  const bool same_key = has_last_ && at.user_key() == UserKeyOf(last_key_);
  is_counted_ = same_key && (is_counted_ || differ);
  // The first of those with the number is the one that counts.
  if (same_number) return;
  has_last_ = true;
  last_key_.assign(at.key().data(), at.key().size());
  last_value_.assign(at.value().data(), at.value().size());
  last_child_ = at.child();
}

void EqualNumbers::WarnOfThem(const std::string& place) const {
  if (keys_ == 0 || Interrupted()) return;
  PrintWarning(place +
               ": keys with different entries of one sequence number: " +
               std::to_string(keys_) + ". Which is newer is unknown: of '" +
               KeyText(first_key_) + "', number " + std::to_string(sequence_) +
               ", the entry of " + taken_file_ + " counts, and that of " +
               other_file_ + " does not");
}

Status WarnOfEqualNumbers(const std::string& folder, const Database& database,
                          const OpenedTables& tables, const KeyRange& range,
                          const std::string* last) {
  const Comparator& comparator = *database.comparator();
  if (database.has_manifest() ||
      !MayHaveEqualNumbers(database.family().tables, comparator)) {
    return {};
  }
  constexpr uint64_t kEntriesBetweenLooks = 1024;
  EqualNumbers found;
  found.Begin(tables);
  MergingIterator it = MergedEntries(tables, &comparator);
  uint64_t entries = 0;
  for (range.SeekToStart(comparator, &it); it.Valid(); it.Next()) {
    if (range.EndsBefore(it.user_key(), comparator) ||
        (last != nullptr && comparator.Compare(it.user_key(), *last) > 0) ||
        (entries++ % kEntriesBetweenLooks == 0 && Interrupted())) {
      break;
    }
    found.Take(it);
  }
  if (it.status().ok()) found.WarnOfThem(folder);
  return it.status();
}

}  // namespace ashlar::tool
