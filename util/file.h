// The files that tables are written to and read from.
//
// Builders and readers see only these two classes, so an engine can put its
// own file system, rate limiter or fault injector below them. The functions
// at the end open files of the operating system.
#ifndef ASHLAR_UTIL_FILE_H_
#define ASHLAR_UTIL_FILE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "ashlar/util/export.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

// Written once, front to back, by one thread at a time. A builder appends in
// large pieces (its own write buffer), so no buffering is needed below. After
// a failed call only Close and destruction are allowed.
class ASHLAR_EXPORT WritableFile {
 public:
  WritableFile() = default;
  WritableFile(const WritableFile&) = delete;
  WritableFile& operator=(const WritableFile&) = delete;
  virtual ~WritableFile();

  virtual Status Append(const Slice& data) = 0;
  // Makes what was appended survive a crash of the machine.
  virtual Status Sync() = 0;
  // To be called once; the destructor closes without a word if it was not.
  virtual Status Close() = 0;
  // For messages.
  virtual std::string name() const = 0;
};

// One of several reads that are asked for together.
struct ReadRequest {
  uint64_t offset = 0;
  size_t size = 0;
  char* scratch = nullptr;  // size bytes
  // The answer, as RandomAccessFile::Read gives it.
  Slice data;
  Status status;
};

// Read at any offset by any number of threads at once. Its bytes must not
// change while it is open.
class ASHLAR_EXPORT RandomAccessFile {
 public:
  RandomAccessFile() = default;
  RandomAccessFile(const RandomAccessFile&) = delete;
  RandomAccessFile& operator=(const RandomAccessFile&) = delete;
  virtual ~RandomAccessFile();

  // Reads up to n bytes at `offset`. *data points into scratch[0..n) or to
  // memory that lives as long as the file; it is shorter than n only where the
  // file ends.
  virtual Status Read(uint64_t offset, size_t n, char* scratch,
                      Slice* data) const = 0;
  // All of them, in any order or at once; each has an answer of its own. One
  // after the other where a file does not know better.
  virtual void MultiRead(std::span<ReadRequest> requests) const;
  // Says that these bytes, or what there is of them, will be read soon, so that
  // a device may begin with them. Waits for nothing, and may do nothing; what
  // comes of it is seen when they are read. Asked for by ReadOptions::async_io.
  virtual void Expect(uint64_t offset, uint64_t n) const;
  // Bytes, as of when the file was opened.
  virtual uint64_t Size() const = 0;
  // For messages.
  virtual std::string name() const = 0;
};

// Creates or truncates `path`.
ASHLAR_EXPORT Result<std::unique_ptr<WritableFile>> OpenWritableFile(
    const std::string& path);

// A file that appears under its name only when it is whole: written under
// "<path>.tmp.<pid>.<n>" in the same folder, and renamed by Commit. A symbolic
// link of that name is replaced, not followed; a folder, device or pipe is
// refused. The temporary file is locked (flock) as long as this object lives:
// one that nobody has locked is left of a process that was killed.
class ASHLAR_EXPORT AtomicFile {
 public:
  struct Options {
    // Whether an existing file of that name may be replaced; if not, Create
    // and Commit answer InvalidArgument and leave it alone.
    bool overwrite = true;
    // Whether Commit waits until data and name are on the disk.
    bool sync = true;
  };
  static Result<std::unique_ptr<AtomicFile>> Create(const std::string& path,
                                                    const Options& options);
  // Removes the temporary name as RemoveTemporary does, and cannot report it.
  ~AtomicFile();

  // Owned by this object; append to it.
  WritableFile* file();
  // Sync, close, rename, sync the folder. After an error the file does not have
  // its name, with one exception: if only the last step fails, it has, and the
  // message says that this may not survive a crash of the machine.
  Status Commit();
  // Removes the temporary name if it is there: without a Commit, after one that
  // failed, or after one that succeeded on a file system where the file must
  // get its new name before it can lose the old one. The error names it. Ends
  // the writing.
  Status RemoveTemporary();

 private:
  struct State;
  explicit AtomicFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

ASHLAR_EXPORT Result<std::unique_ptr<RandomAccessFile>> OpenRandomAccessFile(
    const std::string& path);

// The same file mapped into memory: reads copy nothing. If the file is made
// shorter meanwhile, reading what is gone ends the process (SIGBUS), and a disk
// that fails does too: for files that are never changed, on disks one trusts.
ASHLAR_EXPORT Result<std::unique_ptr<RandomAccessFile>> OpenMappedFile(
    const std::string& path);

// Bytes in memory, read as a file. Copies nothing: `contents` is owned.
ASHLAR_EXPORT std::unique_ptr<RandomAccessFile> NewMemoryFile(
    std::string name, std::string contents);

// Appends to *contents, which must outlive the file.
ASHLAR_EXPORT std::unique_ptr<WritableFile> NewMemoryWritableFile(
    std::string name, std::string* contents);

}  // namespace ashlar

#endif  // ASHLAR_UTIL_FILE_H_
