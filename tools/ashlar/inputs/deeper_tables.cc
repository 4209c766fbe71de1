#include "tools/ashlar/inputs/deeper_tables.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "ashlar/table/internal_key_less.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/table/table_summary.h"
#include "ashlar/util/printable.h"
#include "tools/ashlar/flags/split_list.h"
#include "tools/ashlar/inputs/open_table.h"

namespace ashlar::tool {
namespace {

struct DeeperTable {
  std::string path;
  FileRange range;
};

Status ReadTable(const Input& input, const Comparator* comparator,
                 std::vector<DeeperTable>* level) {
  if (!input.status.ok()) return input.status;
  const auto reader = TableReader::Open(input.path, ReaderOptionsFromFlags());
  if (!reader.ok()) return reader.status();
  if ((*reader)->comparator() != comparator) {
    return Status::InvalidArgument(
        PrintableText(input.path) + ": its comparator is " +
        std::string((*reader)->comparator()->Name()) +
        ", and that of the inputs is " + std::string(comparator->Name()));
  }
  TableSummary summary;
  Status status = SummarizeTable(**reader, &summary);
  if (status.ok() && !summary.smallest.empty()) {
    level->push_back(
        {input.path, {summary.smallest, summary.largest, summary.file_size}});
  }
  return status;
}

// Returns whether no key of the second table comes before the last key of the
// first one. RocksDB may end a table between two versions of one key.
bool AreInOrder(const Comparator* comparator, const FileRange& a,
                const FileRange& b) {
  const size_t size = comparator->timestamp_size();
  return comparator->CompareWithoutTimestamp(
             WithoutTimestamp(UserKeyOf(a.largest), size),
             WithoutTimestamp(UserKeyOf(b.smallest), size)) <= 0;
}

Status ReadLevel(const std::string& list, const Comparator* comparator,
                 std::vector<FileRange>* level) {
  const std::vector<Input> inputs = DeeperInputs(list);
  if (inputs.empty()) {
    return Status::InvalidArgument("--deeper: '" + PrintableText(list) +
                                   "' names no table");
  }
  std::vector<DeeperTable> tables;
  for (const Input& input : inputs) {
    Status status = ReadTable(input, comparator, &tables);
    if (!status.ok()) return status;
  }
  std::sort(tables.begin(), tables.end(),
            [&](const DeeperTable& a, const DeeperTable& b) {
              return CompareInternalKeys(comparator, a.range.smallest,
                                         b.range.smallest) < 0;
            });
  for (size_t i = 0; i < tables.size(); ++i) {
    if (i > 0 &&
        !AreInOrder(comparator, tables[i - 1].range, tables[i].range)) {
      return Status::InvalidArgument(
          PrintableText(tables[i].path) + ": has keys between those of " +
          PrintableText(tables[i - 1].path) +
          ": each --deeper names one level, whose tables do not overlap");
    }
    level->push_back(tables[i].range);
  }
  return {};
}

}  // namespace

std::vector<Input> DeeperInputs(const std::string& list) {
  std::vector<std::string> names = SplitList(list, ',');
  std::erase(names, "");
  return ExpandInputs(names);
}

Status ReadDeeperLevels(const std::vector<std::string>& lists,
                        const Comparator* comparator,
                        std::vector<std::vector<FileRange>>* levels) {
  levels->clear();
  for (const std::string& list : lists) {
    Status status = ReadLevel(list, comparator, &levels->emplace_back());
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace ashlar::tool
