#include "table/database/asking_order.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "ashlar/util/comparator.h"
#include "table/format/key_order.h"

namespace ashlar::internal {
namespace {

// Puts a timestamp between a user key and its tail: zeros, which are the
// oldest. For the end of a range deletion 0xFF bytes, so that it sorts before
// all entries of that user key.
void PutTimestamp(size_t size, std::string* key) {
  key->insert(key->size() - kInternalKeyTailBytes, size,
              IsRangeDeletionEnd(*key) ? '\xff' : '\0');
}

// Of level 0, the newest first. Epochs say which that is, if all tables have
// one: a table that was ingested may have any number.
bool AsksFirst(const LiveTable& a, const LiveTable& b, bool by_epoch) {
  const auto age = [by_epoch](const LiveTable& table) {
    return std::tuple(by_epoch ? table.epoch_number : 0, table.largest_seqno,
                      table.smallest_seqno, table.number);
  };
  return age(a) > age(b);
}

Status Overlap(const LiveTable& a, const LiveTable& b) {
  return Status::Corruption("tables " + std::to_string(a.number) + " and " +
                            std::to_string(b.number) + " of level " +
                            std::to_string(a.level) + " overlap");
}

// Requires: the tables are in the order of their smallest keys.
Status CheckApart(std::span<const LiveTable* const> tables,
                  const KeyOrder& order) {
  for (size_t i = 1; i < tables.size(); ++i) {
    if (order.Compare(tables[i - 1]->largest, tables[i]->smallest) >= 0) {
      return Overlap(*tables[i - 1], *tables[i]);
    }
  }
  return {};
}

// Tables of one epoch were written at once, so that none of them is newer.
Status CheckEpochs(std::span<const LiveTable> newest_first,
                   const KeyOrder& order) {
  for (size_t begin = 0; begin < newest_first.size();) {
    std::vector<const LiveTable*> same;
    const uint64_t epoch = newest_first[begin].epoch_number;
    for (; begin < newest_first.size() &&
           newest_first[begin].epoch_number == epoch;
         ++begin) {
      same.push_back(&newest_first[begin]);
    }
    std::sort(same.begin(), same.end(),
              [&order](const LiveTable* a, const LiveTable* b) {
                return order.Compare(a->smallest, b->smallest) < 0;
              });
    Status status = CheckApart(same, order);
    if (!status.ok()) return status;
  }
  return {};
}

Status CheckKeys(const std::vector<LiveTable>& tables, const KeyOrder& order) {
  for (const LiveTable& table : tables) {
    if (std::min(table.smallest.size(), table.largest.size()) <
        order.smallest_key()) {
      return Status::Corruption("a key of table " +
                                std::to_string(table.number) +
                                " is too short for a timestamp");
    }
    if (order.Compare(table.smallest, table.largest) > 0) {
      return Status::Corruption("the smallest key of table " +
                                std::to_string(table.number) +
                                " comes after its largest");
    }
  }
  return {};
}

}  // namespace

Status PutIntoAskingOrder(ColumnFamilyFiles* family) {
  std::vector<LiveTable>& tables = family->tables;
  const Comparator* const comparator =
      FindBuiltinComparator(family->comparator);
  family->order_is_known = comparator != nullptr;
  const KeyOrder order(family->order_is_known ? comparator
                                              : BytewiseComparator());
  if (family->order_is_known) {
    for (LiveTable& table : tables) {
      if (table.user_defined_timestamps_persisted) continue;
      PutTimestamp(order.timestamp_size(), &table.smallest);
      PutTimestamp(order.timestamp_size(), &table.largest);
    }
    Status status = CheckKeys(tables, order);
    if (!status.ok()) return status;
  }
  const bool by_epoch = std::all_of(
      tables.begin(), tables.end(),
      [](const LiveTable& table) { return table.epoch_number != 0; });
  std::sort(tables.begin(), tables.end(),
            [&](const LiveTable& a, const LiveTable& b) {
              if (a.level != b.level) return a.level < b.level;
              if (a.level == 0) return AsksFirst(a, b, by_epoch);
              if (family->order_is_known) {
                const int keys = order.Compare(a.smallest, b.smallest);
                if (keys != 0) return keys < 0;
              }
              return a.number < b.number;
            });
  if (!family->order_is_known) return {};
  const auto deeper =
      std::find_if(tables.begin(), tables.end(),
                   [](const LiveTable& table) { return table.level > 0; });
  for (auto at = deeper; at != tables.end();) {
    std::vector<const LiveTable*> level;
    const uint32_t number = at->level;
    for (; at != tables.end() && at->level == number; ++at) {
      level.push_back(&*at);
    }
    Status status = CheckApart(level, order);
    if (!status.ok()) return status;
  }
  if (!by_epoch) return {};
  return CheckEpochs(
      std::span(tables).first(static_cast<size_t>(deeper - tables.begin())),
      order);
}

}  // namespace ashlar::internal
