// FlushBlockPolicy: an application's own rule of where data blocks end.
//
// An application derives from both classes and gives a factory to TableOptions.
// One policy sees one table, on the thread that calls the builder; a factory is
// called by any number of threads. Readers know nothing of this.
#ifndef ASHLAR_TABLE_FLUSH_BLOCK_POLICY_H_
#define ASHLAR_TABLE_FLUSH_BLOCK_POLICY_H_

#include <memory>

#include "ashlar/util/slice.h"

namespace ashlar {

class FlushBlockPolicy {
 public:
  virtual ~FlushBlockPolicy() = default;

  // For each entry of a data block, in order, before it is added. True: the
  // block ends before it, unless that is empty.
  virtual bool Update(const Slice& internal_key, const Slice& value) = 0;
};

class FlushBlockPolicyFactory {
 public:
  virtual ~FlushBlockPolicyFactory() = default;

  // Never null.
  virtual std::unique_ptr<FlushBlockPolicy> NewFlushBlockPolicy() const = 0;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_FLUSH_BLOCK_POLICY_H_
