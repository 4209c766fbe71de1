// --from, --to and --prefix: which user keys are looked at. Timestamps are no
// part of them.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_KEY_RANGE_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_KEY_RANGE_H_

#include <optional>
#include <string>

#include "ashlar/table/iterator.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/slice.h"
#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

class KeyRange {
 public:
  // What is wrong with the flags; empty when nothing is.
  std::string Parse(const CommandLine& line);

  // Whether every key is in it.
  bool IsAll() const { return !from_ && !to_ && !prefix_; }

  // To the first key that may be in the range.
  void SeekToStart(const Comparator& comparator, Iterator* iterator) const;
  // Whether the range has ended at or before this key.
  bool EndsBefore(const Slice& user_key, const Comparator& comparator) const;

  // Of a key without timestamp.
  bool Contains(const Slice& key, const Comparator& comparator) const;

  // Whether it may have keys of a range deletion: first <= key < last, both
  // with timestamps.
  bool Meets(const Slice& first, const Slice& last,
             const Comparator& comparator) const;

  // Whether it may have keys above `after`, or equal to it, and up to `last`.
  // All without timestamps; null: from the first key on.
  bool MayMeet(const std::string* after, const std::string& last,
               const Comparator& comparator) const;

  // As they stand in the heading.
  std::string start() const { return prefix_ ? *prefix_ : from_.value_or(""); }
  std::string limit() const { return to_.value_or(""); }

 private:
  std::optional<std::string> from_;
  std::optional<std::string> to_;
  std::optional<std::string> prefix_;
};

// A key as given in a flag: hexadecimal with --input_key_hex. Nothing when it
// is malformed.
std::optional<std::string> KeyFromFlag(const std::string& text);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_KEY_RANGE_H_
