// What RocksDB 11.8.1 made of flushes and compactions: the cases of
// test/golden/compaction/cases.txt, and how to run one of them here.
//
// Each case was run on the real library, and its files were dumped. A line of
// the file is a word and its values:
//
//   case NAME
//   option NAME VALUE     of the database, where not the default
//   pre WORDS             what else was set: merge operator, filter and so on
//   snap NAME SEQUENCE    a live snapshot; wc:NAME finds write conflicts
//   action WORDS          files LEVEL WHICH: CompactFiles into that level, with
//                         limit=BYTES as the size of outputs; range: the same
//                         by CompactRange; auto: RocksDB chose; flush
//   op WORDS              what was written, for a flush; and marks that moved
//   in, other, out LEVEL SIZE SMALLEST_SEQNO LARGEST_SEQNO
//                         a file that was compacted, took no part, or was made
//   smallest, largest HEX_KEY SEQUENCE TYPE
//   e HEX_KEY SEQUENCE TYPE HEX_VALUE [xCOUNT+STEP]
//                         an entry. A value B*N is byte B, N times. With a
//                         count, entries whose keys end in ascending numbers of
//                         five digits follow, with sequence numbers STEP apart
//   status ok|corruption
#ifndef ASHLAR_TEST_SUPPORT_COMPACTION_CASES_H_
#define ASHLAR_TEST_SUPPORT_COMPACTION_CASES_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/internal_key.h"
#include "test/support/tables.h"

namespace ashlar::testing {

struct CompactionCase {
  struct File {
    int level = 0;
    uint64_t size = 0;
    SequenceNumber smallest_seqno = 0;
    SequenceNumber largest_seqno = 0;
    std::string smallest;  // internal keys
    std::string largest;
    std::vector<Entry> entries;
  };

  std::string name;
  std::map<std::string, std::string> options;
  std::vector<std::string> pre;
  std::vector<std::pair<std::string, SequenceNumber>> snapshots;
  std::vector<std::string> actions;
  std::vector<std::string> ops;
  std::vector<File> inputs;
  std::vector<File> others;
  std::vector<File> outputs;
  std::string status;

  bool Has(const std::string& what) const;  // a line of `pre`
  uint64_t Number(const std::string& option, uint64_t otherwise) const;
  bool IsFlush() const { return actions.back() == "flush"; }
  bool IsAutomatic() const {
    return actions.back() == "auto" || actions.back().starts_with("range");
  }
  int OutputLevel() const;
};

// Reads all cases. Throws if a line is not as it should be.
std::vector<CompactionCase> ReadCompactionCases();

// What a run made, in the form of a case's outputs; sizes are left out.
struct CompactionCaseResult {
  Status status;
  std::vector<CompactionCase::File> outputs;
};

// Runs the case with CompactTables.
CompactionCaseResult RunCompactionCase(const CompactionCase& of);

// The outputs as text, to compare and to show.
std::string Describe(const std::vector<CompactionCase::File>& files);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_COMPACTION_CASES_H_
