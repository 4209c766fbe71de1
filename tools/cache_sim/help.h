// What cache_sim --help says.
#ifndef ASHLAR_TOOLS_CACHE_SIM_HELP_H_
#define ASHLAR_TOOLS_CACHE_SIM_HELP_H_

namespace ashlar::sim {

// To standard output: usage, traces, caches, and the flags that the file of
// this name defines.
void PrintHelp(const char* flags_file);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_HELP_H_
