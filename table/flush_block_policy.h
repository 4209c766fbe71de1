// FlushBlockPolicy: an application's own rule of where data blocks end.
//
// An application derives from both classes, and gives a factory to
// TableOptions::flush_block_policy_factory. By default a data block ends by its
// size. An application's rule can end blocks at boundaries that mean something,
// such as where a prefix changes. RocksDB's classes have these names too, but
// its factory gets the table's options and the block's builder.
//
// A builder makes one policy for its table, and calls it on the thread that
// calls the builder. A factory may be called by any number of threads at once.
// The file does not say where the rule came from, and readers need not know it.
#ifndef ASHLAR_TABLE_FLUSH_BLOCK_POLICY_H_
#define ASHLAR_TABLE_FLUSH_BLOCK_POLICY_H_

#include <memory>

#include "ashlar/util/slice.h"

namespace ashlar {

class FlushBlockPolicy {
 public:
  virtual ~FlushBlockPolicy() = default;

  // Called for each entry that goes into a data block, in order, before it is
  // added. Range deletions are not shown; an entry that TableBuilder::Add then
  // refuses is. Returns true to end the current data block before this entry.
  // If that block is empty, true does nothing. The slices live until the call
  // returns.
  //
  // The builder also ends a block on its own once it has 256 MiB.
  virtual bool Update(const Slice& internal_key, const Slice& value) = 0;
};

// Makes a policy for each table. An application derives from it.
class FlushBlockPolicyFactory {
 public:
  virtual ~FlushBlockPolicyFactory() = default;

  // Returns the policy for one table, which the builder owns. Must not return
  // null: TableBuilder::Create then returns InvalidArgument.
  virtual std::unique_ptr<FlushBlockPolicy> NewFlushBlockPolicy() const = 0;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_FLUSH_BLOCK_POLICY_H_
