// The program `ashlar`. It is the same under another name, such as a link
// called sst_dump.
//
// Memory errors that no other code handles are caught here. If memory runs out,
// and no inner code could report what for, the program prints that and exits
// with 2 (with --nostrict, 1). By then the exception has run all destructors,
// so that unfinished work was abandoned and temporary files were removed.
// Exceptions cannot be caught before main, while static objects are
// constructed. There, a new-handler that is installed before any of them does
// the same.

#include <fcntl.h>
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
// The linker makes this call before the constructors of any library.
[[gnu::section(".preinit_array"),
  gnu::used]] void (*const watch)() = WatchStaticObjects;

int OutOfMemory() {
  ashlar::tool::PrintOutOfMemory();
  return FLAGS_strict ? ashlar::tool::kExitFailure : ashlar::tool::kExitFault;
}

// A file that is opened must not become a standard stream that was closed
// before: what is printed would be written into it. The stream gets a file that
// fails as a closed one does.
void KeepStandardStreams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    const int direction = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", direction) != stream) {
      _exit(ashlar::tool::kExitFailure);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  KeepStandardStreams();
  std::set_new_handler(nullptr);
  try {
    return ashlar::tool::RunProgram(ashlar::tool::ParseCommandLine(argc, argv));
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  } catch (const std::length_error&) {
    return OutOfMemory();
  }
}
