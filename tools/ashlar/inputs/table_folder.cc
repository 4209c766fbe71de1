#include "tools/ashlar/inputs/table_folder.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "ashlar/table/table_reader.h"
#include "ashlar/table/table_summary.h"
#include "ashlar/util/printable.h"
#include "tools/ashlar/inputs/external_table.h"
#include "tools/ashlar/inputs/inputs.h"
#include "tools/ashlar/inputs/open_table.h"

namespace ashlar::tool {
namespace {

constexpr std::string_view kSuffix = ".sst";

// Returns the number in front of the suffix, or the largest one.
uint64_t NumberOf(std::string_view name) {
  name.remove_suffix(kSuffix.size());
  uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_number =
      error == std::errc() && end == name.data() + name.size();
  return is_number ? number : UINT64_MAX;
}

// A table, and the family that it names; an empty name if it names none.
struct FoundTable {
  LiveTable table;
  std::string family;
  std::string comparator;
  bool is_external = false;
  uint64_t idle_range_deletions = 0;
};

Result<FoundTable> Describe(const std::string& path) {
  const auto reader = TableReader::Open(path, ReaderOptionsFromFlags());
  if (!reader.ok()) return reader.status();
  const TableReader& table = **reader;
  TableSummary summary;
  Status status = SummarizeTable(table, &summary);
  FoundTable found;
  if (status.ok()) status = FindIsExternal(table, path, &found.is_external);
  if (!status.ok()) return status;
  found.table.file_size = summary.file_size;
  found.table.smallest = std::move(summary.smallest);
  found.table.largest = std::move(summary.largest);
  found.table.smallest_seqno = summary.smallest_seqno.value_or(0);
  found.table.largest_seqno =
      summary.largest_seqno.value_or(kMaxSequenceNumber);
  found.table.user_defined_timestamps_persisted =
      table.properties().user_defined_timestamps_persisted != 0;
  for (const RangeDeletion& deletion : table.RangeDeletions()) {
    if (deletion.sequence == 0) ++found.idle_range_deletions;
  }
  found.family = table.properties().column_family_name;
  found.comparator = std::string(table.comparator()->Name());
  return found;
}

ColumnFamilyFiles* FamilyNamed(const std::string& name, DatabaseFiles* files) {
  for (ColumnFamilyFiles& family : files->column_families) {
    if (family.name == name) return &family;
  }
  ColumnFamilyFiles family;
  family.id = static_cast<uint32_t>(files->column_families.size());
  family.name = name;
  family.order_is_known = true;
  files->column_families.push_back(std::move(family));
  return &files->column_families.back();
}

Status OtherComparator(const std::string& path, const FoundTable& found,
                       const ColumnFamilyFiles& family) {
  return Status::InvalidArgument(
      PrintableText(path) + ": its comparator is " +
      PrintableText(found.comparator) +
      ", and that of other tables in the folder is " +
      PrintableText(family.comparator));
}

// Puts the tables into their families, of which each has one comparator: that
// of the first table that names it.
Status SortIntoFamilies(const std::string& folder,
                        const std::vector<FoundTable>& tables,
                        TableFolder* result) {
  std::vector<ColumnFamilyFiles>& families = result->files.column_families;
  const auto order_by = [&](const FoundTable& found, const std::string& name) {
    std::string* const comparator =
        &FamilyNamed(name, &result->files)->comparator;
    if (comparator->empty()) *comparator = found.comparator;
  };
  for (const FoundTable& found : tables) {
    if (!found.family.empty()) order_by(found, found.family);
  }
  if (families.empty()) order_by(tables.front(), "default");
  for (auto found = tables.rbegin(); found != tables.rend(); ++found) {
    const bool is_unnamed = found->family.empty();
    bool fits = false;
    for (ColumnFamilyFiles& family : families) {
      if (!is_unnamed && found->family != family.name) continue;
      if (found->comparator != family.comparator) continue;
      fits = true;
      // Nothing of an empty table is ever seen, and it has no bounds.
      if (!found->table.smallest.empty()) family.tables.push_back(found->table);
    }
    if (!fits) {
      const ColumnFamilyFiles& other =
          is_unnamed ? families[0]
                     : *FamilyNamed(found->family, &result->files);
      const std::string& name = result->names.at(found->table.number);
      return OtherComparator(Below(folder, name), *found, other);
    }
    if (is_unnamed && families.size() > 1) ++result->unnamed;
  }
  return {};
}

}  // namespace

void SortTableNames(std::vector<std::string>* names) {
  std::sort(names->begin(), names->end(),
            [](const std::string& a, const std::string& b) {
              const uint64_t a_number = NumberOf(a);
              const uint64_t b_number = NumberOf(b);
              return a_number != b_number ? a_number < b_number : a < b;
            });
}

Result<TableFolder> ReadTableFolder(const std::string& folder) {
  std::vector<std::string> names;
  for (const Input& input : ExpandInputs({folder})) {
    if (!input.status.ok()) return input.status;
    names.push_back(input.path.substr(input.path.rfind('/') + 1));
  }
  SortTableNames(&names);
  // The last name has the largest number, and no two have the same.
  bool are_numbered = NumberOf(names.back()) != UINT64_MAX;
  for (size_t i = 1; i < names.size(); ++i) {
    are_numbered = are_numbered && NumberOf(names[i - 1]) != NumberOf(names[i]);
  }
  TableFolder result;
  std::vector<FoundTable> tables;
  uint64_t external = 0;
  for (const std::string& name : names) {
    auto found = Describe(Below(folder, name));
    if (!found.ok()) return found.status();
    found->table.number = are_numbered ? NumberOf(name) : tables.size() + 1;
    result.names.emplace(found->table.number, name);
    external += found->is_external ? 1 : 0;
    result.idle_range_deletions += found->idle_range_deletions;
    if (found->table.largest_seqno != kMaxSequenceNumber) {
      result.files.last_sequence =
          std::max(result.files.last_sequence, found->table.largest_seqno);
    }
    tables.push_back(std::move(*found));
  }
  if (external != tables.size()) result.unnumbered = external;
  Status status = SortIntoFamilies(folder, tables, &result);
  if (!status.ok()) return status;
  return result;
}

}  // namespace ashlar::tool
