#include "tools/columns/column_places.h"

#include <algorithm>
#include <string_view>

#include "ashlar/util/printable.h"
#include "tools/escaped_text.h"
#include "tools/utf8_text.h"

namespace ashlar::tool {

bool ColumnPlaces::Find(const ColumnPlan& plan, size_t width,
                        std::string* reason) {
  const auto find = [&](const std::vector<PlannedColumn>& columns,
                        std::vector<size_t>* places) {
    places->assign(columns.size(), 0);
    for (size_t i = 0; i < columns.size(); ++i) {
      if (!FindOne(columns[i], width, &(*places)[i], reason)) return false;
    }
    return true;
  };
  if (!find(plan.key, &key) || !find(plan.values, &values)) {
    Forget();
    return false;
  }
  if (plan.value != ColumnPlan::Value::kOthers) return true;
  for (size_t i = 0; i < width; ++i) {
    if (std::find(key.begin(), key.end(), i) == key.end()) values.push_back(i);
  }
  return true;
}

void ColumnPlaces::Forget() {
  key.clear();
  values.clear();
}

bool ColumnPlaces::NamesAreGood(const ColumnPlan& plan,
                                std::string* reason) const {
  for (size_t i = 0; i < names.size(); ++i) {
    if (FindNoUtf8(names[i]) == names[i].size()) continue;
    *reason = Describe(i) + ": the name is not UTF-8";
    return false;
  }
  if (plan.value == ColumnPlan::Value::kColumn) return true;
  // Sorted, since there may be any number of names.
  std::vector<std::string_view> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return true;
  *reason = "the " + std::string(origin) + " has column '" +
            PrintableText(std::string(*twice)) + "' twice";
  return false;
}

std::string ColumnPlaces::Describe(size_t place) const {
  std::string text = "column " + std::to_string(place + 1);
  if (place < names.size()) text += " ('" + Escape(names[place]) + "')";
  return text;
}

bool ColumnPlaces::FindOne(const PlannedColumn& column, size_t width,
                           size_t* place, std::string* reason) const {
  if (column.number != 0) {
    *place = column.number - 1;
    if (*place < width) return true;
    *reason = "there is no column " + column.name + "; the row has " +
              std::to_string(width);
    return false;
  }
  const auto found = std::find(names.begin(), names.end(), column.name);
  if (found == names.end()) {
    *reason = "no column '" + PrintableText(column.name) + "' in the " + origin;
    return false;
  }
  if (std::find(found + 1, names.end(), column.name) != names.end()) {
    *reason = "the " + std::string(origin) + " has column '" +
              PrintableText(column.name) + "' twice";
    return false;
  }
  *place = static_cast<size_t>(found - names.begin());
  return true;
}

}  // namespace ashlar::tool
