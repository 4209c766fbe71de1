// MergeOperator: how an application's merge operands become values.
//
// An application writes operands (kTypeMerge) instead of values, and says here
// what they mean. CompactionIterator joins operands with the value beneath them
// (a full merge), or with each other where that value may be in a file that
// takes no part (a partial merge). Names and meanings are RocksDB's.
//
// Derive from AssociativeMergeOperator where operands have the form of values,
// as with counters; else from MergeOperator. The operators at the end of this
// file are built in; they write what RocksDB's of the same name write.
//
// Thread safety: an operator is called by any number of threads at once.
// Results must depend on the arguments alone.
#ifndef ASHLAR_TABLE_MERGE_OPERATOR_H_
#define ASHLAR_TABLE_MERGE_OPERATOR_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/util/export.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

class ASHLAR_EXPORT MergeOperator {
 public:
  // What a failed merge means to a compaction.
  enum class OpFailureScope : uint8_t {
    kDefault,   // as kTryMerge
    kTryMerge,  // the compaction fails with Corruption
    kMustMerge  // only reads fail: the operands are written as they are
  };

  // What operands apply to: nothing (there is no value, or it is deleted), a
  // value, or the columns of an entity, by ascending name.
  using ExistingValue =
      std::variant<std::monostate, Slice, std::span<const WideColumn>>;

  // Slices live until the call returns.
  struct MergeInput {
    Slice key;  // the user key, with its timestamp if it has one
    ExistingValue existing_value;
    std::span<const Slice> operands;  // the oldest first; one at least
  };

  // Names and values of an entity, in any order.
  using NewColumns = std::vector<std::pair<std::string, std::string>>;

  // What a merge makes.
  struct MergeOutput {
    // The result: bytes, columns, or one of the Slices of the input.
    std::variant<std::string, NewColumns, Slice> new_value;
    // Read if the merge fails.
    OpFailureScope op_failure_scope = OpFailureScope::kDefault;
  };

  virtual ~MergeOperator() = default;

  // Returns the name, which must not change: BuildOptions::merge_operator_name
  // stores it in files.
  virtual std::string_view Name() const = 0;

  // Joins a value with all of its operands. Returns false if that is not
  // possible.
  virtual bool FullMerge(const MergeInput& input,
                         MergeOutput* output) const = 0;

  // Joins operands, the oldest first, into one that has the same effect.
  // Returns false if there is no such operand; all are then kept. Called with
  // two operands at least, or with one if AllowSingleOperand. The default folds
  // them with PartialMerge, from the oldest on.
  virtual bool PartialMergeMulti(const Slice& key,
                                 std::span<const Slice> operands,
                                 std::string* new_operand) const;
  // Joins two operands. The default returns false.
  virtual bool PartialMerge(const Slice& key, const Slice& older,
                            const Slice& newer, std::string* new_operand) const;
  virtual bool AllowSingleOperand() const { return false; }
};

// For operators that know nothing of columns. With an entity, the default
// column is merged (an empty value, if there is none), and all others stay.
class ASHLAR_EXPORT PlainMergeOperator : public MergeOperator {
 public:
  // Joins *existing_value, or nothing if it is null, with the operands. Returns
  // false, and may set *scope, if that is not possible.
  virtual bool MergePlain(const Slice& key, const Slice* existing_value,
                          std::span<const Slice> operands,
                          std::string* new_value,
                          OpFailureScope* scope) const = 0;

  // Calls MergePlain, with the default column of an entity.
  bool FullMerge(const MergeInput& input, MergeOutput* output) const final;
};

// For operators whose operands have the form of values.
class ASHLAR_EXPORT AssociativeMergeOperator : public PlainMergeOperator {
 public:
  // Joins a value, or nothing if it is null, with one operand. Returns false if
  // one of them is bad.
  virtual bool Merge(const Slice& key, const Slice* existing_value,
                     const Slice& value, std::string* new_value) const = 0;

  bool MergePlain(const Slice& key, const Slice* existing_value,
                  std::span<const Slice> operands, std::string* new_value,
                  OpFailureScope* scope) const final;
  bool PartialMerge(const Slice& key, const Slice& older, const Slice& newer,
                    std::string* new_operand) const final;
};

// Makes of what the lookups of a key in memtables and tables have found the
// value that a user reads. `newest_first` are the operands, as lookups meet
// them, and `existing` is what was found beneath. Of columns, *value is the
// default one, and empty if there is none. Without operands it is that of
// `existing`; NotFound if that is nothing. Returns InvalidArgument if there are
// operands and merge_operator is null, and Corruption if they cannot be joined.
ASHLAR_EXPORT Status MergeForGet(const MergeOperator* merge_operator,
                                 const Slice& user_key,
                                 const MergeOperator::ExistingValue& existing,
                                 std::span<const std::string> newest_first,
                                 std::string* value);

// "UInt64AddOperator": adds unsigned integers of 8 bytes, little-endian; a sum
// wraps around. Bytes of another size count as 0.
ASHLAR_EXPORT std::shared_ptr<const MergeOperator> NewUInt64AddOperator();
// "StringAppendOperator": joins strings, with the delimiter between two.
ASHLAR_EXPORT std::shared_ptr<const MergeOperator> NewStringAppendOperator(
    std::string_view delimiter = ",");
// "MaxOperator": the largest, in the order of bytes.
ASHLAR_EXPORT std::shared_ptr<const MergeOperator> NewMaxOperator();
// "PutOperator": the newest operand, as a put.
ASHLAR_EXPORT std::shared_ptr<const MergeOperator> NewPutOperator();

// Returns the built-in operator of that name, or of RocksDB's short name
// ("uint64add", "stringappend", "max", "put"). Null if there is none.
ASHLAR_EXPORT std::shared_ptr<const MergeOperator> FindBuiltinMergeOperator(
    std::string_view name);

}  // namespace ashlar

#endif  // ASHLAR_TABLE_MERGE_OPERATOR_H_
