// DataBlockBuilder: writes data blocks in the form that the options ask for.
//
// Data flow. An ordinary block goes straight through to the BlockBuilder, at
// the cost of one branch per entry. With a hash index, the hash of each user
// key is collected too. With values apart, the values collect in a buffer of
// their own. Both are appended after the entries when the block is finished.
//
// One thread at a time.
#ifndef ASHLAR_TABLE_BLOCK_DATA_BLOCK_BUILDER_H_
#define ASHLAR_TABLE_BLOCK_DATA_BLOCK_BUILDER_H_

#include <cstdint>
#include <optional>

#include "ashlar/util/slice.h"
#include "table/block/block_builder.h"
#include "table/block/hash_index.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

struct DataBlockForm {
  int restart_interval = 16;
  // Whether values are stored apart from the keys.
  bool separated = false;
  // Entries per bucket of the hash index; 0: no hash index.
  double hash_ratio = 0;
};

class DataBlockBuilder {
 public:
  DataBlockBuilder(const DataBlockForm& form, Buffer* out)
      : block_(form.restart_interval, out),
        out_(out),
        separated_(form.separated),
        plain_(!form.separated && form.hash_ratio == 0) {
    if (form.hash_ratio != 0) hash_index_.emplace(form.hash_ratio);
    CountExtraBytes();
  }

  // Begins a block at the current end of the buffer.
  void Start();
  // The same, in another buffer from now on.
  void StartIn(Buffer* out) {
    out_ = out;
    block_.StartIn(out);
    Start();
  }

  bool empty() const { return block_.empty(); }
  // Returns the size of the block if it were finished now, in bytes.
  size_t SizeEstimate() const { return block_.SizeEstimate() + extra_bytes_; }
  bool NextIsRestart() const { return block_.NextIsRestart(); }
  // Returns how many bytes a restart point takes now, in addition to its
  // offset.
  size_t MoreRestartBytes() const { return more_restart_bytes_; }

  // Adds an entry. `shared` is how many bytes of user_key || tail are in common
  // with the beginning of the last key. Requires: sizes as for
  // BlockBuilder::Add.
  void Add(const Slice& user_key, uint64_t tail, size_t shared,
           const Slice& value) {
    if (!plain_) [[unlikely]]
      return AddToForm(user_key, tail, shared, value);
    block_.Add(user_key, tail, shared, value);
  }

  // Completes the block, and returns its bytes, which live until the buffer
  // grows.
  Slice Finish();

 private:
  void AddToForm(const Slice& user_key, uint64_t tail, size_t shared,
                 const Slice& value);
  void CountExtraBytes();

  BlockBuilder block_;
  Buffer* out_;
  const bool separated_;
  const bool plain_;
  std::optional<HashIndexBuilder> hash_index_;
  Buffer values_;
  // The size of everything that block_ does not count.
  size_t extra_bytes_ = 0;
  size_t more_restart_bytes_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_BLOCK_DATA_BLOCK_BUILDER_H_
