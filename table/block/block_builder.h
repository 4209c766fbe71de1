// BlockBuilder: writes the entries of a key/value block in place.
//
// Data flow, once per entry. The caller knows how many bytes the key shares
// with the key before (it found that together with the order check, in one
// pass), so nothing is compared here. Header, key suffix and value are copied
// once, to the end of a buffer that the caller owns. These bytes are final;
// Finish only appends the restart array. Several blocks may follow one another
// in one buffer, with other bytes of the caller between them.
//
// One thread at a time.
#ifndef ASHLAR_TABLE_BLOCK_BLOCK_BUILDER_H_
#define ASHLAR_TABLE_BLOCK_BLOCK_BUILDER_H_

#include <cstdint>
#include <vector>

#include "ashlar/util/slice.h"
#include "util/coding/coding.h"
#include "util/mem/buffer.h"
#include "util/mem/copy.h"

namespace ashlar::internal {

class BlockBuilder {
 public:
  // A restart interval that no block reaches: it gives one restart point.
  static constexpr int kOneRestart = 0x7fffffff;

  BlockBuilder(int restart_interval, Buffer* out)
      : out_(out), restart_interval_(restart_interval) {
    Start();
  }

  // Begins a block at the current end of the buffer.
  void Start() {
    start_ = out_->size();
    since_restart_ = 0;
    restarts_.assign(1, 0);
  }

  // The same, in another buffer from now on.
  void StartIn(Buffer* out) {
    out_ = out;
    Start();
  }

  bool empty() const { return out_->size() == start_; }
  // Returns whether the next entry is a restart point: it then shares nothing.
  bool NextIsRestart() const {
    return since_restart_ == restart_interval_ || empty();
  }
  // Returns the size of the block if it were finished now, in bytes.
  size_t SizeEstimate() const {
    return out_->size() - start_ + (restarts_.size() + 1) * sizeof(uint32_t);
  }

  // Adds an entry. `shared` is how many bytes `key` has in common with the
  // beginning of the last key; it counts as 0 if a restart point is due.
  // Requires: sizes are below 2^32, and the block stays below 2^31.
  void Add(const Slice& key, size_t shared, const Slice& value) {
    if (StartsRestart()) shared = 0;
    const size_t non_shared = key.size() - shared;
    char* p = BeginEntry(shared, non_shared, value.size());
    p = CopyShort(p, key.data() + shared, non_shared);
    EndEntry(CopyShort(p, value.data(), value.size()));
  }

  // The same for an internal key in two parts. `shared` counts bytes of
  // user_key || tail.
  void Add(const Slice& user_key, uint64_t tail, size_t shared,
           const Slice& value) {
    if (StartsRestart()) shared = 0;
    const size_t size = user_key.size() + sizeof tail;
    char* p = BeginEntry(shared, size - shared, value.size());
    p = CopySuffix(p, user_key, tail, shared);
    EndEntry(CopyShort(p, value.data(), value.size()));
  }

  // The same for a value that is stored apart, `value_offset` bytes after the
  // value of the block's first entry.
  void AddWithoutValue(const Slice& user_key, uint64_t tail, size_t shared,
                       size_t value_size, size_t value_offset) {
    const bool restart = StartsRestart();
    if (restart) shared = 0;
    const size_t size = user_key.size() + sizeof tail;
    out_->Reserve(4 * kMaxVarint32Bytes + size - shared);
    char* p = EncodeHeader(out_->end(), shared, size - shared, value_size);
    if (restart) p = EncodeVarint32(p, static_cast<uint32_t>(value_offset));
    EndEntry(CopySuffix(p, user_key, tail, shared));
  }

  // Returns the number of restart points so far, at least 1.
  uint32_t num_restarts() const {
    return static_cast<uint32_t>(restarts_.size());
  }
  // Returns the size of the entries so far, in bytes. Requires: nothing was
  // appended after them.
  size_t EntriesSize() const { return out_->size() - start_; }

  // Completes the block, and returns its bytes, which live until the buffer
  // grows.
  Slice Finish() {
    char packed[sizeof(uint32_t)];
    StoreFixed32(packed, AppendRestarts());
    out_->Append(Slice(packed, sizeof packed));
    return Whole();
  }

  // Finish in two steps, for forms that add more to the block. AppendRestarts
  // appends the restart array, and returns the number of restart points. Whole
  // returns all bytes from the beginning of the block on.
  uint32_t AppendRestarts() {
    const size_t bytes = restarts_.size() * sizeof(uint32_t);
    out_->Reserve(bytes);
    char* p = out_->end();
    for (const uint32_t offset : restarts_) {
      StoreFixed32(p, offset);
      p += sizeof offset;
    }
    out_->Advance(bytes);
    return num_restarts();
  }
  Slice Whole() const {
    return Slice(out_->data() + start_, out_->size() - start_);
  }

 private:
  // Counts the next entry. Returns whether it is a restart point.
  bool StartsRestart() {
    if (since_restart_ == restart_interval_) {
      restarts_.push_back(static_cast<uint32_t>(out_->size() - start_));
      since_restart_ = 0;
    }
    return since_restart_++ == 0;
  }

  // Copies the bytes of user_key || tail after the shared ones.
  static char* CopySuffix(char* p, const Slice& user_key, uint64_t tail,
                          size_t shared) {
    size_t tail_shared = 0;
    if (shared <= user_key.size()) [[likely]] {
      p = CopyShort(p, user_key.data() + shared, user_key.size() - shared);
    } else {
      tail_shared = shared - user_key.size();
      tail = tail_shared < sizeof tail ? tail >> (8 * tail_shared) : 0;
    }
    StoreFixed64(p, tail);
    return p + sizeof tail - tail_shared;
  }

  // Makes room, and writes the header. A key may write beyond its end, into the
  // buffer's slack.
  char* BeginEntry(size_t shared, size_t non_shared, size_t value_size) {
    out_->Reserve(3 * kMaxVarint32Bytes + non_shared + value_size);
    return EncodeHeader(out_->end(), shared, non_shared, value_size);
  }
  void EndEntry(const char* p) {
    out_->Advance(static_cast<size_t>(p - out_->end()));
  }

  static char* EncodeHeader(char* p, size_t shared, size_t non_shared,
                            size_t value_size) {
    if ((shared | non_shared | value_size) < 0x80) [[likely]] {
      p[0] = static_cast<char>(shared);
      p[1] = static_cast<char>(non_shared);
      p[2] = static_cast<char>(value_size);
      return p + 3;
    }
    p = EncodeVarint32(p, static_cast<uint32_t>(shared));
    p = EncodeVarint32(p, static_cast<uint32_t>(non_shared));
    return EncodeVarint32(p, static_cast<uint32_t>(value_size));
  }

  Buffer* out_;
  size_t start_ = 0;
  int restart_interval_;
  int since_restart_ = 0;
  std::vector<uint32_t> restarts_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_BLOCK_BLOCK_BUILDER_H_
