// The file calls of a process, made to fail at a chosen one.
//
// A shared library that stands between a program and the C library: it counts
// the file calls about one folder and all below it, writes them down, and at a
// chosen call returns an error, transfers less, or kills the process. All other
// calls pass. It works in two ways.
//
// Under any program, by LD_PRELOAD (an ASan program also needs
// ASAN_OPTIONS=verify_asan_link_order=0), through the environment:
//
//   ASHLAR_FAULT_ROOT  the folder, an absolute path
//   ASHLAR_FAULT_PLAN  what fails: see below; may be absent
//   ASHLAR_FAULT_LOG   a file to which each counted call is appended; may be
//                      absent. It must not be in the folder. A line is
//                      "<n> TAB <name> TAB <path> TAB <second path or flags>
//                      TAB <0, or the errno>", the paths relative to the folder
//
// In a test program that links it, through the functions below.
//
// A plan is a list, with commas between, of <which>:<what>; of those that fit a
// call, the last one holds.
//
//   which   17           the 17th counted call (from 1)
//           17+          that one and all after it
//           unlinkat     each call of this name
//           unlinkat@2   the second call of this name
//           unlinkat@2+  that one and all after it
//           unlinkat~a   each call of this name whose path ends in "a"
//   what    EIO ...      the call is not made and fails with this errno
//           done-EIO     the call is made, and fails all the same
//           short        a read or write transfers half of the bytes, at least
//                        one; any other call is made as it is
//           kill         SIGKILL before the call
//           killed       SIGKILL after the call
//
// Names are those of the C library without "64": open and openat are both
// "open", stat, lstat, fstat and fstatat are all "stat", unlink and unlinkat
// "unlink", rename and renameat "rename", link and linkat "link", pread "read",
// pwrite "write". renameat2, mkdtemp, mkostemp, mkdir, rmdir, close, fsync,
// fdatasync, ftruncate, flock, dup (fcntl with F_DUPFD), opendir, readdir and
// closedir are called so. To add a call: one function at the end of
// faulty_calls.cc.
//
// Any number of threads; the number of a call is then that of its turn.
#ifndef ASHLAR_TEST_SUPPORT_FAULTY_CALLS_H_
#define ASHLAR_TEST_SUPPORT_FAULTY_CALLS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::testing {

struct CountedCall {
  std::string name;
  std::string path;    // relative to the folder
  std::string detail;  // the second path, or flags
  int error = 0;       // 0, or the errno with which it ended
};

// Begins to count, from 1. `root` is an absolute path. Throws
// std::invalid_argument for a malformed plan.
void BeginFaults(const std::string& root, const std::string& plan);
// Ends it; the calls that were counted.
std::vector<CountedCall> EndFaults();

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_FAULTY_CALLS_H_
