// Fuzz target: option strings and OPTIONS files.
#include <string>
#include <string_view>

#include "ashlar/table/option_strings.h"
#include "ashlar/table/option_table.h"
#include "test/fuzz/fuzz_input.h"

namespace ashlar {
namespace {

// What was read can be written, and is then read as the same.
void CheckIsWritten(const TableOptions& options) {
  const auto text = StringFromTableOptions(options);
  FUZZ_CHECK(text.ok());
  TableOptions again;
  FUZZ_CHECK(TableOptionsFromString({}, *text, &again).ok());
  const auto twice = StringFromTableOptions(again);
  FUZZ_CHECK(twice.ok() && *twice == *text);
}

void ReadAll(std::string_view text, bool ignore_unknown) {
  const OptionTextRules rules = {.ignore_unknown = ignore_unknown};
  OptionSet set;
  if (OptionsFromString(text, &set, rules).ok()) CheckIsWritten(set.table);
  set = {};
  if (OptionsFromFileText(text, "default", &set, rules).ok()) {
    CheckIsWritten(set.table);
  }
}

}  // namespace
}  // namespace ashlar

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  ashlar::ReadAll(text, false);
  ashlar::ReadAll(text, true);
  return 0;
}
