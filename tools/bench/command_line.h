// The command line of the benchmarks: flags, lists in flags, and errors.
//
// Used by the main files of the programs.
#ifndef ASHLAR_TOOLS_BENCH_COMMAND_LINE_H_
#define ASHLAR_TOOLS_BENCH_COMMAND_LINE_H_

#include <string>
#include <vector>

namespace ashlar::bench {

// Replaces units in whole numbers among the arguments (tools/quantity.h). A
// number counts bytes if the flag's description begins with "bytes"; otherwise
// it is a count. So the description of a flag with a unit begins with the unit.
// To be called before gflags reads the arguments, which this changes.
void ReadUnits(int argc, char** argv);

// Sets the flags from the arguments. Arguments that are not flags are an error.
void ParseFlags(const char* description, int argc, char** argv);

// Returns the parts between commas. Empty parts are left out.
std::vector<std::string> Split(const std::string& text);

// Prints what is wrong with the arguments, and ends the program.
[[noreturn]] void Usage(const std::string& reason);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_COMMAND_LINE_H_
