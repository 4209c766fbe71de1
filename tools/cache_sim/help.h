// The text of cache_sim --help.
#ifndef ASHLAR_TOOLS_CACHE_SIM_HELP_H_
#define ASHLAR_TOOLS_CACHE_SIM_HELP_H_

namespace ashlar::sim {

// Prints usage, traces, caches, and the flags that the source file `flags_file`
// defines, to standard output.
void PrintHelp(const char* flags_file);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_HELP_H_
