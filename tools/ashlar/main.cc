// The program `ashlar`. Started under another name (a link called sst_dump) it
// is the same.
//
// The last net is here. Where memory is out, and nothing further in could say
// of what, the program says so and exits with 2: what was begun has been given
// up by then, for the exception has run all destructors, and those remove
// temporary files. Before main, while static objects are made, no exception can
// be caught: a new-handler, which is there before any of them, does the same.

#include <unistd.h>

#include <new>
#include <stdexcept>

#include "tools/ashlar/cli/run.h"
#include "tools/ashlar/print/output.h"
#include "tools/ashlar/print/report.h"

namespace {

void ExitBeforeMain() {
  constexpr char kText[] = "ashlar: Memory limit: out of memory\n";
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, kText, sizeof kText - 1);
  _exit(ashlar::tool::kExitFailure);
}

void WatchStaticObjects() { std::set_new_handler(ExitBeforeMain); }
// Called before the constructors of any library.
[[gnu::section(".preinit_array"),
  gnu::used]] void (*const watch)() = WatchStaticObjects;

int OutOfMemory() {
  ashlar::tool::PrintOutOfMemory();
  return FLAGS_strict ? ashlar::tool::kExitFailure : ashlar::tool::kExitFault;
}

}  // namespace

int main(int argc, char** argv) {
  std::set_new_handler(nullptr);
  try {
    return ashlar::tool::RunProgram(ashlar::tool::ParseCommandLine(argc, argv));
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  } catch (const std::length_error&) {
    return OutOfMemory();
  }
}
