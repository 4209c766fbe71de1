// Which words the separators of an index get, and which of them form groups.
//
// All separators begin with a common prefix. A word is the eight bytes after
// it. Where at least 8 separators in a row have one word (the keys of a tenant,
// a host or a table often do), the word does not tell them apart. They become a
// group: they have a longer prefix in common, and get words from after that.
//
//   tenant07:user00012345      prefix "tenant", word "07:user0", the same for
//   tenant07:user00023456      all of tenant 07; as a group: prefix
//   tenant07:user00034567      "tenant07:user000", words "12345", "23456", ...
//
// What a group holds can have such a row again. It is then cut into several
// groups, which share their first word, up to kMostDepth deep. Rows that stay
// (versions of one user key, or keys that differ only in zeros at their ends)
// are searched by whole comparisons.
//
// Computed while an index is parsed. One thread uses each object.
#ifndef ASHLAR_TABLE_INDEX_SEPARATOR_GROUPS_H_
#define ASHLAR_TABLE_INDEX_SEPARATOR_GROUPS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "table/index/index_entries.h"

namespace ashlar::internal {

// What a word of the root stands for, if there are groups: a group, or one
// separator.
struct SeparatorItem {
  static constexpr uint32_t kNoGroup = std::numeric_limits<uint32_t>::max();

  uint32_t first_block = 0;
  uint32_t group = kNoGroup;
};

// Blocks in a row whose separators share a prefix, which no others have.
struct SeparatorGroup {
  uint32_t first_block = 0;
  uint32_t num_blocks = 0;
  uint32_t prefix_size = 0;  // in bytes, the common prefix of all included
};

class SeparatorGroups {
 public:
  static constexpr size_t kLeast = 8;  // separators in a group
  static constexpr size_t kMostDepth = 4;

  // Computes the common prefix and the words of separators in an order of
  // bytes. Returns false if they do not ascend. Requires: there is a separator.
  [[nodiscard]] bool MakeWords(const IndexEntries& entries,
                               const IndexChecks& checks);
  // Looks for groups. Finds none if they would hold less than a quarter of the
  // separators: each word of the root needs 8 bytes more if there are groups.
  void FindGroups(const IndexEntries& entries, const IndexChecks& checks);

  size_t prefix_size() const { return prefix_size_; }
  // The words of all separators, from after the common prefix. They ascend in
  // the order of the keys.
  std::span<const uint64_t> words() const { return words_; }
  // In the order of their blocks. Empty: there are no groups.
  std::span<const SeparatorItem> items() const { return items_; }
  std::span<const SeparatorGroup> groups() const { return groups_; }

  void Clear();

 private:
  // What Split works on.
  struct Source {
    const IndexEntries& entries;
    const IndexChecks& checks;
  };

  size_t RunEnd(std::span<const uint64_t> words, size_t begin) const;
  void Split(const Source& source, size_t begin, size_t end, size_t depth);
  void AddFlat(size_t begin, size_t end, size_t prefix_size);

  size_t prefix_size_ = 0;
  size_t longest_run_ = 0;
  std::vector<uint64_t> words_;
  std::vector<SeparatorItem> items_;
  std::vector<SeparatorGroup> groups_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_SEPARATOR_GROUPS_H_
