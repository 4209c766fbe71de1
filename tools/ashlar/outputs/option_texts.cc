#include "tools/ashlar/outputs/option_texts.h"

#include <vector>

#include "ashlar/table/option_strings.h"
#include "tools/ashlar/flags/option_flags.h"
#include "tools/ashlar/print/output.h"
#include "tools/memory_limit.h"

namespace ashlar::tool {
namespace {

std::string SetFromTexts(const CommandLine& line, OptionSet* set,
                         std::vector<std::string>* ignored) {
  const OptionTextRules rules = {.ignore_unknown = FLAGS_ignore_unknown_options,
                                 .ignored = ignored};
  if (line.Given("options_from")) {
    const auto target = set->table.target_rocksdb;
    const Status status =
        LoadOptionsFile(FLAGS_options_from, FLAGS_cf, set, rules);
    if (!IsOkOrThrow(status)) {
      return "--options_from: " + std::string(status.message());
    }
    set->table.target_rocksdb = target;
  }
  if (!line.Given("options")) return {};
  const Status status = OptionsFromString(FLAGS_options, set, rules);
  if (IsOkOrThrow(status)) return {};
  return "--options: " + std::string(status.message());
}

}  // namespace

bool HasOptionTexts(const CommandLine& line) {
  return line.Given("options") || line.Given("options_from");
}

std::string SetOptionsFromTexts(const CommandLine& line, TableOptions* table,
                                BuildOptions* build) {
  OptionSet set = {.table = *table, .build = *build};
  std::vector<std::string> ignored;
  std::string error = SetFromTexts(line, &set, &ignored);
  if (!error.empty()) return error;
  for (const std::string& what : ignored) PrintWarning("left out: " + what);
  *table = std::move(set.table);
  build->merge_operator_name = std::move(set.build.merge_operator_name);
  return {};
}

void PutTextsOverKept(const CommandLine& line, TableOptions* table) {
  if (!HasOptionTexts(line)) return;
  OptionSet set = {.table = *table};
  std::vector<std::string> ignored;
  // They have been read before, without an error.
  if (!SetFromTexts(line, &set, &ignored).empty()) return;
  if (!SetOptions(line, TableOptionRows(), &set.table).empty()) return;
  set.table.comparator = table->comparator;
  set.table.persist_user_defined_timestamps =
      table->persist_user_defined_timestamps;
  *table = std::move(set.table);
}

}  // namespace ashlar::tool
