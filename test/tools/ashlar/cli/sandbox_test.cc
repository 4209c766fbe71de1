// Tests what a process can no longer do in the sandbox of the program. Each
// case runs in a child process, which cannot leave the sandbox again.
#include "tools/ashlar/cli/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <liburing.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <string>
#include <thread>

#include "port/sanitizers.h"
#include "test/support/folder.h"
#include "tools/ashlar/cli/command_table.h"

namespace ashlar::tool {
namespace {

#if defined(__x86_64__) || defined(__aarch64__)
constexpr bool kKnowsCalls = true;
#else
constexpr bool kKnowsCalls = false;
#endif

// What must be given up is what the kernel says that it has. Tests of the rest
// are skipped: a kernel without it cannot refuse anything, and builds with a
// sanitizer have no sandbox.
long LandlockVersion() {
  return internal::kUnderSanitizer ? 0 : syscall(444, nullptr, 0, 1);
}
bool HasLandlock() { return LandlockVersion() >= 1; }
bool HasSeccomp() {
  return !internal::kUnderSanitizer && kKnowsCalls &&
         access("/proc/sys/kernel/seccomp/actions_avail", F_OK) == 0;
}

constexpr int kNotGivenUp = 77;

// Runs check(parts) in a child process that has entered the sandbox. Returns
// what it returned, which is at most 255, or -1 if the child has crashed.
template <typename Check>
int InSandbox(bool may_write_files, Check check) {
  const pid_t child = fork();
  if (child == 0) {
    const SandboxParts parts = EnterSandbox(may_write_files);
    _exit(check(parts));
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Returns the error of a call, 0 if it succeeded.
int ErrorOf(long result) { return result == -1 ? errno : 0; }

int OpenError(const std::string& path, int flags) {
  const int file = open(path.c_str(), flags, 0600);
  const int error = ErrorOf(file);
  if (file >= 0) close(file);
  return error;
}

class SandboxTest : public ::testing::Test {
 protected:
  SandboxTest() {
    testing::WriteFile(file_, "text");
    mkdir((folder_.path() + "/other").c_str(), 0700);
  }

  // Returns how many of the ways to change files succeed.
  int ChangesOfFiles() const {
    const std::string at = folder_.path() + "/";
    int changes = 0;
    for (const int error :
         {OpenError(file_, O_WRONLY), OpenError(file_, O_RDWR | O_TRUNC),
          OpenError(at + "new", O_CREAT | O_WRONLY),
          ErrorOf(truncate(file_.c_str(), 1)),
          ErrorOf(mkdir((at + "folder").c_str(), 0700)),
          ErrorOf(symlink("file", (at + "name").c_str())),
          ErrorOf(mkfifo((at + "pipe").c_str(), 0600)),
          ErrorOf(link(file_.c_str(), (at + "other/link").c_str())),
          ErrorOf(rename(file_.c_str(), (at + "renamed").c_str())),
          ErrorOf(rmdir((at + "other").c_str())),
          ErrorOf(unlink(file_.c_str()))}) {
      changes += error == 0 ? 1 : 0;
    }
    return changes;
  }

  testing::TestFolder folder_;
  const std::string file_ = folder_.path() + "/file";
};

TEST_F(SandboxTest, WithoutItAllOfTheseSucceed) {
  // Renaming leaves nothing to remove, and the link keeps its folder.
  EXPECT_EQ(ChangesOfFiles(), 9);
  const int socket_error = ErrorOf(socket(AF_UNIX, SOCK_STREAM, 0));
  EXPECT_EQ(socket_error, 0);
}

TEST_F(SandboxTest, ACommandThatReadsChangesNoFile) {
  if (!HasLandlock()) GTEST_SKIP() << "no Landlock";
  const int code = InSandbox(false, [this](SandboxParts parts) {
    if (!parts.file_changes) return kNotGivenUp;
    return ChangesOfFiles();
  });
  // Kernels before 6.2 let it cut a file short.
  EXPECT_GE(code, 0);
  EXPECT_LE(code, LandlockVersion() >= 3 ? 0 : 1);
  EXPECT_EQ(OpenError(file_, O_RDONLY), 0);
  EXPECT_NE(OpenError(folder_.path() + "/new", O_RDONLY), 0);
}

TEST_F(SandboxTest, ItStillReadsAndWritesToWhatIsOpen) {
  const int opened = open(file_.c_str(), O_WRONLY | O_APPEND);
  ASSERT_GE(opened, 0);
  const int code = InSandbox(false, [this, opened](SandboxParts) {
    if (write(opened, " more", 5) != 5) return 1;
    return testing::ReadFile(file_) == "text more" ? 0 : 2;
  });
  close(opened);
  EXPECT_EQ(code, 0);
}

TEST_F(SandboxTest, ThreadsAreStartedAndConfined) {
  const int code = InSandbox(false, [this](SandboxParts parts) {
    int file_error = 0;
    int call_error = 0;
    std::thread([&] {
      file_error = OpenError(file_, O_WRONLY);
      call_error = ErrorOf(socket(AF_INET, SOCK_DGRAM, 0));
    }).join();
    if (parts.file_changes && file_error != EACCES) return 1;
    if (parts.calls && call_error != EPERM) return 2;
    return 0;
  });
  EXPECT_EQ(code, 0);
}

// Both kinds of commands: the child returns a number for what it could do.
TEST_F(SandboxTest, NoProgramNoNetworkNoOtherProcess) {
  if (!HasSeccomp()) GTEST_SKIP() << "no seccomp";
  for (const bool may_write : {false, true}) {
    const int code = InSandbox(may_write, [](SandboxParts parts) {
      if (!parts.calls) return kNotGivenUp;
      char name[] = "/bin/true";
      char* const words[] = {name, nullptr};
      if (ErrorOf(execv(name, words)) == 0) return 1;
      if (ErrorOf(socket(AF_INET, SOCK_STREAM, 0)) != EPERM) return 2;
      if (ErrorOf(socket(AF_UNIX, SOCK_STREAM, 0)) != EPERM) return 3;
      int pair[2];
      if (ErrorOf(socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) != EPERM) return 4;
      if (ErrorOf(ptrace(PTRACE_TRACEME, 0, 0, 0)) != EPERM) return 5;
#if defined(__x86_64__)
      // The number that x32 has for getpid().
      if (ErrorOf(syscall(0x40000000 + 39)) != EPERM) return 6;
#endif
      if (ErrorOf(syscall(430, "proc", 0)) != EPERM) return 7;  // fsopen
      return 10;
    });
    EXPECT_EQ(code, 10) << may_write;
  }
}

// The file is no terminal, which the kernel says if it looks at the request.
TEST_F(SandboxTest, NothingIsTypedIntoATerminal) {
  if (!HasSeccomp()) GTEST_SKIP() << "no seccomp";
  const int file = open("/dev/null", O_RDONLY);
  char letter = 'a';
  EXPECT_EQ(ErrorOf(ioctl(file, TIOCSTI, &letter)), ENOTTY);
  const int code = InSandbox(true, [file](SandboxParts) {
    char typed = 'a';
    if (ErrorOf(ioctl(file, TIOCSTI, &typed)) != EPERM) return 1;
    if (ErrorOf(ioctl(file, TIOCLINUX, &typed)) != EPERM) return 2;
    // Other requests are the kernel's to answer.
    winsize size;
    if (ErrorOf(ioctl(file, TIOCGWINSZ, &size)) != ENOTTY) return 3;
    return 10;
  });
  close(file);
  EXPECT_EQ(code, 10);
}

// Returns the error of connecting to a port where nobody listens, by io_uring,
// or -1 if there is no io_uring.
int ConnectByRing(int socket) {
  io_uring ring;
  if (io_uring_queue_init(1, &ring, 0) != 0) return -1;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(1);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  io_uring_sqe* const request = io_uring_get_sqe(&ring);
  io_uring_prep_connect(request, socket, reinterpret_cast<sockaddr*>(&address),
                        sizeof address);
  io_uring_submit(&ring);
  io_uring_cqe* done = nullptr;
  const int error =
      io_uring_wait_cqe(&ring, &done) == 0 ? -done->res : EXIT_FAILURE;
  io_uring_queue_exit(&ring);
  return error;
}

TEST_F(SandboxTest, NoTcpThroughIoUring) {
  if (LandlockVersion() < 4) GTEST_SKIP() << "Landlock does not know TCP";
  const int opened = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_GE(opened, 0);
  const int outside = ConnectByRing(opened);
  EXPECT_NE(outside, EACCES);
  for (const bool may_write : {false, true}) {
    const int code = InSandbox(may_write, [opened](SandboxParts parts) {
      return parts.tcp ? ConnectByRing(opened) : kNotGivenUp;
    });
    EXPECT_EQ(code, outside == -1 ? 255 : EACCES) << may_write;
  }
  close(opened);
}

TEST_F(SandboxTest, ACommandThatWritesMay) {
  const int code = InSandbox(true, [this](SandboxParts parts) {
    return parts.file_changes ? 100 : ChangesOfFiles();
  });
  EXPECT_EQ(code, 9);
}

TEST(SandboxTestOfCommands, WhichMayWrite) {
  const std::set<std::string_view> writing = {
      "build", "rewrite", "salvage",   "compact",
      "raw",   "report",  "cache-sim", "recompress"};
  for (const Command& command : Commands()) {
    EXPECT_EQ(MayWriteFiles(command.bit), writing.contains(command.name))
        << command.name;
  }
}

}  // namespace
}  // namespace ashlar::tool
