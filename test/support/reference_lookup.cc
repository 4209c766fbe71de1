// Answers questions about a table that the reference reader has read. Section
// numbers in these comments refer to table/FORMAT.md.
#include <algorithm>
#include <cstddef>
#include <optional>

#include "test/support/reference_bytes.h"
#include "test/support/reference_checks.h"
#include "test/support/reference_keys.h"
#include "test/support/reference_reader.h"

namespace ashlar::testing {
namespace reference {

int CompareSeparators(const ReferenceTable& table, std::string_view a,
                      std::string_view b) {
  return table.separators_are_user_keys
             ? CompareUserKeys(table.order, a, b)
             : CompareInternalKeys(table.order, a, b);
}

int CompareSeparator(const ReferenceTable& table, std::string_view separator,
                     std::string_view internal_key) {
  return table.separators_are_user_keys
             ? CompareUserKeys(table.order, separator, UserKey(internal_key))
             : CompareInternalKeys(table.order, separator, internal_key);
}

// Section 8.6.
bool FilterMayMatchAt(const ReferenceTable& table,
                      std::string_view internal_key, std::string_view bytes) {
  if (table.filter_partitions.empty()) {
    return ReferenceFilterMayMatch(table.filter, bytes);
  }
  for (const auto& [separator, payload] : table.filter_partitions) {
    if (CompareSeparator(table, separator, internal_key) >= 0) {
      return ReferenceFilterMayMatch(payload, bytes);
    }
  }
  return ReferenceFilterMayMatch(table.filter_partitions.back().second, bytes);
}

namespace {

// Returns the position where the visible versions of the key begin, in the form
// of stored keys.
std::string Target(const ReferenceTable& table,
                   const ReferenceQuestion& question) {
  std::string user_key = question.key;
  if (table.order.timestamp_size != 0) {
    user_key += question.timestamp.empty()
                    ? std::string(table.order.timestamp_size, '\xFF')
                    : question.timestamp;
  }
  return InternalKey(user_key, question.snapshot, 0xFF);
}

// Section 9.7: every data block that may hold the key has a filter of its own.
ReferenceFilterAnswer AskBlocks(const ReferenceTable& table,
                                const ReferenceQuestion& question) {
  std::string target = Target(table, question);
  auto answer = ReferenceFilterAnswer::kNone;
  for (const auto& [separator, handle] : table.index) {
    if (CompareSeparator(table, separator, target) < 0) continue;
    if (ReferenceLevelDbFilterMayMatch(table.leveldb_filter, handle.first,
                                       question.key)) {
      return ReferenceFilterAnswer::kMaybe;
    }
    answer = ReferenceFilterAnswer::kAbsent;
    if (UserKey(separator) != question.key) break;
  }
  return answer;
}

bool Sees(const ReferenceTable& table, const ReferenceQuestion& question,
          const ReferenceEntry& entry) {
  if (entry.sequence > question.snapshot) return false;
  if (WithoutTimestamp(table.order, entry.user_key) != question.key) {
    return false;
  }
  if (table.order.timestamp_size == 0 || question.timestamp.empty()) {
    return true;
  }
  return Fixed64(entry.user_key, question.key.size()) <=
         Fixed64(question.timestamp, 0);
}

// Section 14.3; with timestamps, section 6.4.
uint64_t DeletedBelow(const ReferenceTable& table,
                      const ReferenceQuestion& question) {
  ReferenceOrder order = table.order;
  size_t timestamp_size = order.timestamp_size;
  order.timestamp_size = 0;
  bool any_time = timestamp_size == 0 || question.timestamp.empty();
  uint64_t newest = 0;
  for (const ReferenceEntry& range : table.range_deletions) {
    std::string_view begin = WithoutTimestamp(table.order, range.user_key);
    std::string_view end = WithoutTimestamp(table.order, range.value);
    if (range.sequence <= question.snapshot &&
        (any_time || Fixed64(range.user_key, begin.size()) <=
                         Fixed64(question.timestamp, 0)) &&
        CompareUserKeys(order, begin, question.key) <= 0 &&
        CompareUserKeys(order, question.key, end) < 0) {
      newest = std::max(newest, range.sequence);
    }
  }
  return newest;
}

// Section 6.3.
std::string ValueOf(const ReferenceEntry& entry) {
  if (entry.type == 0x18) {
    return entry.value.substr(0, entry.value.size() - 8);
  }
  if (entry.type != 0x16) return entry.value;
  std::vector<ReferenceColumn> columns = ReferenceColumns(entry.value);
  bool has_default = !columns.empty() && columns[0].name.empty();
  return has_default ? columns[0].value : "";
}

}  // namespace
}  // namespace reference

// Sections 8.6 and 9.1.
ReferenceFilterAnswer AskReferenceFilter(const ReferenceTable& table,
                                         const ReferenceQuestion& question) {
  if (!table.leveldb_filter.empty()) {
    return reference::AskBlocks(table, question);
  }
  if (table.filter.empty() && table.filter_partitions.empty()) {
    return ReferenceFilterAnswer::kNone;
  }
  std::optional<std::string> bytes = question.key;
  if (!table.filter_use.whole_keys) {
    bytes = table.filter_use.prefixes
                ? reference::PrefixOf(table.filter_use.extractor, question.key)
                : std::nullopt;
  }
  if (!bytes.has_value()) return ReferenceFilterAnswer::kNone;
  return reference::FilterMayMatchAt(table, reference::Target(table, question),
                                     *bytes)
             ? ReferenceFilterAnswer::kMaybe
             : ReferenceFilterAnswer::kAbsent;
}

ReferenceAnswer AskReference(const ReferenceTable& table,
                             const ReferenceQuestion& question) {
  using enum ReferenceAnswer::State;
  uint64_t deleted_below = reference::DeletedBelow(table, question);
  ReferenceAnswer answer;
  for (const ReferenceEntry& entry : table.entries) {
    if (!reference::Sees(table, question, entry)) continue;
    if (entry.sequence < deleted_below) break;
    answer.sequence = entry.sequence;
    if (entry.type == 0x02) {
      answer.state = kMerged;
      answer.operands.push_back(entry.value);
      continue;
    }
    bool deletion =
        entry.type == 0x00 || entry.type == 0x07 || entry.type == 0x14;
    answer.state = deletion ? kDeleted : kFound;
    if (!deletion) answer.value = reference::ValueOf(entry);
    return answer;
  }
  if (deleted_below != 0) {
    answer.state = kDeleted;
    answer.sequence = deleted_below;
  }
  return answer;
}

}  // namespace ashlar::testing
