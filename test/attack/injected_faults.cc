#include "test/attack/injected_faults.h"

#include <set>
#include <string_view>
#include <utility>

namespace ashlar::testing {

namespace {

using Names = std::set<std::string_view>;

// Calls that may return EINTR, after which they must be made again. (Linux
// frees the descriptor of a close that was interrupted.)
const Names& Interrupted() {
  static const Names names = {"open",      "read",  "write", "fsync",
                              "fdatasync", "flock", "close", "ftruncate"};
  return names;
}

const Names& TakeSpace() {
  static const Names names = {"open",      "write",   "fsync",     "fdatasync",
                              "mkdtemp",   "rename",  "renameat2", "link",
                              "ftruncate", "mkostemp"};
  return names;
}

// Calls that a file server may complete although it reports an error.
const Names& MayBeDone() {
  static const Names names = {"rename", "renameat2", "link",     "unlink",
                              "rmdir",  "fsync",     "fdatasync"};
  return names;
}

// Calls whose failure means that what was written, or its name, may be lost.
const Names& MustBeTold() {
  static const Names names = {"write",  "fsync",     "fdatasync",
                              "rename", "renameat2", "ftruncate"};
  return names;
}

// Calls that remove what is not needed. If they fail, it stays.
const Names& Remove() {
  static const Names names = {"unlink", "rmdir", "opendir", "readdir",
                              "closedir"};
  return names;
}

class Faults {
 public:
  Faults(const CountedCall& call, size_t number)
      : name_(call.name), number_(number) {}

  void AddErrors() {
    for (const char* const error : {"EIO", "EAGAIN", "ESTALE", "EACCES"}) {
      Add(error);
    }
    Add("EIO", true);
    if (name_ == "open") {
      Add("EMFILE");
      Add("ENFILE", true);
      Add("ENOENT");
      Add("ENOMEM");
    }
    if (MayBeDone().contains(name_)) Add("done-EIO");
  }
  void AddSpace() {
    if (!TakeSpace().contains(name_)) return;
    for (const bool and_after : {false, true}) {
      Add("ENOSPC", and_after);
      Add("EDQUOT", and_after);
    }
    if (name_ == "write") Add("EFBIG");
  }
  void AddInterruptions() {
    if (Interrupted().contains(name_)) Add("EINTR");
    if (name_ == "read" || name_ == "write") Add("short");
  }
  void AddFlips(uint64_t flips) {
    if (name_ != "read") return;
    for (uint64_t i = 0; i < flips; ++i) Add("flip-" + std::to_string(i));
  }
  std::vector<InjectedFault> Take() { return std::move(faults_); }

 private:
  void Add(const std::string& what, bool and_after = false) {
    faults_.push_back({number_, what, and_after});
  }

  const std::string name_;
  const size_t number_;
  std::vector<InjectedFault> faults_;
};

}  // namespace

std::string InjectedFault::Plan() const {
  return std::to_string(number) + (and_after ? "+:" : ":") + what;
}

std::vector<InjectedFault> FaultsAt(const std::vector<CountedCall>& calls,
                                    uint64_t flips) {
  std::vector<InjectedFault> all;
  for (size_t i = 0; i < calls.size(); ++i) {
    Faults faults(calls[i], i + 1);
    faults.AddErrors();
    faults.AddSpace();
    faults.AddInterruptions();
    faults.AddFlips(flips);
    for (InjectedFault& fault : faults.Take()) all.push_back(std::move(fault));
  }
  return all;
}

FaultExpectation ExpectationOf(const InjectedFault& fault,
                               const std::string& call) {
  FaultExpectation expected;
  if (call.empty()) {
    expected.must_succeed = true;
    return expected;
  }
  const std::string& what = fault.what;
  expected.is_flip = what.starts_with("flip-");
  const bool is_made = expected.is_flip || what == "short";
  expected.must_succeed = (is_made && call != "read") || what == "short" ||
                          (what == "EINTR" && Interrupted().contains(call));
  // The library may look whether a name is there after all.
  const bool may_be_there =
      what == "done-EIO" && call != "fsync" && call != "fdatasync";
  expected.must_fail = MustBeTold().contains(call) && !expected.must_succeed &&
                       !is_made && !may_be_there;
  expected.is_fsync = call == "fsync";
  expected.no_space = what == "ENOSPC" && TakeSpace().contains(call);
  expected.hides_descriptor =
      what.starts_with("done-") && (call == "open" || call == "opendir" ||
                                    call == "mkostemp" || call == "dup");
  expected.no_memory = what == "ENOMEM";
  expected.may_leave = fault.and_after || Remove().contains(call);
  return expected;
}

}  // namespace ashlar::testing
