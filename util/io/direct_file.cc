// Files of the operating system that are read past the page cache (O_DIRECT).
//
// The kernel wants whole pages, to memory that begins at a page. So each read
// is widened to pages, goes to memory that the thread keeps, and is copied from
// there. Several reads are done together (many_reads.h).

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "ashlar/util/file.h"
#include "port/posix_io.h"
#include "util/io/direct_pages.h"
#include "util/io/many_reads.h"
#include "util/mem/memory_limit.h"
#include "util/mem/thread_spare.h"

namespace ashlar {

namespace {

using internal::ManyReads;

constexpr uint64_t kPage = ManyReads::kDirectPage;

// The pages that have the bytes of a read, as far as the file goes.
struct Widened {
  Widened(const ReadRequest& r, uint64_t file_size) {
    const uint64_t from = std::min(r.offset, file_size);
    const uint64_t to = from + std::min<uint64_t>(r.size, file_size - from);
    begin = from / kPage * kPage;
    skipped = static_cast<size_t>(from - begin);
    size = static_cast<size_t>((to - begin + kPage - 1) / kPage * kPage);
  }

  uint64_t begin;
  size_t size;
  size_t skipped;  // bytes before the read
};

class DirectFile final : public RandomAccessFile {
 public:
  explicit DirectFile(std::string path) : path_(std::move(path)) {}
  ~DirectFile() override {
    if (fd_ >= 0) static_cast<void>(port::Close(fd_));
  }

  // Call it once, before anything else.
  Status Open() {
    int error = port::OpenForDirectRead(path_, &fd_);
    if (error != 0) fd_ = -1;
    if (error == EINVAL) {
      return Status::NotSupported("open " + path_ +
                                  ": the file system has no direct I/O");
    }
    if (error == 0) error = port::RegularFileSize(fd_, &size_);
    return error == 0 ? Status() : Status::FromErrno("open", path_, error);
  }

  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    ReadRequest request{.offset = offset, .size = n, .scratch = scratch};
    MultiRead(std::span(&request, 1));
    *data = request.data;
    return request.status;
  }
  void MultiRead(std::span<ReadRequest> requests) const override {
    while (!requests.empty()) {
      const auto group =
          requests.first(std::min(requests.size(), ManyReads::kGroup));
      ReadGroup(group);
      requests = requests.subspan(group.size());
    }
  }
  uint64_t Size() const override { return size_; }
  std::string name() const override { return path_; }

 private:
  void ReadGroup(std::span<ReadRequest> requests) const {
    size_t bytes = 0;
    for (const ReadRequest& r : requests) bytes += Widened(r, size_).size;
    internal::ThreadSpare<internal::DirectPages, DirectFile> pages;
    char* room = pages->Take(bytes);
    if (room == nullptr && bytes != 0) return ReadAlone(requests);
    std::array<ReadRequest, ManyReads::kGroup> wide;
    std::array<ManyReads::Piece, ManyReads::kGroup> pieces;
    for (size_t i = 0; i < requests.size(); ++i) {
      const Widened widened(requests[i], size_);
      wide[i] = {
          .offset = widened.begin, .size = widened.size, .scratch = room};
      pieces[i] = {.fd = fd_, .request = &wide[i], .is_direct = true};
      room += widened.size;
    }
    ManyReads::OfProcess().Read(std::span(pieces).first(requests.size()));
    for (size_t i = 0; i < requests.size(); ++i) {
      Answer(wide[i], pieces[i].error, &requests[i]);
    }
    pages->Trim();
  }
  // One after the other they may fit into memory.
  void ReadAlone(std::span<ReadRequest> requests) const {
    for (ReadRequest& r : requests) {
      if (requests.size() > 1) {
        ReadGroup(std::span(&r, 1));
      } else {
        r.data = Slice();
        // A message that is put together here would need memory too.
        r.status = Status::FromErrno("read", path_, ENOMEM);
      }
    }
  }
  void Answer(const ReadRequest& wide, int error, ReadRequest* r) const {
    r->data = Slice();
    r->status = error == 0 ? Status() : Status::FromErrno("read", path_, error);
    const size_t skipped = Widened(*r, size_).skipped;
    if (error != 0 || wide.data.size() <= skipped) return;
    const size_t n = std::min(wide.data.size() - skipped, r->size);
    std::memcpy(r->scratch, wide.data.data() + skipped, n);
    r->data = Slice(r->scratch, n);
  }

  std::string path_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

}  // namespace

Result<std::unique_ptr<RandomAccessFile>> OpenDirectFile(
    const std::string& path) {
  return internal::OrMemoryLimit(
      [&]() -> Result<std::unique_ptr<RandomAccessFile>> {
        auto file = std::make_unique<DirectFile>(path);
        Status status = file->Open();
        if (!status.ok()) return status;
        return std::unique_ptr<RandomAccessFile>(std::move(file));
      });
}

}  // namespace ashlar
