// Mutants of small tables, with correct checksums.
//
// Most changes are at bytes that a reader relies on: a restart point, an
// entry's header, a separator, a block handle, a bucket of a hash index, a
// property, a field of the footer. The table keeps its size.
#ifndef ASHLAR_TEST_SUPPORT_TABLE_MUTANT_H_
#define ASHLAR_TEST_SUPPORT_TABLE_MUTANT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "test/support/random.h"

namespace ashlar::testing {

struct TableMutant {
  std::string bytes;
  std::string changes;  // each: what, in which block, and where
};

class TableMutator {
 public:
  // Throws if the table is not sound.
  explicit TableMutator(std::string table);

  // Makes one to three changes.
  TableMutant Mutate(Random* random) const;

 private:
  // The offsets in the file of the parts of an uncompressed block of entries.
  struct Parts {
    struct Entry {
      size_t begin;  // of its header
      size_t key;    // of the stored part of the key
      size_t value;
      size_t end;  // of the value
    };
    std::vector<Entry> entries;
    std::vector<size_t> restarts;  // where each is stored
    size_t buckets = 0;
    size_t num_buckets = 0;
    size_t end = 0;
  };
  struct Block {
    BlockInfo info;
    Parts parts;
  };

  Parts FindParts(const BlockInfo& info) const;
  bool FindEntries(const BlockInfo& info, Parts* parts) const;
  const Block& PickBlock(Random* random) const;
  size_t PickByte(const Block& block, Random* random) const;
  void Change(Random* random, TableMutant* mutant) const;
  bool ChangeRestart(const Block& block, Random* random,
                     TableMutant* mutant) const;
  bool ChangeEntry(const Block& block, Random* random,
                   TableMutant* mutant) const;
  bool ChangeHeader(const Block& block, Random* random,
                    TableMutant* mutant) const;
  bool ChangeBuckets(const Block& block, Random* random,
                     TableMutant* mutant) const;
  bool CopyEntry(const Block& block, Random* random, TableMutant* mutant) const;
  bool ChangeSeparator(const Block& block, Random* random,
                       TableMutant* mutant) const;
  bool CopyBlock(const Block& block, Random* random, TableMutant* mutant) const;

  const std::string table_;
  bool delta_handles_ = false;
  bool first_keys_ = false;
  bool user_keys_ = false;         // in index blocks
  std::vector<std::string> keys_;  // of all entries
  std::vector<Block> blocks_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_TABLE_MUTANT_H_
