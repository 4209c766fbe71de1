#include "tools/arrow/module/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace ashlar::arrow {
namespace {

using ::arrow::Buffer;
using ::arrow::Result;
using ::arrow::Status;

Status Failure(const char* what, ReadState* state) {
  state->failed = true;
  return Status::IOError(what, ": ", std::strerror(errno));
}

// Makes a buffer of `size` bytes, or fewer at the end of the input. A call of
// read(to, most) puts up to `most` bytes at `to`. The size may come from
// damaged bytes. So the buffer has `first_bytes` at first, and doubles while
// bytes come.
template <typename Read>
Result<std::shared_ptr<Buffer>> ReadBuffer(int64_t size, int64_t first_bytes,
                                           Read read) {
  if (size < 0) return Status::Invalid("it has a negative size");
  int64_t room = std::min(size, first_bytes);
  ARROW_ASSIGN_OR_RAISE(auto buffer, ::arrow::AllocateResizableBuffer(
                                         room, ::arrow::system_memory_pool()));
  int64_t done = 0;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const int64_t count,
                          read(buffer->mutable_data() + done, room - done));
    done += count;
    if (done < room || room == size) break;
    room = room > size / 2 ? size : 2 * room;
    ARROW_RETURN_NOT_OK(buffer->Resize(room));
  }
  if (done < room) ARROW_RETURN_NOT_OK(buffer->Resize(done));
  return std::shared_ptr<Buffer>(std::move(buffer));
}

class InputFile : public ::arrow::io::RandomAccessFile {
 public:
  InputFile(int descriptor, ReadState* state)
      : descriptor_(descriptor), state_(state) {}
  ~InputFile() override {
    if (descriptor_ >= 0) close(descriptor_);
  }

  Status Close() override {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = -1;
    return Status::OK();
  }
  bool closed() const override { return descriptor_ < 0; }
  Result<int64_t> Tell() const override { return place_; }
  Status Seek(int64_t position) override {
    place_ = position;
    return Status::OK();
  }
  Result<int64_t> GetSize() override {
    return static_cast<int64_t>(state_->size);
  }

  Result<int64_t> ReadAt(int64_t position, int64_t size, void* to) override {
    if (position < 0 || size < 0) return Status::Invalid("it reads outside");
    int64_t done = 0;
    while (done < size) {
      const ssize_t count =
          pread(descriptor_, static_cast<char*>(to) + done,
                static_cast<size_t>(size - done), position + done);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return Failure("read", state_);
      if (count == 0) break;
      done += count;
      state_->bytes += static_cast<uint64_t>(count);
    }
    return done;
  }
  Result<std::shared_ptr<Buffer>> ReadAt(int64_t position,
                                         int64_t size) override {
    if (position < 0 || size < 0) return Status::Invalid("it reads outside");
    const int64_t rest = static_cast<int64_t>(state_->size) - position;
    if (size > rest) size = rest < 0 ? 0 : rest;
    // `size` is now no larger than the file, so that it needs no steps.
    return ReadBuffer(size, size, [&](uint8_t* to, int64_t most) {
      return ReadAt(position, most, to);
    });
  }
  Result<int64_t> Read(int64_t size, void* to) override {
    ARROW_ASSIGN_OR_RAISE(const int64_t count, ReadAt(place_, size, to));
    place_ += count;
    return count;
  }
  Result<std::shared_ptr<Buffer>> Read(int64_t size) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(place_, size));
    place_ += buffer->size();
    return buffer;
  }

 private:
  int descriptor_;
  ReadState* const state_;
  int64_t place_ = 0;
};

class PipeInput : public ::arrow::io::InputStream {
 public:
  PipeInput(int descriptor, int (*wait_for_input)(int), ReadState* state)
      : descriptor_(descriptor),
        wait_for_input_(wait_for_input),
        state_(state) {}

  Status Close() override {
    is_closed_ = true;
    return Status::OK();
  }
  bool closed() const override { return is_closed_; }
  Result<int64_t> Tell() const override {
    return static_cast<int64_t>(state_->bytes);
  }
  Result<int64_t> Read(int64_t size, void* to) override {
    int64_t done = 0;
    while (done < size) {
      if (wait_for_input_(descriptor_) == 0) {
        state_->interrupted = true;
        return Status::Cancelled("interrupted");
      }
      const ssize_t count = read(descriptor_, static_cast<char*>(to) + done,
                                 static_cast<size_t>(size - done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return Failure("read", state_);
      if (count == 0) break;
      done += count;
      state_->bytes += static_cast<uint64_t>(count);
    }
    return done;
  }
  Result<std::shared_ptr<Buffer>> Read(int64_t size) override {
    constexpr int64_t kFirstBytes = int64_t{1} << 20;
    return ReadBuffer(size, kFirstBytes, [&](uint8_t* to, int64_t most) {
      return Read(most, to);
    });
  }

 private:
  const int descriptor_;
  int (*const wait_for_input_)(int);
  ReadState* const state_;
  bool is_closed_ = false;
};

}  // namespace

Result<std::shared_ptr<::arrow::io::RandomAccessFile>> OpenInputFile(
    const std::string& path, ReadState* state) {
  // Opening a pipe that nobody writes to would wait otherwise.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return Failure("open", state);
  auto file = std::make_shared<InputFile>(descriptor, state);
  struct stat attributes;
  if (fstat(descriptor, &attributes) != 0) return Failure("stat", state);
  if (!S_ISREG(attributes.st_mode)) {
    return Status::Invalid(
        "not a regular file; standard input can be the stream form of Arrow "
        "IPC, with '-' as its name");
  }
  state->size = static_cast<uint64_t>(attributes.st_size);
  return std::shared_ptr<::arrow::io::RandomAccessFile>(std::move(file));
}

std::shared_ptr<::arrow::io::InputStream> NewPipeInput(
    int descriptor, int (*wait_for_input)(int), ReadState* state) {
  return std::make_shared<PipeInput>(descriptor, wait_for_input, state);
}

}  // namespace ashlar::arrow
