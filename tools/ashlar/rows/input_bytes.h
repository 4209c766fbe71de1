// InputBytes: the bytes of an input of `build`: a file, or standard input,
// decompressed if it is in the form of gzip or of zstd.
//
// The first bytes of the input say which form it has; its name does not count.
// An input may have several gzip members or zstd frames, one after the other.
// An input that ends within a member or a frame is an error, so that no row is
// lost in silence. For one thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_INPUT_BYTES_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_INPUT_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar::tool {

// Takes compressed bytes, and gives what they mean.
class Decompressor {
 public:
  virtual ~Decompressor() = default;
  // Writes at most `capacity` bytes, and sets *size to their number. Takes what
  // it has used from the front of *stored. Returns Corruption for bytes that
  // are not of its form.
  virtual Status Step(Slice* stored, char* to, size_t capacity,
                      size_t* size) = 0;
  // Whether the input may end here: between two members or frames.
  virtual bool MayEnd() const = 0;
  // What the form is called.
  virtual const char* name() const = 0;
};

class InputBytes {
 public:
  // `name` is the file's path; "-" is standard input.
  explicit InputBytes(std::string name);
  InputBytes(const InputBytes&) = delete;
  InputBytes& operator=(const InputBytes&) = delete;
  ~InputBytes();

  Status Open();
  // Sets *size to the number of bytes that were read: at least one, or at the
  // end of the input none. Returns Aborted if interrupted. Requires: capacity
  // is not 0.
  Status Read(char* to, size_t capacity, size_t* size);

  // Returns whether Read would not wait for a writer.
  bool IsReady() const;

  // How many bytes of the file were read, compressed as they are; and the size
  // of the file, or 0 if it is not known.
  uint64_t position() const { return position_; }
  uint64_t file_size() const { return file_size_; }

 private:
  Status ReadFile(char* to, size_t capacity, size_t* size);
  Status Recognize();
  Status Decompress(char* to, size_t capacity, size_t* size);

  const std::string name_;
  int descriptor_ = -1;
  uint64_t position_ = 0;
  uint64_t file_size_ = 0;
  bool is_recognized_ = false;
  bool at_end_ = false;                         // of the file
  std::unique_ptr<Decompressor> decompressor_;  // null: the bytes as they are
  std::unique_ptr<char[]> buffer_;
  Slice stored_;  // in buffer_, not used yet
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_INPUT_BYTES_H_
