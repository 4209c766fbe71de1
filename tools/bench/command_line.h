// The command line of the benchmarks: flags, lists in flags, what is refused.
//
// Used by the programs' main files.
#ifndef ASHLAR_TOOLS_BENCH_COMMAND_LINE_H_
#define ASHLAR_TOOLS_BENCH_COMMAND_LINE_H_

#include <string>
#include <vector>

namespace ashlar::bench {

// Whole numbers among the arguments may have units (tools/quantity.h):
// as bytes where the flag's description begins with that word, else as counts.
// To be called before gflags has the arguments, which it changes.
void ReadUnits(int argc, char** argv);

// Flags take their values from the arguments; there is nothing but flags.
void ParseFlags(const char* description, int argc, char** argv);

// What commas separate; nothing between two of them is no part.
std::vector<std::string> Split(const std::string& text);

// Says why the arguments won't do, and ends the program.
[[noreturn]] void Usage(const std::string& reason);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_COMMAND_LINE_H_
