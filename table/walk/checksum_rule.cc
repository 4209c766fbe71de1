#include "table/walk/checksum_rule.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "table/format/block_trailer.h"

namespace ashlar::internal {

namespace {

constexpr uint32_t kProven = 2;

constexpr ChecksumType kChecksumTypes[] = {
    ChecksumType::kXXH3, ChecksumType::kCRC32c, ChecksumType::kxxHash,
    ChecksumType::kxxHash64, ChecksumType::kNoChecksum};

// Returns whether two blocks at a distance of `apart` bytes were written so.
bool AreApart(uint32_t base, uint32_t before, uint32_t after, uint32_t apart) {
  return (base ^ after) - (base ^ before) == apart;
}

// The bits of a base that are known.
struct KnownBits {
  uint32_t mask = 0;
  uint32_t bits = 0;

  // Adds the bits that two blocks tell, and returns true, if they agree with
  // those that are known. With a = after ^ base and b = before ^ base, `apart`
  // is a - b. Its bits are those of a ^ b, except where the subtraction
  // borrows: that tells all borrows. A bit borrows from the next one as the bit
  // before did, if a and b agree in it. If not, it borrows if b has it.
  bool Add(uint32_t before, uint32_t after, uint32_t apart) {
    constexpr uint32_t kHasNext = 0x7fffffff;
    const uint32_t differ = before ^ after;
    const uint32_t borrows = differ ^ apart;
    const uint32_t next = borrows >> 1;
    if ((borrows & 1) != 0 || ((borrows ^ next) & ~differ & kHasNext) != 0) {
      return false;
    }
    const KnownBits told{differ & kHasNext,
                         (before ^ next) & differ & kHasNext};
    if (((bits ^ told.bits) & mask & told.mask) != 0) return false;
    mask |= told.mask;
    bits |= told.bits;
    return true;
  }
};

// Zeros instead of a trailer look like a file without checksums. So such a file
// is believed only at the end.
bool ProvesNothing(const ChecksumRule& rule) {
  return rule.type == ChecksumType::kNoChecksum && rule.base == 0;
}

}  // namespace

std::optional<ChecksumRule> RuleVotes::Vote(const ChecksumRule& rule,
                                            const Votes& added) {
  Votes& votes = votes_[{static_cast<int>(rule.type), rule.base}];
  votes.number += added.number;
  votes.of_plain = votes.of_plain || added.of_plain;
  if (votes.number < kProven || ProvesNothing(rule)) return std::nullopt;
  return rule;
}

void RuleVotes::TakeHint(const ChecksumRule& rule) {
  hint_ = rule;
  Vote(rule, {1, false});
}

std::optional<ChecksumRule> RuleVotes::TakeBlock(uint64_t offset,
                                                 const Slice& block,
                                                 uint8_t compression_type,
                                                 bool is_plain,
                                                 uint32_t stored) {
  if (!voters_.insert({offset, block.size()}).second) return std::nullopt;
  ++blocks_;
  std::optional<ChecksumRule> proven;
  Voter& voter = in_order_.emplace_back();
  voter.offset = offset;
  static_assert(std::size(kChecksumTypes) == kMostTypes);
  for (const ChecksumType type : kChecksumTypes) {
    const uint32_t modifier =
        stored - ChecksumWithLastByte(type, block.data(), block.size(),
                                      compression_type);
    voter.modifiers[static_cast<size_t>(type)] = modifier;
    // XOR is its own inverse. A base of 0 means that nothing was added.
    const uint32_t base = modifier == 0 ? 0 : ContextModifier(modifier, offset);
    if (modifier != 0 && base == 0) continue;
    const auto rule =
        Vote({type, base}, {modifier == 0 ? kProven : uint32_t{1}, is_plain});
    if (!proven.has_value()) proven = rule;
  }
  return proven;
}

std::vector<ChecksumRule> RuleVotes::Best(bool* proven) const {
  std::vector<std::pair<Votes, ChecksumRule>> counted;
  for (const ChecksumType type : kChecksumTypes) {
    for (const auto& [rule, votes] : votes_) {
      if (rule.first != static_cast<int>(type)) continue;
      counted.push_back({votes, {type, rule.second}});
    }
  }
  std::stable_sort(
      counted.begin(), counted.end(),
      [](const auto& a, const auto& b) { return b.first.IsLess(a.first); });
  *proven = blocks_ != 0 && counted[0].first.number >= kProven;
  std::vector<ChecksumRule> best;
  for (const auto& [votes, rule] : counted) {
    if (blocks_ == 0 || best.size() == kMostGuesses) break;
    best.push_back(rule);
  }
  return best;
}

// Returns how many blocks were as far from one of those before as they are.
// Between two blocks there may be bytes that only look like some.
size_t RuleVotes::CountPairs(size_t type, uint32_t base) const {
  constexpr size_t kMostBefore = 8;
  size_t pairs = 0;
  for (size_t i = 1; i < in_order_.size(); ++i) {
    const Voter& after = in_order_[i];
    const auto begin = in_order_.begin();
    pairs += std::any_of(
        begin + static_cast<ptrdiff_t>(i - std::min(i, kMostBefore)),
        begin + static_cast<ptrdiff_t>(i), [&](const Voter& before) {
          const uint64_t apart = after.offset - before.offset;
          return AreApart(base, before.modifiers[type], after.modifiers[type],
                          static_cast<uint32_t>(apart));
        });
  }
  return pairs;
}

// Returns the base that block `first` and the two after it tell, with the help
// of all later pairs that agree. Bits that none of them tells are those by
// which the first block is where it was written, or near.
std::optional<uint32_t> RuleVotes::BaseOfRun(size_t type, size_t first) const {
  constexpr size_t kPairs = 2;
  KnownBits known;
  for (size_t i = first + 1; i < in_order_.size(); ++i) {
    const Voter& before = in_order_[i - 1];
    const Voter& after = in_order_[i];
    const bool agrees =
        known.Add(before.modifiers[type], after.modifiers[type],
                  static_cast<uint32_t>(after.offset - before.offset));
    if (!agrees && i <= first + kPairs) return std::nullopt;
  }
  const Voter& block = in_order_[first];
  const uint32_t in_place =
      ContextModifier(block.modifiers[type], block.offset);
  return known.bits | (in_place & ~known.mask);
}

ChecksumRule RuleVotes::ByDistance(const std::optional<ChecksumRule>& rule,
                                   size_t* pairs) const {
  constexpr size_t kMostRuns = 8;
  std::vector<ChecksumRule> candidates;
  // The first of equals counts. Two neighbours that were moved can agree by
  // chance on a base by which they were not, but not on the footer's, unless
  // that differs by one flipped bit.
  if (rule.has_value() && hint_.has_value() &&
      std::popcount(rule->base ^ hint_->base) > 1) {
    candidates.push_back(*hint_);
  }
  if (rule.has_value()) candidates.push_back(*rule);
  if (hint_.has_value()) candidates.push_back(*hint_);
  bool proven = false;
  const std::vector<ChecksumRule> best = Best(&proven);
  candidates.insert(candidates.end(), best.begin(), best.end());
  for (const ChecksumType type : kChecksumTypes) {
    size_t runs = 0;
    for (size_t i = 0; i + 2 < in_order_.size() && runs < kMostRuns; ++i) {
      const auto base = BaseOfRun(static_cast<size_t>(type), i);
      if (!base.has_value()) continue;
      candidates.push_back({type, *base});
      ++runs;
    }
  }
  *pairs = 0;
  ChecksumRule chosen = rule.value_or(ChecksumRule());
  for (const ChecksumRule& candidate : candidates) {
    if (candidate.base == 0) continue;
    const size_t agree =
        CountPairs(static_cast<size_t>(candidate.type), candidate.base);
    if (agree <= *pairs) continue;
    *pairs = agree;
    chosen = candidate;
  }
  return chosen;
}

}  // namespace ashlar::internal
