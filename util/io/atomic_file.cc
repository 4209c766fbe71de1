// AtomicFile: a temporary name, and a rename once all is well.

#include <unistd.h>

#include <cerrno>

#include "port/posix_io.h"
#include "util/file.h"
#include "util/io/posix_file.h"
#include "util/sync/atomic.h"

namespace ashlar {

struct AtomicFile::State {
  std::string path;
  std::string temporary;
  Options options;
  std::unique_ptr<WritableFile> file;
  bool exists = false;  // the temporary name

  ~State() {
    file.reset();
    if (exists) static_cast<void>(port::Remove(temporary));
  }
};

namespace {

// The process number and a count: unique on one machine, mostly.
std::string TemporaryName(const std::string& path) {
  static internal::RelaxedAtomic<uint64_t> counter(0);
  const uint64_t n = counter.FetchAdd(1);
  return path + ".tmp." + std::to_string(::getpid()) + "." + std::to_string(n);
}

// A file that was not there before: nothing planted under the name is followed
// or written to. Names that are taken are passed over.
Result<std::unique_ptr<WritableFile>> CreateTemporary(const std::string& path,
                                                      std::string* temporary) {
  constexpr int kTries = 1000;
  int fd;
  int error = EEXIST;
  for (int i = 0; i < kTries && error == EEXIST; ++i) {
    *temporary = TemporaryName(path);
    error = port::CreateNew(*temporary, &fd);
  }
  if (error != 0) return Status::FromErrno("create", *temporary, error);
  return internal::WritableFileOf(*temporary, fd);
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
  if (!options.overwrite && port::Exists(path)) return AlreadyExists(path);
  if (port::IsSpecial(path)) {
    return Status::InvalidArgument(
        path + ": is a folder, device or pipe, expected a file or no file");
  }
  auto state = std::make_unique<State>();
  state->path = path;
  state->options = options;
  Result<std::unique_ptr<WritableFile>> file =
      CreateTemporary(path, &state->temporary);
  if (!file.ok()) return file.status();
  state->exists = true;
  state->file = std::move(file).value();
  return std::unique_ptr<AtomicFile>(new AtomicFile(std::move(state)));
}

Status AtomicFile::Commit() {
  State& s = *state_;
  if (s.file == nullptr) {
    return Status::InvalidArgument(s.path + ": committed twice");
  }
  const std::unique_ptr<WritableFile> file = std::move(s.file);
  Status status;
  if (s.options.sync) status = file->Sync();
  if (status.ok()) status = file->Close();
  if (!status.ok()) return status;
  const int error = s.options.overwrite
                        ? port::Rename(s.temporary, s.path)
                        : port::RenameNoReplace(s.temporary, s.path);
  if (error == EEXIST) return AlreadyExists(s.path);
  if (error != 0) return Status::FromErrno("rename to", s.path, error);
  s.exists = false;
  if (!s.options.sync) return {};
  const int sync_error = port::SyncFolderOf(s.path);
  if (sync_error == 0) return {};
  return Status::FromErrno("sync folder of", s.path, sync_error);
}

}  // namespace ashlar
