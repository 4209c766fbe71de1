// The range of user keys that --from, --to and --prefix select. Timestamps do
// not count.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_KEY_RANGE_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_KEY_RANGE_H_

#include <optional>
#include <string>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/slice.h"
#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

class KeyRange {
 public:
  // Reads the flags. Returns what is wrong with them, or an empty string.
  std::string Parse(const CommandLine& line);
  // Does the same without --prefix, for commands that do not take it.
  std::string ParseEnds(const CommandLine& line);

  // Returns whether every key is in the range.
  bool IsAll() const { return !from_ && !to_ && !prefix_; }

  // Moves to the first key that may be in the range. The entries are those of
  // an Iterator, or have its functions.
  template <typename Entries>
  void SeekToStart(const Comparator& comparator, Entries* entries) const {
    const Start start = StartIn(comparator);
    if (!start.key) return entries->SeekToFirst();
    entries->Seek(*start.key);
    while (start.excludes_key && entries->Valid() &&
           WithoutTimestamp(entries->user_key(), comparator.timestamp_size()) ==
               Slice(*start.key)) {
      entries->Next();
    }
  }
  // Returns whether this key and all later ones are beyond the range.
  bool EndsBefore(const Slice& user_key, const Comparator& comparator) const;

  // Returns whether the range contains `key`, which has no timestamp.
  bool Contains(const Slice& key, const Comparator& comparator) const;

  // Returns whether the range may have a key of the range deletion that covers
  // first <= key < last. Both have timestamps.
  bool Meets(const Slice& first, const Slice& last,
             const Comparator& comparator) const;

  // Returns whether the range may have a key that is at least `after` and at
  // most `last`. Neither has a timestamp. If `after` is null, there is no lower
  // bound.
  bool MayMeet(const std::string* after, const std::string& last,
               const Comparator& comparator) const;

  // The bounds, if there are any.
  const std::optional<std::string>& from() const { return from_; }
  const std::optional<std::string>& to() const { return to_; }
  // The same, as the heading shows them.
  std::string start() const { return prefix_ ? *prefix_ : from_.value_or(""); }
  std::string limit() const { return to_.value_or(""); }

 private:
  struct Start {
    std::optional<std::string> key;  // none: the first key of all
    bool excludes_key = false;
  };
  Start StartIn(const Comparator& comparator) const;

  std::optional<std::string> from_;
  std::optional<std::string> to_;
  std::optional<std::string> prefix_;
};

// Returns the key that a flag's text means: escaped text
// (tools/escaped_text.h), or with --input_key_hex hexadecimal. Returns nothing
// if it is malformed.
std::optional<std::string> KeyFromFlag(const std::string& text);
// Says what is wrong with a text for which KeyFromFlag returned nothing.
std::string DescribeBadKey(const std::string& text);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_KEY_RANGE_H_
