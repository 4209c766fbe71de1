#include "util/io/read_files.h"

#include <array>

#include "util/io/many_reads.h"

namespace ashlar::internal {

namespace {

using Piece = ManyReads::Piece;

// The next pieces to read, and whose they are.
class PieceGroup {
 public:
  void Add(const RandomAccessFile* file, int fd, ReadRequest* request) {
    if (size_ == pieces_.size()) Read();
    pieces_[size_] = {fd, request};
    files_[size_++] = file;
  }
  void Read() {
    ManyReads::OfProcess().Read(std::span(pieces_).first(size_));
    for (size_t i = 0; i < size_; ++i) {
      const Piece& piece = pieces_[i];
      if (piece.error == 0) continue;
      piece.request->status =
          Status::FromErrno("read", files_[i]->name(), piece.error);
    }
    size_ = 0;
  }

 private:
  std::array<Piece, ManyReads::kGroup> pieces_;
  std::array<const RandomAccessFile*, ManyReads::kGroup> files_;
  size_t size_ = 0;
};

}  // namespace

bool ReadIfCached(const RandomAccessFile& file, ReadRequest* request) {
  const int fd = file.FileDescriptor();
  if (fd < 0) return false;
  Piece piece{fd, request};
  return ManyReads::OfProcess().ReadCached(&piece) && piece.error == 0;
}

void ReadFiles(std::span<const FileReads> files) {
  if (files.size() == 1) return files[0].file->MultiRead(files[0].requests);
  const auto has_descriptor = [](const FileReads& reads) {
    return reads.file->FileDescriptor() >= 0;
  };
  for (const FileReads& reads : files) {
    if (has_descriptor(reads)) continue;
    for (const ReadRequest& r : reads.requests) {
      reads.file->Expect(r.offset, r.size);
    }
  }
  PieceGroup group;
  for (const FileReads& reads : files) {
    const int fd = reads.file->FileDescriptor();
    if (fd < 0) continue;
    for (ReadRequest& r : reads.requests) group.Add(reads.file, fd, &r);
  }
  group.Read();
  for (const FileReads& reads : files) {
    if (!has_descriptor(reads)) reads.file->MultiRead(reads.requests);
  }
}

}  // namespace ashlar::internal
