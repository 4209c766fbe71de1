// Builds one data block from given entries, for tests that need no whole table.
//
// The block has the form that the table builder gives it. BuildDataBlock is a
// plain function and may be called from any thread.
#ifndef ASHLAR_TEST_SUPPORT_BUILT_BLOCK_H_
#define ASHLAR_TEST_SUPPORT_BUILT_BLOCK_H_

#include <string>
#include <vector>

#include "table/block/data_block_builder.h"
#include "test/support/tables.h"
#include "util/coding/word_compare.h"
#include "util/mem/buffer.h"

namespace ashlar::testing {

struct BuiltBlock {
  std::string bytes;
  size_t estimate = 0;  // estimated size before Finish
};

// Requires that the entries are in order.
inline BuiltBlock BuildDataBlock(const std::vector<Entry>& entries,
                                 const internal::DataBlockForm& form) {
  internal::Buffer buffer;
  internal::DataBlockBuilder builder(form, &buffer);
  Slice last;
  for (const Entry& entry : entries) {
    builder.Add(UserKeyOf(entry.key), TailOf(entry.key),
                internal::CommonPrefix(last, entry.key), entry.value);
    last = entry.key;
  }
  const size_t estimate = builder.SizeEstimate();
  return {builder.Finish().ToString(), estimate};
}

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_BUILT_BLOCK_H_
