#include "tools/ashlar/rows/scratch_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/print/output.h"

namespace ashlar::tool {
namespace {

class ScratchReader final : public RandomAccessFile {
 public:
  ScratchReader(std::string name, int descriptor, uint64_t size)
      : name_(std::move(name)), descriptor_(descriptor), size_(size) {}
  ~ScratchReader() override { close(descriptor_); }

  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    size_t done = 0;
    while (done < n && offset + done < size_) {
      const ssize_t got = pread(descriptor_, scratch + done, n - done,
                                static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Status::FromErrno("read", name_, errno);
      if (got == 0) break;
      done += static_cast<size_t>(got);
    }
    *data = Slice(scratch, done);
    return {};
  }
  uint64_t Size() const override { return size_; }
  std::string name() const override { return name_; }

 private:
  const std::string name_;
  const int descriptor_;
  const uint64_t size_;
};

// For file systems without unnamed files: creates a file, and removes its name
// at once.
int OpenAndUnlink(const std::string& folder) {
  std::string path = folder + "/ashlar-XXXXXX";
  const int descriptor = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor >= 0 && unlink(path.c_str()) != 0) {
    PrintWarning(Status::FromErrno("remove", path, errno).message());
  }
  return descriptor;
}

}  // namespace

std::string ScratchFolder() {
  if (!FLAGS_tmpdir.empty()) return FLAGS_tmpdir;
  const char* const folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

Result<std::unique_ptr<ScratchFile>> ScratchFile::Create() {
  const std::string folder = ScratchFolder();
  constexpr mode_t kOwnerOnly = 0600;
  int descriptor =
      open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kOwnerOnly);
  if (descriptor < 0) descriptor = OpenAndUnlink(folder);
  if (descriptor < 0) {
    return Status::FromErrno("make a scratch file in", folder, errno);
  }
  return std::unique_ptr<ScratchFile>(
      new ScratchFile("scratch file in " + folder, descriptor));
}

ScratchFile::~ScratchFile() { close(descriptor_); }

Status ScratchFile::Append(const Slice& data) {
  size_t done = 0;
  while (done < data.size()) {
    const ssize_t put =
        write(descriptor_, data.data() + done, data.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return Status::FromErrno("write", name_, errno);
    done += static_cast<size_t>(put);
  }
  size_ += done;
  return {};
}

Result<std::unique_ptr<RandomAccessFile>> ScratchFile::NewReader() const {
  const int descriptor = fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0) return Status::FromErrno("open", name_, errno);
  return std::unique_ptr<RandomAccessFile>(
      std::make_unique<ScratchReader>(name_, descriptor, size_));
}

}  // namespace ashlar::tool
