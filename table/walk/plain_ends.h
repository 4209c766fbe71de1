// Where an uncompressed block of keys and values ends, without knowing its
// size.
//
// A block begins with an entry that shares nothing. Each entry says how long it
// is, so a walk hops from header to header. After the last entry comes the
// restart array, whose first word is 0: read as an entry, it has neither key
// nor value, which no entry of a table has. The array ascends within the
// entries, and ends with a word that says how many restart points there are. By
// that the walk tells the end from an entry that only looks like it. A hash
// index, and values that are stored apart, are recognised by the same words.
//
// An answer is a guess: the block's checksum decides. The bytes are untrusted;
// each look takes a bounded number of steps.
#ifndef ASHLAR_TABLE_WALK_PLAIN_ENDS_H_
#define ASHLAR_TABLE_WALK_PLAIN_ENDS_H_

#include <cstdint>
#include <optional>

#include "table/walk/walk_bytes.h"

namespace ashlar::internal {

// How the entries of a block are stored. The bytes of one form may by chance be
// a block of another, of another size, so the caller tries each.
enum class PlainForm : uint8_t {
  kEntries,
  kSeparated,  // the values come after all keys
  // Index blocks, whose handles are not values with a length.
  kIndex,
  kIndexWithFirstKeys,
};
inline constexpr PlainForm kPlainForms[] = {
    PlainForm::kEntries, PlainForm::kSeparated, PlainForm::kIndex,
    PlainForm::kIndexWithFirstKeys};

// Returns the size of the block of keys and values that begins at `offset`, or
// nothing if none of this form seems to be there. Subtracts the steps that it
// takes from *steps, and finds nothing once they are used up; a step is about a
// nanosecond's work.
std::optional<uint64_t> FindPlainEnd(uint64_t offset, PlainForm form,
                                     WalkBytes* bytes, int64_t* steps);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WALK_PLAIN_ENDS_H_
