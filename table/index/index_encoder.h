// IndexEncoder: writes the entries of one index block in a given form.
//
// Used by every index type, for whole indexes, partitions and top levels, and
// for the index over filter partitions. index_block.h shows the bytes, and
// decodes them. One thread at a time.
#ifndef ASHLAR_TABLE_INDEX_INDEX_ENCODER_H_
#define ASHLAR_TABLE_INDEX_INDEX_ENCODER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/util/slice.h"
#include "table/format/block_alignment.h"
#include "table/format/block_handle.h"
#include "table/index/index_block.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

class IndexEncoder {
 public:
  // `alignment` is that of the blocks that the handles name.
  IndexEncoder(const IndexForm& form, int restart_interval,
               const BlockAlignment& alignment = {})
      : form_(form),
        restart_interval_(restart_interval),
        alignment_(alignment) {}

  bool empty() const { return num_entries_ == 0; }
  // Returns whether the next entry is a restart point, which shares nothing.
  bool NextIsRestart() const { return since_restart_ == restart_interval_; }
  // Returns the size of the block if it were finished now, in bytes.
  uint64_t SizeEstimate() const {
    return entries_.size() + (restarts_.size() + 1) * sizeof(uint32_t);
  }
  // Adds an entry. The separator is in the form of the index; first_key is
  // ignored if the form has none. In the delta form an entry has a whole handle
  // if its key shares nothing with the one before. Else it has only the
  // difference of the sizes: its block follows the block before. A block that
  // was moved to a super block boundary gets a whole key.
  void Add(const Slice& separator, const BlockHandle& handle,
           const Slice& first_key);

  // Completes the block, and returns its bytes, which live until the next Add
  // or Clear. If the threshold is 0 or more, and the keys at restart points are
  // spread more evenly than that, marks the block as uniform. *uniform says
  // whether it is.
  Slice Finish(double uniform_cv_threshold, bool* uniform);
  void Clear();

 private:
  // Returns whether the block was moved to a super block boundary.
  bool WasMoved(const BlockHandle& handle) const;
  bool IsUniform(double threshold) const;
  Slice RestartKey(size_t i) const;

  const IndexForm form_;
  const int restart_interval_;
  const BlockAlignment alignment_;
  int since_restart_ = 0;
  uint64_t num_entries_ = 0;
  Buffer entries_;
  std::vector<uint32_t> restarts_ = {0};
  std::string last_separator_;
  BlockHandle last_handle_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_INDEX_ENCODER_H_
