// Makes a chosen file call of a process fail.
//
// This is a shared library between a program and the C library. It counts and
// records the file calls on one folder and everything below it. At a chosen
// call it returns an error, transfers fewer bytes, or kills the process. All
// other calls pass unchanged. There are two ways to use it.
//
// 1. Under any program, by LD_PRELOAD. An ASan program also needs
// ASAN_OPTIONS=verify_asan_link_order=0. The environment controls it:
//
//   ASHLAR_FAULT_ROOT  the folder, an absolute path
//   ASHLAR_FAULT_PLAN  optional: what fails, in the form below
//   ASHLAR_FAULT_LOG   optional: a file outside the folder. Each counted call
//                      appends one line:
//                      "<n> TAB <name> TAB <path> TAB <second path or flags>
//                      TAB <0, or the errno>", paths relative to the folder
//   ASHLAR_FAULT_DATA  optional, with a log: a file to which the bytes of each
//                      write are appended. The log then says of each write
//                      "<offset>+<size>@<offset in that file>", of ftruncate
//                      the size, and of open "truncate" too, so that what a
//                      disk had after each call can be worked out
//
// 2. In a test program that links it, by the functions below.
//
// A plan is a list of <which>:<what>, separated by commas. If several items fit
// a call, the last of them applies.
//
//   which   17           the 17th counted call (from 1)
//           17+          that one and all after it
//           unlinkat     each call of this name
//           unlinkat@2   the second call of this name
//           unlinkat@2+  that one and all after it
//           unlinkat~a   each call of this name whose path ends in "a"
//   what    EIO ...      the call is not made and fails with this errno.
//                        close and closedir are made, as Linux does
//           done-EIO     the call is made, but reports this errno
//           short        a read or write transfers half of the bytes, at least
//                        one; any other call is made unchanged
//           short-3      the same, for a plan by which each call of a name is
//                        short, but every third call about a file is whole:
//                        otherwise most calls would be about a few bytes
//           flip-7       a read returns its bytes with one bit changed, which
//                        the number chooses; any other call is made unchanged
//           kill         SIGKILL before the call
//           killed       SIGKILL after the call
//
// Names are those of the C library without "64". Some calls share a name:
//
//   open    open, openat
//   stat    stat, lstat, fstat, fstatat
//   unlink  unlink, unlinkat
//   rename  rename, renameat
//   link    link, linkat
//   read    read, pread, preadv2
//   write   write, pwrite
//   dup     fcntl with F_DUPFD
//   setfl   fcntl with F_SETFL
//
// mkdtemp and mkostemp name what they have made as the second path.
// renameat2, mkdtemp, mkostemp, mkdir, rmdir, close, fsync, fdatasync,
// sync_file_range, ftruncate, flock, opendir, readdir and closedir keep their
// own names. To add a call, add one function at the end of faulty_calls.cc.
//
// Any number of threads may make calls. Calls get their numbers in the order in
// which they begin.
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
  int error = 0;       // 0, or the errno that the call returned
};

// Starts to count calls, from 1. `root` is an absolute path. Throws
// std::invalid_argument if the plan is malformed.
void BeginFaults(const std::string& root, const std::string& plan);
// Stops counting and returns the counted calls.
std::vector<CountedCall> EndFaults();

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_FAULTY_CALLS_H_
