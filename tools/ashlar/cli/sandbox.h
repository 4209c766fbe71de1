// Gives up what reading tables does not need, before the first byte of a file
// is read. If a hostile file ever took the process over, it could not run
// programs, use the network, or, with a command that only reads, change files.
// Used by run.cc.
//
// It needs no privilege. What the kernel does not have is left out silently.
#ifndef ASHLAR_TOOLS_ASHLAR_CLI_SANDBOX_H_
#define ASHLAR_TOOLS_ASHLAR_CLI_SANDBOX_H_

#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

// Returns whether the command makes files, for good or to measure something.
bool MayWriteFiles(CommandBit command);

// What the process has given up.
struct SandboxParts {
  bool file_changes = false;  // Landlock, Linux 5.13
  bool tcp = false;           // also through io_uring: Landlock, Linux 6.7
  bool calls = false;         // seccomp
};

// Confines the calling thread, and all threads that it starts later, for good.
// Must be called before any other thread is started. Files that are open
// already, such as standard output, may still be written. `may_write_files`:
// leaves the file system as it is.
// Builds with a sanitizer do nothing, since their runtime starts programs and
// traces its own process.
SandboxParts EnterSandbox(bool may_write_files);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_CLI_SANDBOX_H_
