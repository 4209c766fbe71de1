#include "table/walk/checksum_rule.h"

#include <algorithm>

#include "table/format/block_trailer.h"

namespace ashlar::internal {

namespace {

constexpr uint32_t kProven = 2;

constexpr ChecksumType kChecksumTypes[] = {
    ChecksumType::kXXH3, ChecksumType::kCRC32c, ChecksumType::kxxHash,
    ChecksumType::kxxHash64, ChecksumType::kNoChecksum};

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

void RuleVotes::TakeHint(const ChecksumRule& rule) { Vote(rule, {1, false}); }

std::optional<ChecksumRule> RuleVotes::TakeBlock(uint64_t offset,
                                                 const Slice& block,
                                                 uint8_t compression_type,
                                                 bool is_plain,
                                                 uint32_t stored) {
  if (!voters_.insert({offset, block.size()}).second) return std::nullopt;
  ++blocks_;
  std::optional<ChecksumRule> proven;
  for (const ChecksumType type : kChecksumTypes) {
    const uint32_t modifier =
        stored - ChecksumWithLastByte(type, block.data(), block.size(),
                                      compression_type);
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

}  // namespace ashlar::internal
