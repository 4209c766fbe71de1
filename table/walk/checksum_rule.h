// ChecksumRule: how the blocks of a file are signed; and RuleVotes, which finds
// that out from blocks alone.
//
// What is not known without a footer is the kind of checksum, and the base of
// context checksums (format version 6 on). With a block whose ends are known,
// each kind of checksum leaves one difference to the stored number, and so one
// base, since its offset is known too:
//
//   stored - CHK = base XOR (lo32(offset) + hi32(offset)), or 0 without a base
//
// A single block therefore says nothing, except with difference 0, which comes
// about by chance once in 2^32 blocks. Two blocks that agree on a kind and a
// base prove both, since wrong kinds give numbers without rule. Damaged blocks
// vote for such numbers too, and are outvoted.
//
// If bytes were inserted or cut out before the blocks, they vote for numbers
// that hold for some blocks only. What does not change then is how far blocks
// are from each other. So of all bases, the one counts by which most blocks
// were written as far from one before as they are. Three neighbours tell it
// even if no block is where it was written: with x = base XOR written,
// a pair says every bit of the base in which its two x differ, and the other
// bits must agree.
//
// Plain values; thread-compatible.
#ifndef ASHLAR_TABLE_WALK_CHECKSUM_RULE_H_
#define ASHLAR_TABLE_WALK_CHECKSUM_RULE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ashlar/util/checksum_type.h"
#include "ashlar/util/slice.h"

namespace ashlar::internal {

struct ChecksumRule {
  ChecksumType type = ChecksumType::kCRC32c;
  uint32_t base = 0;  // 0: checksums do not depend on the offset

  friend bool operator==(const ChecksumRule&, const ChecksumRule&) = default;
};

class RuleVotes {
 public:
  // Votes for a rule that a damaged footer says. One block that agrees then
  // proves it.
  void TakeHint(const ChecksumRule& rule);
  // Votes for the rules that this block can have. is_plain: whether it is a
  // block of entries that is not compressed, whose form shows better than
  // others that it is a block. Returns the rule that is now proven, if one is.
  std::optional<ChecksumRule> TakeBlock(uint64_t offset, const Slice& block,
                                        uint8_t compression_type, bool is_plain,
                                        uint32_t stored);
  // Returns the best guesses after all blocks voted, the best one first, if no
  // rule was proven: at most kMostGuesses. *proven: whether two votes or more
  // say the first.
  std::vector<ChecksumRule> Best(bool* proven) const;

  static constexpr size_t kMostGuesses = 64;

  // Returns the rule by which most of these blocks are as far from each other
  // as they were written, among `rule`, the hint, what was voted for, and what
  // three neighbours tell. *pairs: how many are, each with one before it.
  ChecksumRule ByDistance(const std::optional<ChecksumRule>& rule,
                          size_t* pairs) const;

  // How many blocks vote on a rule with a base that is proven already.
  static constexpr size_t kEnoughBlocks = 64;
  // How many blocks may vote before a walk gives up.
  static constexpr size_t kMostBlocks = 4096;
  size_t blocks() const { return blocks_; }

 private:
  struct Votes {
    uint32_t number = 0;
    bool of_plain = false;

    bool IsLess(const Votes& other) const {
      return number != other.number ? number < other.number
                                    : !of_plain && other.of_plain;
    }
  };

  static constexpr size_t kMostTypes = 5;

  // Where a block is, and what its checksum adds by each kind of checksum.
  struct Voter {
    uint64_t offset = 0;
    uint32_t modifiers[kMostTypes] = {};
  };

  std::optional<ChecksumRule> Vote(const ChecksumRule& rule,
                                   const Votes& added);
  size_t CountPairs(size_t type, uint32_t base) const;
  std::optional<uint32_t> BaseOfRun(size_t type, size_t first) const;

  size_t blocks_ = 0;
  std::optional<ChecksumRule> hint_;
  std::vector<Voter> in_order_;  // as they voted
  // Offset and size of each: a block that is met again has no second vote.
  std::set<std::pair<uint64_t, uint64_t>> voters_;
  std::map<std::pair<int, uint32_t>, Votes> votes_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WALK_CHECKSUM_RULE_H_
