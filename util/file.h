// The files that tables are written to and read from.
//
// Builders and readers use only these two classes. So an application can put
// its own file system, rate limiter or fault injector below them. The functions
// at the end open files of the operating system and files in memory. RocksDB's
// classes for this are "FSWritableFile" and "FSRandomAccessFile". Not a whole
// file system: nothing here lists folders, and only AtomicFile renames or
// removes a file.
//
// Errors of the operating system are IOError (errno ENOMEM: MemoryLimit), and
// their message names the operation and the file. A class of your own must name
// the file in its messages too: readers do not add it to an IOError.
#ifndef ASHLAR_UTIL_FILE_H_
#define ASHLAR_UTIL_FILE_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "ashlar/util/export.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "ashlar/util/writable_file_options.h"

namespace ashlar {

// A file that is written once, from front to back. One thread at a time may use
// it. A builder appends large pieces from its own write buffer, so an
// implementation needs no buffer. After a failed call, only Close and
// destruction are allowed.
class ASHLAR_EXPORT WritableFile {
 public:
  WritableFile() = default;
  WritableFile(const WritableFile&) = delete;
  WritableFile& operator=(const WritableFile&) = delete;
  virtual ~WritableFile();

  // Appends `data`. The implementation must not keep the Slice.
  virtual Status Append(const Slice& data) = 0;
  // Makes everything appended so far survive a crash of the machine.
  virtual Status Sync() = 0;
  // Closes the file. Call it once. If it was not called, the destructor closes
  // the file and ignores errors.
  virtual Status Close() = 0;
  // Returns the name of the file, for messages.
  virtual std::string name() const = 0;
};

// One of several reads that are requested together.
struct ReadRequest {
  uint64_t offset = 0;
  size_t size = 0;
  // Room for `size` bytes.
  char* scratch = nullptr;
  // The result, as RandomAccessFile::Read returns it.
  Slice data;
  Status status;
};

// The limits of a read, which a file of the application may honour.
struct ReadContext {
  // When the file may give up; 0: never.
  std::chrono::microseconds timeout{0};
  // What the application has passed to the read (ReadOptions::io_context): for
  // its own file classes. Null: nothing.
  const void* io_context = nullptr;
};

// A file that can be read at any offset. Any number of threads may use it at
// once. Requires: the bytes of the file do not change while it is open.
class ASHLAR_EXPORT RandomAccessFile {
 public:
  RandomAccessFile() = default;
  RandomAccessFile(const RandomAccessFile&) = delete;
  RandomAccessFile& operator=(const RandomAccessFile&) = delete;
  virtual ~RandomAccessFile();

  // Reads up to `n` bytes at `offset`. Sets *data to the bytes, either in
  // scratch[0..n) or in memory that lives as long as this object. *data is
  // shorter than `n` only if the file ends. That is not an error. After an
  // error *data means nothing. Requires:
  // `scratch` has room for `n` bytes.
  virtual Status Read(uint64_t offset, size_t n, char* scratch,
                      Slice* data) const = 0;
  // Does all `requests`, in any order or at once, and sets `data` and `status`
  // of each. The default calls Read for one after the other.
  virtual void MultiRead(std::span<ReadRequest> requests) const;
  // Do what Read and MultiRead do, but may give up after context.timeout: the
  // read, or each of the requests, is then TimedOut. Called instead of these
  // for reads with ReadOptions::io_timeout, ReadOptions::deadline or
  // ReadOptions::io_context. The defaults look at nothing of the context: they
  // call Read and MultiRead.
  virtual Status ReadWithin(const ReadContext& context, uint64_t offset,
                            size_t n, char* scratch, Slice* data) const;
  virtual void MultiReadWithin(const ReadContext& context,
                               std::span<ReadRequest> requests) const;
  // Announces that these bytes, or the part of them that exists, will be read
  // soon, so that the device can start. Does not wait and reports no error. The
  // default does nothing. Called for walks with ReadOptions::async_io, by
  // compactions for files that return a descriptor, and by a MultiGet over
  // several tables (table/multi_table_get.h) for files that return none.
  virtual void Expect(uint64_t offset, uint64_t n) const;
  // Does what Expect does, for a read with ReadOptions::io_context. The default
  // calls Expect.
  virtual void ExpectWithin(const ReadContext& context, uint64_t offset,
                            uint64_t n) const;
  // Returns the descriptor of the operating system's file that Read reads, or
  // -1. The default returns -1. A MultiGet over several tables that needs
  // blocks of two or more files reads those with a descriptor at once, and
  // calls none of their functions that read. If it needs blocks of one file, it
  // calls MultiRead. A class that passes its reads on to another file may also
  // pass on this call, unless it limits, counts or changes reads.
  virtual int FileDescriptor() const;
  // Returns the size of the file in bytes when it was opened.
  virtual uint64_t Size() const = 0;
  // Returns the name of the file, for messages.
  virtual std::string name() const = 0;
};

// Opens a file for writing. Creates `path`, or truncates it if it exists.
// Returns IOError or MemoryLimit, or NotSupported if the file system has no
// direct I/O and the options ask for it: a file that exists then stays as it
// is.
ASHLAR_EXPORT Result<std::unique_ptr<WritableFile>> OpenWritableFile(
    const std::string& path, const WritableFileOptions& options = {});

// Returns a file that asks `limiter` before each Append to `file`, and appends
// in pieces of at most RateLimiter::GetSingleBurstBytes. For files of your own;
// OpenWritableFile and AtomicFile take a limiter as an option. Append waits as
// long as the limiter lets it wait: hold no lock that others need. Requires:
// neither is null, and `priority` is not kTotal. May throw std::bad_alloc.
ASHLAR_EXPORT std::unique_ptr<WritableFile> NewRateLimitedFile(
    std::unique_ptr<WritableFile> file, std::shared_ptr<RateLimiter> limiter,
    IoPriority priority);

// Writes a file that gets its name only when it is complete. One thread at a
// time may use it.
//
// Create makes a temporary file "<path>.tmp.<pid>.<n>" in the same folder.
// Commit renames it. If `path` is a symbolic link, the link is replaced, not
// followed. The temporary file is locked (flock) as long as this object lives.
// So a temporary file that nobody has locked was left by a process that was
// killed.
class ASHLAR_EXPORT AtomicFile {
 public:
  // How the file is made.
  struct Options {
    // Whether an existing file of that name may be replaced. If false, and the
    // file exists, Create and Commit return InvalidArgument and leave it as it
    // is.
    bool overwrite = true;
    // Whether Commit waits until the data and the name are on disk.
    bool sync = true;
    // How the file is written.
    WritableFileOptions file;
  };
  // Creates the temporary file. Returns InvalidArgument if `path` is a folder,
  // a device or a pipe, or exists and must not be replaced. Returns IOError or
  // MemoryLimit if the temporary file cannot be made, and NotSupported as
  // OpenWritableFile does.
  static Result<std::unique_ptr<AtomicFile>> Create(const std::string& path,
                                                    const Options& options);
  // Removes the temporary file as RemoveTemporary does, but cannot report
  // errors.
  ~AtomicFile();

  // Returns the file to append to, which this object owns. Do not close it.
  // Null after Commit or RemoveTemporary.
  WritableFile* file();
  // Syncs and closes the file, renames it to its name, and syncs the folder
  // (the syncs only with Options::sync). Call it once. Any call after it, even
  // after an error, and a call after RemoveTemporary, returns InvalidArgument.
  //
  // Returns InvalidArgument if the name exists and must not be replaced, and
  // IOError or MemoryLimit if a step fails. After an error the file does not
  // have its name, with one exception. If only the last step fails, it does
  // have its name, and the message says that this may not survive a crash of
  // the machine.
  Status Commit();
  // Whether Commit has given the file its name, also if it then failed.
  bool IsInPlace() const;
  // Removes the temporary name if it still exists. It does if there was no
  // Commit, if Commit failed, or if Commit succeeded on a file system where a
  // file must get its new name before it can lose the old one. Ends the
  // writing. Returns IOError, with the temporary name in the message, if it
  // cannot be removed.
  Status RemoveTemporary();

 private:
  struct State;
  explicit AtomicFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Opens a file for reading. Returns IOError if it cannot be opened or is not a
// regular file, or MemoryLimit.
ASHLAR_EXPORT Result<std::unique_ptr<RandomAccessFile>> OpenRandomAccessFile(
    const std::string& path);

// Opens a file for reading and maps it into memory, so that reads copy nothing.
// If the file becomes shorter meanwhile, or the disk fails, reading the missing
// bytes ends the process (SIGBUS). So use it for files that never change, on
// disks that you trust. Errors as OpenRandomAccessFile.
ASHLAR_EXPORT Result<std::unique_ptr<RandomAccessFile>> OpenMappedFile(
    const std::string& path);

// Opens a file for direct reads (O_DIRECT), which pass the page cache by. Each
// read is widened to pages of 4 KiB, and copied from them. Returns NotSupported
// if the file system has no direct I/O. Other errors as OpenRandomAccessFile.
ASHLAR_EXPORT Result<std::unique_ptr<RandomAccessFile>> OpenDirectFile(
    const std::string& path);

// Returns a file of bytes in memory. It owns `contents`, and reads copy
// nothing. `name` is for messages. May throw std::bad_alloc.
ASHLAR_EXPORT std::unique_ptr<RandomAccessFile> NewMemoryFile(
    std::string name, std::string contents);

// Returns a file that appends to *contents, which must outlive it. `name` is
// for messages. This call and Append may throw std::bad_alloc.
ASHLAR_EXPORT std::unique_ptr<WritableFile> NewMemoryWritableFile(
    std::string name, std::string* contents);

}  // namespace ashlar

#endif  // ASHLAR_UTIL_FILE_H_
