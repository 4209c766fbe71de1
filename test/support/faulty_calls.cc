#include "test/support/faulty_calls.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <type_traits>

namespace ashlar::testing {
namespace {

// Returns the C library's function that this library hides.
template <typename Function>
Function* Real(Function* /*hidden*/, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

enum class Action : uint8_t {
  kNone,
  kFail,
  kFailDone,
  kShort,
  kFlip,
  kKill,
  kKilled
};

struct Fault {
  uint64_t at = 0;  // 0: any call
  bool and_after = false;
  std::string name;  // empty: any call
  std::string path_end;
  Action action = Action::kNone;
  int error = 0;
  uint64_t whole_every = 0;  // how often it is not short; 0: never
  uint64_t flip = 0;         // chooses the bit that a read changes
};

int ErrnoOf(const std::string& word) {
  static const std::map<std::string, int> known = {
      {"EACCES", EACCES}, {"EAGAIN", EAGAIN}, {"EBADF", EBADF},
      {"EINTR", EINTR},   {"EINVAL", EINVAL}, {"EIO", EIO},
      {"EMFILE", EMFILE}, {"ENOENT", ENOENT}, {"ENOLCK", ENOLCK},
      {"ENOSPC", ENOSPC}, {"ENOSYS", ENOSYS}, {"ENOTSUP", ENOTSUP},
      {"EPERM", EPERM},   {"EROFS", EROFS},   {"EDQUOT", EDQUOT},
      {"EEXIST", EEXIST}, {"ENFILE", ENFILE}, {"ENOMEM", ENOMEM},
      {"EFBIG", EFBIG},   {"ESTALE", ESTALE}, {"ENXIO", ENXIO},
  };
  const auto found = known.find(word);
  if (found == known.end()) throw std::invalid_argument("errno: " + word);
  return found->second;
}

void ParseWhat(const std::string& what, Fault* fault) {
  const std::string done = "done-";
  const std::string flip = "flip-";
  const std::string often_short = "short-";
  if (what == "short") {
    fault->action = Action::kShort;
  } else if (what.starts_with(often_short)) {
    fault->action = Action::kShort;
    fault->whole_every = std::stoull(what.substr(often_short.size()));
  } else if (what.starts_with(flip)) {
    fault->action = Action::kFlip;
    fault->flip = std::stoull(what.substr(flip.size()));
  } else if (what == "kill") {
    fault->action = Action::kKill;
  } else if (what == "killed") {
    fault->action = Action::kKilled;
  } else if (what.starts_with(done)) {
    fault->action = Action::kFailDone;
    fault->error = ErrnoOf(what.substr(done.size()));
  } else {
    fault->action = Action::kFail;
    fault->error = ErrnoOf(what);
  }
}

void ParseWhich(std::string which, Fault* fault) {
  if (const size_t end = which.find('~'); end != std::string::npos) {
    fault->path_end = which.substr(end + 1);
    fault->name = which.substr(0, end);
    return;
  }
  if (which.ends_with('+')) {
    fault->and_after = true;
    which.pop_back();
  }
  const size_t at = which.find('@');
  const bool is_number =
      which.find_first_not_of("0123456789") == std::string::npos;
  if (is_number) {
    fault->at = std::stoull(which);
  } else {
    fault->name = which.substr(0, at);
    if (at != std::string::npos) fault->at = std::stoull(which.substr(at + 1));
  }
}

std::vector<Fault> ParsePlan(const std::string& plan) {
  std::vector<Fault> faults;
  for (size_t begin = 0; begin < plan.size();) {
    const size_t end = std::min(plan.find(',', begin), plan.size());
    const std::string item = plan.substr(begin, end - begin);
    const size_t colon = item.rfind(':');
    if (colon == std::string::npos) throw std::invalid_argument(item);
    Fault fault;
    ParseWhich(item.substr(0, colon), &fault);
    ParseWhat(item.substr(colon + 1), &fault);
    faults.push_back(fault);
    begin = end + 1;
  }
  return faults;
}

// Everything that this library knows. A thread never holds the mutex during a
// call.
class Layer {
 public:
  // Never destroyed, because the program makes calls until its very end.
  static Layer& Get() {
    static Layer* const layer = new Layer();
    return *layer;
  }

  void Begin(const std::string& root, const std::string& plan) {
    const std::scoped_lock hold(mutex_);
    root_ = root;
    faults_ = ParsePlan(plan);
    calls_.clear();
    of_name_.clear();
    short_of_.clear();
    std::string current(4096, '\0');
    current = getcwd(current.data(), current.size()) == nullptr
                  ? ""
                  : current.c_str();
    is_in_root_ = IsBelowRoot(current);
    prefix_ = is_in_root_ && current.size() > root_.size()
                  ? current.substr(root_.size() + 1) + "/"
                  : "";
    is_on_ = true;
  }

  std::vector<CountedCall> End() {
    const std::scoped_lock hold(mutex_);
    is_on_ = false;
    paths_.clear();
    return std::move(calls_);
  }

  // Stores the path relative to the root. Returns false if it is not below the
  // root.
  bool Resolve(int folder, const char* path, std::string* resolved) {
    const std::scoped_lock hold(mutex_);
    if (!is_on_ || path == nullptr) return false;
    std::string text = path;
    while (text.starts_with("./")) text.erase(0, 2);
    if (text.starts_with("/")) {
      if (!IsBelowRoot(text)) return false;
      *resolved =
          text.size() > root_.size() ? text.substr(root_.size() + 1) : ".";
      return true;
    }
    if (folder == AT_FDCWD) {
      *resolved = prefix_ + text;
      return is_in_root_;
    }
    const auto found = paths_.find(folder);
    if (found == paths_.end()) return false;
    const std::string& parent = found->second;
    if (text == "." || text.empty()) {
      *resolved = parent;
    } else {
      *resolved = parent == "." ? text : parent + "/" + text;
    }
    return true;
  }

  bool PathOf(int descriptor, std::string* path) {
    const std::scoped_lock hold(mutex_);
    const auto found = paths_.find(descriptor);
    if (!is_on_ || found == paths_.end()) return false;
    *path = found->second;
    return true;
  }
  void Opened(int descriptor, const std::string& path) {
    const std::scoped_lock hold(mutex_);
    if (descriptor >= 0) paths_[descriptor] = path;
  }
  void Closed(int descriptor) {
    const std::scoped_lock hold(mutex_);
    paths_.erase(descriptor);
  }

  // Counts the next call, stores its number and returns what happens to it.
  Fault Next(const char* name, const std::string& path,
             const std::string& detail, size_t* number) {
    const std::scoped_lock hold(mutex_);
    calls_.push_back({name, path, detail, 0});
    *number = calls_.size();
    const uint64_t of_name = ++of_name_[name];
    for (auto it = faults_.rbegin(); it != faults_.rend(); ++it) {
      const Fault& fault = *it;
      if (!fault.name.empty() && fault.name != name) continue;
      if (!path.ends_with(fault.path_end)) continue;
      const uint64_t n = fault.name.empty() ? *number : of_name;
      const bool hit =
          fault.at == 0 || n == fault.at || (fault.and_after && n > fault.at);
      if (hit) return IsWholeAgain(fault, path) ? Fault() : fault;
    }
    return Fault();
  }

  // Returns whether this call is one of those that are not short. The caller
  // holds the mutex.
  bool IsWholeAgain(const Fault& fault, const std::string& path) {
    return fault.whole_every != 0 &&
           ++short_of_[fault.name + " " + path] % fault.whole_every == 0;
  }

  // Says what has come of a call, in its line of the log.
  void Describe(size_t number, const std::string& detail) {
    const std::scoped_lock hold(mutex_);
    if (number <= calls_.size()) calls_[number - 1].detail = detail;
  }

  // Whether the bytes of writes are kept.
  bool keeps_data() const { return data_ >= 0; }

  // Keeps what a call has written, and says so in its line of the log.
  void Wrote(size_t number, off_t offset, const void* bytes, size_t n) {
    const std::scoped_lock hold(mutex_);
    if (number > calls_.size()) return;
    calls_[number - 1].detail = std::to_string(offset) + "+" +
                                std::to_string(n) + "@" +
                                std::to_string(data_bytes_);
    static auto* const real = Real(&::pwrite, "pwrite");
    if (real(data_, bytes, n, static_cast<off_t>(data_bytes_)) !=
        static_cast<ssize_t>(n)) {
      std::abort();
    }
    data_bytes_ += n;
  }

  void Done(size_t number, int error) {
    std::string line;
    {
      const std::scoped_lock hold(mutex_);
      if (number > calls_.size()) return;
      CountedCall& call = calls_[number - 1];
      call.error = error;
      if (log_ < 0) return;
      line = std::to_string(number) + "\t" + call.name + "\t" + call.path +
             "\t" + call.detail + "\t" + std::to_string(error) + "\n";
    }
    static auto* const real = Real(&::write, "write");
    static_cast<void>(real(log_, line.data(), line.size()));
  }

 private:
  Layer() {
    log_ = Append("ASHLAR_FAULT_LOG");
    data_ = Append("ASHLAR_FAULT_DATA");
    const char* const root = std::getenv("ASHLAR_FAULT_ROOT");
    const char* const plan = std::getenv("ASHLAR_FAULT_PLAN");
    if (root != nullptr) Begin(root, plan == nullptr ? "" : plan);
  }

  // Opens the file that a variable of the environment names. Returns -1 if
  // there is none.
  static int Append(const char* variable) {
    const char* const path = std::getenv(variable);
    if (path == nullptr) return -1;
    using Open = int(const char*, int, ...);
    static auto* const real = reinterpret_cast<Open*>(dlsym(RTLD_NEXT, "open"));
    // pwrite appends whatever its offset is, if O_APPEND is set.
    return real(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }

  bool IsBelowRoot(const std::string& path) const {
    return path.starts_with(root_) &&
           (path.size() == root_.size() || path[root_.size()] == '/');
  }

  std::mutex mutex_;
  bool is_on_ = false;
  std::string root_;
  bool is_in_root_ = false;  // whether the current folder is
  std::string prefix_;       // from the root to the current folder
  std::vector<Fault> faults_;
  std::map<int, std::string> paths_;  // of open descriptors below the root
  std::map<std::string, uint64_t> of_name_;
  std::map<std::string, uint64_t> short_of_;  // by the name and the file
  std::vector<CountedCall> calls_;
  int log_ = -1;
  int data_ = -1;
  uint64_t data_bytes_ = 0;
};

[[noreturn]] void Die() {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

// Makes one counted call, unless the plan prevents it. `call(half)` makes the
// call and returns its result. `failed` is the result that means an error.
template <typename Result, typename Call>
Result Counted(const char* name, const std::string& path,
               const std::string& detail, Result failed, const Call& call) {
  size_t number = 0;
  const Fault fault = Layer::Get().Next(name, path, detail, &number);
  if (fault.action == Action::kKill) Die();
  if (fault.action == Action::kFail) {
    Layer::Get().Done(number, fault.error);
    errno = fault.error;
    return failed;
  }
  errno = 0;
  Result result;
  if constexpr (requires { call(fault); }) {
    result = call(fault);
  } else if constexpr (requires { call(true, number); }) {
    result = call(fault.action == Action::kShort, number);
  } else {
    result = call(fault.action == Action::kShort);
  }
  int error = result == failed ? errno : 0;
  if (fault.action == Action::kKilled) Die();
  if (fault.action == Action::kFailDone) {
    error = fault.error;
    result = failed;
  }
  Layer::Get().Done(number, error);
  if (error != 0) errno = error;
  return result;
}

size_t Half(size_t n) { return n > 1 ? n / 2 : n; }

// Counts a call that takes an open descriptor.
template <typename Result, typename Call>
Result OfDescriptor(const char* name, int descriptor, const Call& call) {
  std::string path;
  if (!Layer::Get().PathOf(descriptor, &path)) return call(false);
  return Counted<Result>(name, path, "", -1, call);
}

// Counts a call that takes one path.
template <typename Call>
int OfName(const char* name, int folder, const char* path,
           const std::string& detail, const Call& call) {
  std::string resolved;
  if (!Layer::Get().Resolve(folder, path, &resolved)) return call(false);
  return Counted<int>(name, resolved, detail, -1, call);
}

// Counts a call that takes two paths.
template <typename Call>
int OfNames(const char* name, int from_folder, const char* from, int to_folder,
            const char* to, const Call& call) {
  std::string resolved;
  std::string second;
  if (!Layer::Get().Resolve(from_folder, from, &resolved) ||
      !Layer::Get().Resolve(to_folder, to, &second)) {
    return call(false);
  }
  return Counted<int>(name, resolved, second, -1, call);
}

// Counts a write of bytes at an offset. A negative offset: where the last call
// has ended. `write(n)` writes n of them.
template <typename Write>
ssize_t Writing(int descriptor, const void* bytes, size_t n, off_t offset,
                const Write& write) {
  std::string path;
  Layer& layer = Layer::Get();
  if (!layer.PathOf(descriptor, &path)) return write(n);
  return Counted<ssize_t>("write", path, "", -1, [&](bool half, size_t number) {
    const off_t at = offset >= 0 ? offset : ::lseek(descriptor, 0, SEEK_CUR);
    const ssize_t written = write(half ? Half(n) : n);
    if (written > 0 && layer.keeps_data()) {
      layer.Wrote(number, at, bytes, static_cast<size_t>(written));
    }
    return written;
  });
}

// Changes one of the bits that a read has got. Which one: any, but always the
// same for one number.
void Flip(uint64_t number, char* bytes, uint64_t n) {
  constexpr uint64_t kSpread = 0x9e3779b97f4a7c15;
  const uint64_t bit = ((number + 1) * kSpread >> 16) % (8 * n);
  bytes[bit / 8] = static_cast<char>(
      static_cast<unsigned char>(bytes[bit / 8]) ^ (1U << bit % 8));
}

// Counts a read of up to n bytes. `read(some)` reads that number of them.
template <typename Read>
ssize_t Reading(int descriptor, void* bytes, size_t n, const Read& read) {
  return OfDescriptor<ssize_t>("read", descriptor, [&](auto fault) {
    if constexpr (std::is_same_v<decltype(fault), bool>) {
      return read(n);  // a call that is not counted
    } else {
      const bool half = fault.action == Action::kShort;
      const ssize_t got = read(half ? Half(n) : n);
      if (fault.action == Action::kFlip && got > 0) {
        Flip(fault.flip, static_cast<char*>(bytes), static_cast<uint64_t>(got));
      }
      return got;
    }
  });
}

// Counts a call that closes a descriptor, which it does also where the plan
// says that it fails: Linux frees a descriptor whatever close returns.
template <typename Call>
int Closing(const char* name, int descriptor, const Call& call) {
  int result = 0;
  bool is_closed = false;
  const int reported = OfDescriptor<int>(name, descriptor, [&](bool) {
    is_closed = true;
    result = call();
    return result;
  });
  if (!is_closed) {
    const int error = errno;
    static_cast<void>(call());
    errno = error;
  }
  Layer::Get().Closed(descriptor);
  return reported;
}

template <typename Call>
int Opening(int folder, const char* path, int flags, const Call& call) {
  std::string resolved;
  if (!Layer::Get().Resolve(folder, path, &resolved)) return call(false);
  std::string detail = (flags & O_CREAT) != 0 ? "create" : "";
  if ((flags & O_TRUNC) != 0 && Layer::Get().keeps_data()) {
    detail += " truncate";
  }
  const int descriptor = Counted<int>("open", resolved, detail, -1, call);
  Layer::Get().Opened(descriptor, resolved);
  return descriptor;
}

// Returns the path that was asked for, with the letters at its end that the C
// library has put into the pattern.
std::string Made(const std::string& path, const std::string& pattern) {
  constexpr size_t kLetters = 6;
  return path.substr(0, path.size() - kLetters) +
         pattern.substr(pattern.size() - kLetters);
}

mode_t ModeOf(int flags, va_list rest) {
  const bool has_mode = (flags & (O_CREAT | O_TMPFILE)) != 0;
  return has_mode ? static_cast<mode_t>(va_arg(rest, int)) : 0;
}

}  // namespace

void BeginFaults(const std::string& root, const std::string& plan) {
  Layer::Get().Begin(root, plan);
}

std::vector<CountedCall> EndFaults() { return Layer::Get().End(); }

}  // namespace ashlar::testing

// The calls. Each hides the C library's function of the same name.
using ashlar::testing::Closing;
using ashlar::testing::Counted;
using ashlar::testing::Layer;
using ashlar::testing::OfDescriptor;
using ashlar::testing::OfName;
using ashlar::testing::OfNames;
using ashlar::testing::Opening;
using ashlar::testing::Reading;
using ashlar::testing::Real;
using ashlar::testing::Writing;

// The C library gives these parameters other names.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = ashlar::testing::ModeOf(flags, rest);
  va_end(rest);
  static auto* const real = Real(&::open, "open");
  return Opening(AT_FDCWD, path, flags,
                 [&](bool) { return real(path, flags, mode); });
}

int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = ashlar::testing::ModeOf(flags, rest);
  va_end(rest);
  static auto* const real = Real(&::openat, "openat");
  return Opening(folder, path, flags,
                 [&](bool) { return real(folder, path, flags, mode); });
}

int mkostemp(char* pattern, int flags) {
  static auto* const real = Real(&::mkostemp, "mkostemp");
  std::string path;
  if (!Layer::Get().Resolve(AT_FDCWD, pattern, &path)) {
    return real(pattern, flags);
  }
  const int descriptor =
      Counted<int>("mkostemp", path, "", -1, [&](bool, size_t number) {
        const int made = real(pattern, flags);
        Layer::Get().Describe(number, ashlar::testing::Made(path, pattern));
        return made;
      });
  Layer::Get().Opened(descriptor, path);
  return descriptor;
}

char* mkdtemp(char* pattern) noexcept {
  static auto* const real = Real(&::mkdtemp, "mkdtemp");
  std::string path;
  if (!Layer::Get().Resolve(AT_FDCWD, pattern, &path)) return real(pattern);
  return Counted<char*>("mkdtemp", path, "", nullptr, [&](bool, size_t number) {
    char* const made = real(pattern);
    Layer::Get().Describe(number, ashlar::testing::Made(path, pattern));
    return made;
  });
}

int close(int descriptor) {
  static auto* const real = Real(&::close, "close");
  return Closing("close", descriptor, [&] { return real(descriptor); });
}

ssize_t write(int descriptor, const void* bytes, size_t n) {
  static auto* const real = Real(&::write, "write");
  return Writing(descriptor, bytes, n, -1,
                 [&](size_t some) { return real(descriptor, bytes, some); });
}

ssize_t pwrite(int descriptor, const void* bytes, size_t n, off_t offset) {
  static auto* const real = Real(&::pwrite, "pwrite");
  return Writing(descriptor, bytes, n, offset, [&](size_t some) {
    return real(descriptor, bytes, some, offset);
  });
}

ssize_t read(int descriptor, void* bytes, size_t n) {
  static auto* const real = Real(&::read, "read");
  return Reading(descriptor, bytes, n,
                 [&](size_t some) { return real(descriptor, bytes, some); });
}

ssize_t pread(int descriptor, void* bytes, size_t n, off_t offset) {
  static auto* const real = Real(&::pread, "pread");
  return Reading(descriptor, bytes, n, [&](size_t some) {
    return real(descriptor, bytes, some, offset);
  });
}

// The library asks with it for bytes that are in memory already, in one piece.
ssize_t preadv2(int descriptor, const iovec* pieces, int count, off_t offset,
                int flags) {
  static auto* const real = Real(&::preadv2, "preadv2");
  if (count != 1) return real(descriptor, pieces, count, offset, flags);
  return Reading(descriptor, pieces->iov_base, pieces->iov_len,
                 [&](size_t some) {
                   const iovec piece = {pieces->iov_base, some};
                   return real(descriptor, &piece, 1, offset, flags);
                 });
}

int fsync(int descriptor) {
  static auto* const real = Real(&::fsync, "fsync");
  return OfDescriptor<int>("fsync", descriptor,
                           [&](bool) { return real(descriptor); });
}

int fdatasync(int descriptor) {
  static auto* const real = Real(&::fdatasync, "fdatasync");
  return OfDescriptor<int>("fdatasync", descriptor,
                           [&](bool) { return real(descriptor); });
}

// Its detail is "<offset>+<size>", and " after" if it waits first.
int sync_file_range(int descriptor, off64_t offset, off64_t n, unsigned flags) {
  static auto* const real = Real(&::sync_file_range, "sync_file_range");
  const auto call = [&](bool) { return real(descriptor, offset, n, flags); };
  std::string path;
  if (!Layer::Get().PathOf(descriptor, &path)) return call(false);
  const bool waits = (flags & SYNC_FILE_RANGE_WAIT_BEFORE) != 0;
  const std::string detail = std::to_string(offset) + "+" + std::to_string(n) +
                             (waits ? " after" : "");
  return Counted<int>("sync_file_range", path, detail, -1, call);
}

int ftruncate(int descriptor, off_t size) noexcept {
  static auto* const real = Real(&::ftruncate, "ftruncate");
  std::string path;
  const auto call = [&](bool) { return real(descriptor, size); };
  if (!Layer::Get().PathOf(descriptor, &path)) return call(false);
  const std::string detail =
      Layer::Get().keeps_data() ? std::to_string(size) : "";
  return Counted<int>("ftruncate", path, detail, -1, call);
}

int flock(int descriptor, int operation) noexcept {
  static auto* const real = Real(&::flock, "flock");
  return OfDescriptor<int>("flock", descriptor,
                           [&](bool) { return real(descriptor, operation); });
}

int fcntl(int descriptor, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  static auto* const real = Real(&::fcntl, "fcntl");
  if (command == F_SETFL) {
    return OfDescriptor<int>("setfl", descriptor, [&](bool) {
      return real(descriptor, command, argument);
    });
  }
  std::string path;
  if ((command != F_DUPFD && command != F_DUPFD_CLOEXEC) ||
      !Layer::Get().PathOf(descriptor, &path)) {
    return real(descriptor, command, argument);
  }
  const int copy = Counted<int>("dup", path, "", -1, [&](bool) {
    return real(descriptor, command, argument);
  });
  Layer::Get().Opened(copy, path);
  return copy;
}

int rename(const char* from, const char* to) noexcept {
  static auto* const real = Real(&::rename, "rename");
  return OfNames("rename", AT_FDCWD, from, AT_FDCWD, to,
                 [&](bool) { return real(from, to); });
}

int renameat(int from_at, const char* from, int to_at,
             const char* to) noexcept {
  static auto* const real = Real(&::renameat, "renameat");
  return OfNames("rename", from_at, from, to_at, to,
                 [&](bool) { return real(from_at, from, to_at, to); });
}

int renameat2(int from_at, const char* from, int to_at, const char* to,
              unsigned flags) noexcept {
  static auto* const real = Real(&::renameat2, "renameat2");
  return OfNames("renameat2", from_at, from, to_at, to,
                 [&](bool) { return real(from_at, from, to_at, to, flags); });
}

int link(const char* from, const char* to) noexcept {
  static auto* const real = Real(&::link, "link");
  return OfNames("link", AT_FDCWD, from, AT_FDCWD, to,
                 [&](bool) { return real(from, to); });
}

int linkat(int from_at, const char* from, int to_at, const char* to,
           int flags) noexcept {
  static auto* const real = Real(&::linkat, "linkat");
  return OfNames("link", from_at, from, to_at, to,
                 [&](bool) { return real(from_at, from, to_at, to, flags); });
}

int unlink(const char* path) noexcept {
  static auto* const real = Real(&::unlink, "unlink");
  return OfName("unlink", AT_FDCWD, path, "", [&](bool) { return real(path); });
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  static auto* const real = Real(&::unlinkat, "unlinkat");
  const char* const name = (flags & AT_REMOVEDIR) != 0 ? "rmdir" : "unlink";
  return OfName(name, folder, path, "",
                [&](bool) { return real(folder, path, flags); });
}

int mkdir(const char* path, mode_t mode) noexcept {
  static auto* const real = Real(&::mkdir, "mkdir");
  return OfName("mkdir", AT_FDCWD, path, "",
                [&](bool) { return real(path, mode); });
}

int rmdir(const char* path) noexcept {
  static auto* const real = Real(&::rmdir, "rmdir");
  return OfName("rmdir", AT_FDCWD, path, "", [&](bool) { return real(path); });
}

int stat(const char* path, struct stat* info) noexcept {
  static auto* const real =
      Real(static_cast<int (*)(const char*, struct stat*) noexcept>(&::stat),
           "stat");
  return OfName("stat", AT_FDCWD, path, "",
                [&](bool) { return real(path, info); });
}

int lstat(const char* path, struct stat* info) noexcept {
  static auto* const real = Real(&::lstat, "lstat");
  return OfName("stat", AT_FDCWD, path, "",
                [&](bool) { return real(path, info); });
}

int fstat(int descriptor, struct stat* info) noexcept {
  static auto* const real = Real(&::fstat, "fstat");
  return OfDescriptor<int>("stat", descriptor,
                           [&](bool) { return real(descriptor, info); });
}

int fstatat(int folder, const char* path, struct stat* info,
            int flags) noexcept {
  static auto* const real = Real(&::fstatat, "fstatat");
  return OfName("stat", folder, path, "",
                [&](bool) { return real(folder, path, info, flags); });
}

DIR* opendir(const char* path) {
  static auto* const real = Real(&::opendir, "opendir");
  std::string resolved;
  if (!Layer::Get().Resolve(AT_FDCWD, path, &resolved)) return real(path);
  DIR* const stream = Counted<DIR*>("opendir", resolved, "", nullptr,
                                    [&](bool) { return real(path); });
  if (stream != nullptr) Layer::Get().Opened(dirfd(stream), resolved);
  return stream;
}

DIR* fdopendir(int descriptor) {
  static auto* const real = Real(&::fdopendir, "fdopendir");
  std::string path;
  if (!Layer::Get().PathOf(descriptor, &path)) return real(descriptor);
  return Counted<DIR*>("opendir", path, "", nullptr,
                       [&](bool) { return real(descriptor); });
}

struct dirent* readdir(DIR* stream) {
  static auto* const real = Real(&::readdir, "readdir");
  std::string path;
  if (!Layer::Get().PathOf(dirfd(stream), &path)) return real(stream);
  return Counted<struct dirent*>("readdir", path, "", nullptr,
                                 [&](bool) { return real(stream); });
}

int closedir(DIR* stream) {
  static auto* const real = Real(&::closedir, "closedir");
  return Closing("closedir", dirfd(stream), [&] { return real(stream); });
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
