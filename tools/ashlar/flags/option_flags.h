// Which flag sets which option of the library.
//
// A flag takes its bounds, its kind and its place in the options from the
// option's row (ashlar/table/option_table.h); only its name, its words and its
// help are the program's own. flags.cc checks the bounds of every flag that is
// given. SetOptions copies the given flags into the options of a command.
#ifndef ASHLAR_TOOLS_ASHLAR_FLAGS_OPTION_FLAGS_H_
#define ASHLAR_TOOLS_ASHLAR_FLAGS_OPTION_FLAGS_H_

#include <span>
#include <string>
#include <string_view>

#include "ashlar/table/option_table.h"
#include "tools/ashlar/flags/flags.h"
#include "tools/memory_limit.h"

namespace ashlar::tool {

// Returns the name of the option that the flag sets, such as
// "compression_opts.level". It may be the name of no option.
std::string_view OptionOf(const FlagRow& row);

// Returns the flag that sets the option of this name, or null if there is none.
const FlagRow* FlagOf(std::string_view option);

// Returns the bounds of the option that the flag sets, or null if there is no
// such option.
const OptionBounds* BoundsOf(const FlagRow& row);

// Returns the flag's value, as a value of its option. Returns std::monostate if
// the option has no such value.
OptionValue OptionValueOf(const FlagRow& row);

// Returns why the value of the flag is not the name of anything, after
// "--<flag>: '<value>' is ".
std::string_view NotAName(const FlagRow& row);

// Sets each option whose flag is given. Returns what is wrong with the flags,
// or an empty string.
template <typename Options>
std::string SetOptions(const CommandLine& line,
                       std::span<const OptionRow<Options>> rows,
                       Options* options) {
  for (const OptionRow<Options>& row : rows) {
    const FlagRow* const flag = FlagOf(row.name);
    if (flag == nullptr || !line.Given(flag->name)) continue;
    const OptionValue value = OptionValueOf(*flag);
    // No name: no such object.
    if (value == OptionValue(std::string_view())) continue;
    if (value != OptionValue() && IsOkOrThrow(SetOption(row, value, options)))
      continue;
    return "--" + std::string(flag->name) + ": '" +
           DescribeValue({}, flag->read()) + "' is " +
           std::string(NotAName(*flag));
  }
  return {};
}

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_FLAGS_OPTION_FLAGS_H_
