// Fuzz target: option strings and OPTIONS files.
#include <string>
#include <string_view>

#include "ashlar/table/option_strings.h"
#include "ashlar/table/option_table.h"
#include "test/fuzz/cost.h"
#include "test/fuzz/fuzz_input.h"

namespace ashlar {
namespace {

// What was read can be written, and is then read as the same. Only a text that
// is not read as it is has no string.
void CheckIsWritten(const OptionSet& set) {
  const auto of_table = StringFromTableOptions(set.table);
  FUZZ_CHECK(of_table.ok());
  TableOptions again;
  FUZZ_CHECK(TableOptionsFromString({}, *of_table, &again).ok());
  const auto twice = StringFromTableOptions(again);
  FUZZ_CHECK(twice.ok() && *twice == *of_table);

  const auto text = StringFromOptions(set);
  if (!text.ok()) {
    FUZZ_CHECK(text.status().message().find("cannot hold") !=
               std::string_view::npos);
    return;
  }
  OptionSet all;
  FUZZ_CHECK(OptionsFromString(*text, &all).ok());
  const auto all_twice = StringFromOptions(all);
  FUZZ_CHECK(all_twice.ok() && *all_twice == *text);
}

void ReadAll(std::string_view text, bool ignore_unknown) {
  const OptionTextRules rules = {.ignore_unknown = ignore_unknown};
  OptionSet set;
  if (OptionsFromString(text, &set, rules).ok()) CheckIsWritten(set);
  set = {};
  if (OptionsFromFileText(text, "default", &set, rules).ok()) {
    CheckIsWritten(set);
  }
}

}  // namespace
}  // namespace ashlar

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ashlar::fuzz::Cost cost(ashlar::fuzz::kCostOfDecoder, size);
  const std::string text(reinterpret_cast<const char*>(data), size);
  ashlar::ReadAll(text, false);
  ashlar::ReadAll(text, true);
  return 0;
}
