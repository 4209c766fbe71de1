// AtomicFile: writes under a temporary name, and renames when everything is
// written.

#include <unistd.h>

#include <cerrno>

#include "ashlar/util/file.h"
#include "port/posix_io.h"
#include "util/io/posix_writable_file.h"
#include "util/mem/memory_limit.h"
#include "util/sync/atomic.h"

namespace ashlar {

struct AtomicFile::State {
  std::string path;
  std::string temporary;
  Options options;
  std::unique_ptr<WritableFile> file;
  // Holds the lock from before the first byte until after the rename.
  int lock = -1;
  bool exists = false;    // whether the temporary name exists
  bool in_place = false;  // whether `path` names the file

  Status Commit();
  int RemoveTemporary() {
    file.reset();
    if (!exists) return 0;
    const int error = port::Remove(temporary);
    // Someone else removed it.
    exists = error != 0 && error != ENOENT;
    return exists ? error : 0;
  }

  ~State() {
    static_cast<void>(RemoveTemporary());
    if (lock >= 0) static_cast<void>(port::Close(lock));
  }
};

namespace {

// The process number and a count: mostly unique on one machine.
std::string TemporaryName(const std::string& path) {
  static internal::RelaxedAtomic<uint64_t> counter(0);
  const uint64_t n = counter.FetchAdd(1);
  return path + ".tmp." + std::to_string(::getpid()) + "." + std::to_string(n);
}

// Locks a new file and duplicates its descriptor: the lock must outlive the
// WritableFile. Returns EEXIST if a process that looks for what killed ones
// left was faster, and has locked or removed the file.
int LockNew(int fd, int* lock) {
  int error = port::TryLock(fd);
  if (error == EWOULDBLOCK) return EEXIST;
  uint64_t names = 0;
  if (error == 0) error = port::CountNames(fd, &names);
  if (error != 0) return error;
  return names == 0 ? EEXIST : port::Duplicate(fd, lock);
}

// Creates a file that did not exist before. So nothing that was planted under
// the name is followed or written to. Names that are taken are passed over.
Result<std::unique_ptr<WritableFile>> CreateTemporary(
    const std::string& path, const WritableFileOptions& options,
    std::string* temporary, int* lock) {
  constexpr int kTries = 1000;
  int fd = -1;
  int error = EEXIST;
  std::string_view operation;
  for (int i = 0; i < kTries && error == EEXIST; ++i) {
    *temporary = TemporaryName(path);
    operation = "create";
    error = port::CreateNew(*temporary, &fd);
    if (error != 0) continue;
    operation = "lock";
    error = LockNew(fd, lock);
    if (error == 0) break;
    static_cast<void>(port::Remove(*temporary));
    static_cast<void>(port::Close(fd));
  }
  if (error != 0) return Status::FromErrno(operation, *temporary, error);
  auto file = internal::WritableFileOf(*temporary, fd, options);
  if (!file.ok()) static_cast<void>(port::Remove(*temporary));
  return file;
}

Status AlreadyExists(const std::string& path) {
  return Status::InvalidArgument(path + ": file exists");
}

}  // namespace

AtomicFile::AtomicFile(std::unique_ptr<State> state)
    : state_(std::move(state)) {}

AtomicFile::~AtomicFile() = default;

WritableFile* AtomicFile::file() { return state_->file.get(); }

Result<std::unique_ptr<AtomicFile>> AtomicFile::Create(const std::string& path,
                                                       const Options& options) {
  return internal::OrMemoryLimit([&]() -> Result<std::unique_ptr<AtomicFile>> {
    if (!options.overwrite && port::Exists(path)) return AlreadyExists(path);
    if (port::IsSpecial(path)) {
      return Status::InvalidArgument(
          path + ": is a folder, device or pipe, which is never replaced");
    }
    auto state = std::make_unique<State>();
    state->path = path;
    state->options = options;
    Result<std::unique_ptr<WritableFile>> file =
        CreateTemporary(path, options.file, &state->temporary, &state->lock);
    if (!file.ok()) return file.status();
    state->exists = true;
    state->file = std::move(file).value();
    return std::unique_ptr<AtomicFile>(new AtomicFile(std::move(state)));
  });
}

Status AtomicFile::Commit() {
  return internal::OrMemoryLimit([this] { return state_->Commit(); });
}

bool AtomicFile::IsInPlace() const { return state_->in_place; }

Status AtomicFile::State::Commit() {
  if (file == nullptr) {
    return Status::InvalidArgument(path + ": Commit was called twice");
  }
  const std::unique_ptr<WritableFile> written = std::move(file);
  Status status;
  if (options.sync) status = written->Sync();
  if (status.ok()) status = written->Close();
  if (!status.ok()) return status;
  bool stays = false;
  int error = options.overwrite
                  ? port::Rename(temporary, path)
                  : port::RenameNoReplace(temporary, path, &stays);
  // A file server that repeats a call may report an error for a call that was
  // done.
  if (error != 0 && port::IsNameOf(lock, path)) {
    stays = port::Exists(temporary);
    error = 0;
  }
  if (error == EEXIST) return AlreadyExists(path);
  if (error != 0) return Status::FromErrno("rename to", path, error);
  exists = stays;
  in_place = true;
  if (!options.sync) return {};
  const int sync_error = port::SyncFolderOf(path);
  if (sync_error == 0) return {};
  return Status::FromErrno(
      "the file is in place, but may not survive a crash of the machine: sync "
      "folder of",
      path, sync_error);
}

Status AtomicFile::RemoveTemporary() {
  const int error = state_->RemoveTemporary();
  return error == 0 ? Status()
                    : Status::FromErrno("remove", state_->temporary, error);
}

}  // namespace ashlar
