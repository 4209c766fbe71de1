#include "table/walk/block_walk.h"

#include <algorithm>
#include <array>
#include <utility>

#include "table/format/block_trailer.h"
#include "table/meta/properties_block.h"
#include "table/walk/plain_ends.h"
#include "table/walk/trailer_search.h"
#include "util/coding/coding.h"

namespace ashlar::internal {

namespace {

// Steps are nanoseconds, more or less.
constexpr int64_t kFirstSteps = 250'000'000;
constexpr int64_t kStepsPerByte = 16;
// What it costs to compare this many bytes with their checksum, or to read
// them: one step.
constexpr uint64_t kBytesPerStep = 8;

constexpr uint64_t kWindowBytes = uint64_t{1} << 20;
constexpr uint64_t kFirstView = uint64_t{1} << 16;
// How far a block without form is looked for before one with a form is. That
// finds a large filter fast, but is in vain where a block is damaged. So it
// reaches less far each time that it is in vain.
constexpr uint64_t kShortReach = uint64_t{1} << 16;
constexpr uint64_t kLongReach = uint64_t{1} << 24;

// Longer runs of zeros may have been blocks. Aligned blocks have less between
// them.
constexpr uint64_t kMostPadding = 4096;

constexpr std::array kPayloadTypes = {
    CompressionType::kZSTD, CompressionType::kLZ4Compression,
    CompressionType::kSnappyCompression, CompressionType::kZlibCompression,
    CompressionType::kBZip2Compression};

size_t Bit(CompressionType type) { return static_cast<uint8_t>(type); }

// Returns whether a trailer with this type byte can follow a payload of `type`.
bool IsTypeByteOf(CompressionType type, uint8_t byte) {
  switch (type) {
    case CompressionType::kLZ4Compression:
      return byte == Bit(type) ||
             byte == Bit(CompressionType::kLZ4HCCompression);
    case CompressionType::kZSTD:
      return byte == Bit(type) ||
             byte == Bit(CompressionType::kZSTDNotFinalCompression);
    default:
      return byte == Bit(type);
  }
}

std::bitset<256> OpaqueTypes(bool custom) {
  std::bitset<256> types;
  for (size_t i = 0; i <= Bit(CompressionType::kZSTD); ++i) types.set(i);
  types.set(Bit(CompressionType::kZSTDNotFinalCompression));
  constexpr size_t kFirstCustom = 0x80;
  constexpr size_t kLastCustom = 0xfe;
  for (size_t i = kFirstCustom; custom && i <= kLastCustom; ++i) types.set(i);
  return types;
}

bool AllZero(const Slice& bytes) {
  return std::all_of(bytes.data(), bytes.end(), [](char c) { return c == 0; });
}

}  // namespace

BlockWalk::BlockWalk(const RandomAccessFile* file, WalkOptions options)
    : bytes_(file, kWindowBytes),
      options_(std::move(options)),
      opaque_reach_(kLongReach),
      steps_(kFirstSteps) {}

std::optional<Learned> BlockWalk::Learn(
    const std::optional<ChecksumRule>& hint) {
  if (hint.has_value()) votes_.TakeHint(*hint);
  rule_.reset();
  Pass({0, bytes_.size()});
  std::optional<Learned> learned = FromVotes();
  Forget();
  // What only looks like a block may hide those that would have voted.
  const bool proven = learned.has_value() && learned->proven;
  if (!proven && options_.finds_moved && hint.has_value() && hint->base != 0) {
    rule_ = hint;
    Pass({0, bytes_.size()});
    if (!blocks_.empty()) learned = {*hint, true};
    Forget();
  }
  return learned;
}

std::optional<Learned> BlockWalk::FromVotes() {
  Learned learned;
  size_t pairs = 0;
  const bool in_doubt = !voted_.has_value() || voted_->base != 0;
  const ChecksumRule by_distance =
      in_doubt ? votes_.ByDistance(voted_, &pairs) : *voted_;
  if (voted_.has_value() || pairs != 0) return Learned{by_distance, true};
  const auto best = votes_.Best(&learned.proven);
  if (best.empty()) return std::nullopt;
  learned.rule = best[0];
  if (!learned.proven) {
    const auto found = ProvenByFirstBlock(best);
    if (found.has_value()) learned = {*found, true};
  }
  return learned;
}

// Forgets blocks that were not proven, and what they showed.
void BlockWalk::Forget() {
  blocks_.clear();
  lost_.clear();
  moved_ = MovedBlocks();
  move_ = 0;
  steps_ = kFirstSteps;
  earned_to_ = 0;
}

// Returns the guess by which a block without form begins the file, as blobs
// do. A file that begins with a block that voted proves nothing.
std::optional<ChecksumRule> BlockWalk::ProvenByFirstBlock(
    const std::vector<ChecksumRule>& guesses) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 20;
  FoundBlock first;
  if (ScanAt(0, Place::kExpected, &first)) return std::nullopt;
  for (const ChecksumRule& guess : guesses) {
    int64_t steps = kFirstSteps;
    TrailerSearch search(guess, OpaqueTypes(options_.custom_types));
    if (search.Find(0, 0, kMostBytes, &bytes_, &steps).has_value())
      return guess;
  }
  return std::nullopt;
}

void BlockWalk::Use(const ChecksumRule& rule, int compress_format) {
  rule_ = rule;
  compress_format_ = compress_format;
}

bool BlockWalk::Run(const ByteRange& part) { return Pass(part) && !given_up_; }

// To be called as the walk moves forward. Returns false to give up.
bool BlockWalk::MovedTo(uint64_t offset) {
  if (offset > earned_to_) {
    steps_ += static_cast<int64_t>(offset - earned_to_) * kStepsPerByte;
    earned_to_ = offset;
  }
  constexpr uint64_t kBytesPerReport = uint64_t{1} << 22;
  if (offset - reported_at_ >= kBytesPerReport && offset > reported_at_) {
    reported_at_ = offset;
    if (options_.on_progress && !options_.on_progress(offset)) {
      given_up_ = true;
    }
  }
  return !given_up_;
}

// Returns whether enough blocks voted, while the rule is learnt.
bool BlockWalk::IsLearnt() const {
  if (rule_.has_value()) return false;
  size_t enough = RuleVotes::kMostBlocks;
  if (voted_.has_value())
    enough = voted_->base == 0 ? 0 : RuleVotes::kEnoughBlocks;
  return votes_.blocks() >= enough;
}

bool BlockWalk::Pass(const ByteRange& part) {
  uint64_t at = part.begin;
  const uint64_t end = std::min(part.end, bytes_.size());
  earned_to_ = std::max(earned_to_, at);
  while (at < end) {
    if (!MovedTo(at)) return false;
    if (IsLearnt()) return true;
    FoundBlock found;
    if (ScanAt(at, Place::kExpected, &found)) {
      Keep(found);
      at = found.handle.End();
      continue;
    }
    const uint64_t seeming_end = seeming_end_;
    if (const auto next = AfterPadding(at, end)) {
      if (*next - at >= kMostPadding) lost_.push_back({at, *next});
      at = *next;
      continue;
    }
    if (FollowsSeemingEnd(seeming_end, at, end)) {
      // By a damaged header, blocks may seem to be a part of this one.
      const auto inner = Resynchronise(at + 1, seeming_end, &found);
      if (given_up_) return false;
      if (inner.has_value()) {
        OpaqueBetween(at, *inner);
        Keep(found);
      } else {
        Lose(at, seeming_end);
      }
      at = inner.has_value() ? found.handle.End() : seeming_end;
      continue;
    }
    if (OpaqueAt(at, std::min(end, at + opaque_reach_), &steps_, &found)) {
      Keep(found);
      at = found.handle.End();
      continue;
    }
    opaque_reach_ = std::max(kShortReach, opaque_reach_ / 4);
    const auto next = Resynchronise(at + 1, end, &found);
    if (given_up_) return false;
    OpaqueBetween(at, next.value_or(end));
    if (!next.has_value()) break;
    Keep(found);
    at = found.handle.End();
    // While the rule is learnt, this may be no block, and hide one. It is
    // believed if another follows.
    FoundBlock follows;
    if (!rule_.has_value() && !ScanAt(at, Place::kExpected, &follows)) {
      at = *next + 1;
    }
  }
  return true;
}

// Returns whether a block follows where the damaged one at `at` seems to end.
bool BlockWalk::FollowsSeemingEnd(uint64_t seeming_end, uint64_t at,
                                  uint64_t end) {
  FoundBlock found;
  return seeming_end > at && seeming_end < end &&
         (ScanAt(seeming_end, Place::kExpected, &found) ||
          AfterPadding(seeming_end, end).has_value() ||
          OpaqueAt(seeming_end, std::min(end, seeming_end + kShortReach),
                   &steps_, &found));
}

// Looks for a block of a known form that begins at `offset`.
bool BlockWalk::ScanAt(uint64_t offset, Place place, FoundBlock* found) {
  moved_.ForgetLastAlone();
  return FormAt(offset, place, found) ||
         (moved_.last_alone().has_value() && MovedAt(offset, place, found));
}

// The same if the last look found a block whose checksum is that of another
// offset: returns whether the block after it was moved as far.
bool BlockWalk::MovedAt(uint64_t offset, Place place, FoundBlock* found) {
  const uint64_t seeming_end = seeming_end_;
  const uint64_t end = moved_.last_alone()->handle.End();
  const size_t proofs = moved_.proofs();
  FoundBlock next;
  bool follows = FormAt(end, Place::kExpected, &next);
  if (!follows && moved_.proofs() == proofs) {
    steps_ -= static_cast<int64_t>(kMostPadding / kBytesPerStep);
    const uint64_t limit = std::min(end + kMostPadding, bytes_.size());
    follows = AfterPadding(end, limit).has_value();
  }
  const bool is_moved =
      follows && moved_.proofs() != proofs && FormAt(offset, place, found);
  seeming_end_ = seeming_end;
  return is_moved;
}

// The same for blocks that are where they were written, or were moved as far as
// others before.
bool BlockWalk::FormAt(uint64_t offset, Place place, FoundBlock* found) {
  seeming_end_ = 0;
  if (steps_ <= 0) return false;
  const Slice head = bytes_.Peek(offset, 1);
  if (head.empty()) return false;
  found->handle.offset = offset;
  found->has_form = true;
  if (head[0] != 0) return CompressedAt(offset, place, found);
  for (const PlainForm form : kPlainForms) {
    const bool of_index =
        form == PlainForm::kIndex || form == PlainForm::kIndexWithFirstKeys;
    if (of_index && place != Place::kExpected) break;
    const auto size = FindPlainEnd(offset, form, &bytes_, &steps_);
    if (size.has_value() &&
        IsSigned(offset, *size, CompressionType::kNoCompression, found)) {
      return true;
    }
  }
  return false;
}

bool BlockWalk::CompressedAt(uint64_t offset, Place place, FoundBlock* found) {
  for (uint64_t size = kFirstView; steps_ > 0; size *= 8) {
    const Slice view = bytes_.Get(offset, size);
    if (size != kFirstView) {
      steps_ -= static_cast<int64_t>(view.size() / kBytesPerStep);
    }
    bool wants_more = false;
    if (last_type_ != CompressionType::kNoCompression &&
        TypeAt(offset, last_type_, view, place, &wants_more, found)) {
      return true;
    }
    for (const CompressionType type : kPayloadTypes) {
      if (type != last_type_ &&
          TypeAt(offset, type, view, place, &wants_more, found)) {
        return true;
      }
    }
    if (!wants_more || view.size() < size || size > options_.most_block_bytes) {
      return false;
    }
  }
  return false;
}

// Returns whether a payload may be decoded to find its end, which takes long:
// microseconds at each byte of a damaged block. Once fewer steps are left, only
// where the block before can end: its trailer has the same type, or none. So
// the steps suffice for a hundred times more damaged bytes.
bool BlockWalk::MayDecode(uint64_t offset, CompressionType type,
                          int64_t steps_for_all) {
  if (steps_ > steps_for_all) return true;
  if (offset < kBlockTrailerSize) return false;
  const Slice before = bytes_.Peek(offset - kBlockTrailerSize, 1);
  return before[0] == 0 || IsTypeByteOf(type, static_cast<uint8_t>(before[0]));
}

// Looks for a payload of this type, in each form that it can have.
bool BlockWalk::TypeAt(uint64_t offset, CompressionType type, const Slice& view,
                       Place place, bool* wants_more, FoundBlock* found) {
  constexpr uint64_t kSmallRaw = uint64_t{1} << 20;
  const bool anywhere = place == Place::kAnywhere;
  // A file whose first blocks are not compressed is mostly without compression.
  constexpr size_t kFirstBlocks = 16;
  const bool none_seen = types_seen_.none() && blocks_.size() < kFirstBlocks;
  const bool slow = type == CompressionType::kZlibCompression ||
                    type == CompressionType::kBZip2Compression;
  if (anywhere && slow && !none_seen && !types_seen_[Bit(type)]) return false;
  const int64_t steps_for_all = slow ? kFirstSteps / 4 * 3 : kFirstSteps / 2;
  if (anywhere && !MayDecode(offset, type, steps_for_all)) return false;
  PayloadSearch search;
  search.most_raw_bytes = options_.most_block_bytes;
  if (anywhere) {
    search.most_raw_bytes =
        std::min(search.most_raw_bytes, std::max(4 * largest_raw_, kSmallRaw));
  }
  const bool has_dictionary = type == CompressionType::kLZ4Compression ||
                              type == CompressionType::kZlibCompression;
  const bool tries_dictionary =
      has_dictionary && (!anywhere || none_seen || dictionary_seen_);
  for (const int format : {2, 1}) {
    if (compress_format_ != 0 && compress_format_ != format) continue;
    const bool same = type == CompressionType::kZSTD ||
                      type == CompressionType::kSnappyCompression;
    if (format == 1 && same && compress_format_ == 0) continue;
    search.compress_format = format;
    for (const bool dictionary : {false, true}) {
      if (dictionary && !tries_dictionary) continue;
      search.with_dictionary = dictionary;
      const PayloadEnd end = payload_ends_.Find(type, search, view, &steps_);
      if (end.result == EndSearch::kMore) *wants_more = true;
      if (end.result != EndSearch::kFound ||
          !IsSigned(offset, end.size, type, found)) {
        continue;
      }
      // While the rule is learnt, a block may be none.
      if (!rule_.has_value()) return true;
      last_type_ = type;
      types_seen_.set(Bit(type));
      dictionary_seen_ = dictionary_seen_ || dictionary;
      if (!same) compress_format_ = format;
      uint32_t raw_size = 0;
      const Slice head = bytes_.Get(offset, kFirstView);
      DecodeVarint32(head.data(), head.end(), &raw_size);
      largest_raw_ = std::max(largest_raw_, uint64_t{raw_size});
      return true;
    }
  }
  return false;
}

// Returns whether these bytes and the trailer after them are a block of this
// type. While the rule is learnt, the type byte is all that counts.
bool BlockWalk::IsSigned(uint64_t offset, uint64_t size, CompressionType type,
                         FoundBlock* found) {
  if (size > options_.most_block_bytes) return false;
  const uint64_t whole = size + kBlockTrailerSize;
  if (whole > bytes_.size() - offset) return false;
  if (seeming_end_ == 0) seeming_end_ = offset + whole;
  // A look at the type byte spares most reads of large pieces.
  const Slice trailer = bytes_.Peek(offset + size, kBlockTrailerSize);
  if (!IsTypeByteOf(type, static_cast<uint8_t>(trailer[0]))) return false;
  steps_ -= static_cast<int64_t>(whole / kBytesPerStep);
  const Slice bytes = bytes_.Get(offset, whole);
  const Slice block(bytes.data(), static_cast<size_t>(size));
  const auto byte = static_cast<uint8_t>(*block.end());
  const uint32_t stored = LoadFixed32(block.end() + 1);
  found->handle = {offset, size};
  found->compression_type = byte;
  found->move = 0;
  if (rule_.has_value()) return Agrees(block, stored, found);
  const bool is_plain = type == CompressionType::kNoCompression;
  const auto voted = votes_.TakeBlock(offset, block, byte, is_plain, stored);
  if (!voted_.has_value()) voted_ = voted;
  return true;
}

// Returns whether the block is one that was written here, or elsewhere if such
// blocks are looked for, and sets found->move. Otherwise keeps it in mind, if
// it may be one.
bool BlockWalk::Agrees(const Slice& block, uint32_t stored, FoundBlock* found) {
  const uint64_t offset = found->handle.offset;
  const uint8_t type = found->compression_type;
  if (AgreesAt(offset, block, type, stored)) return true;
  if (!options_.finds_moved || rule_->base == 0) return false;
  const uint64_t moved = offset + static_cast<uint64_t>(move_);
  if (move_ != 0 && AgreesAt(moved, block, type, stored)) {
    found->move = move_;
    return true;
  }
  const uint32_t plain =
      ChecksumWithLastByte(rule_->type, block.data(), block.size(), type);
  const auto move = MoveOf(rule_->base, stored - plain, offset);
  if (!move.has_value()) return false;
  found->move = *move;
  return moved_.Expects(*found);
}

// Ingestion may have overwritten the global sequence number in the properties.
// The checksum is then that of the block with zeros there.
bool BlockWalk::AgreesAt(uint64_t written, const Slice& block, uint8_t type,
                         uint32_t stored) const {
  if (BlockChecksum(rule_->type, rule_->base, written, block, type) == stored) {
    return true;
  }
  constexpr size_t kMostProperties = size_t{1} << 20;
  if (type != 0 || block.size() > kMostProperties) return false;
  const std::string_view bytes(block.data(), block.size());
  if (bytes.find("rocksdb.") == std::string_view::npos) return false;
  const size_t position = FindGlobalSeqno(block);
  if (position == 0) return false;
  std::string zeroed = block.ToString();
  StoreFixed64(zeroed.data() + position, 0);
  return BlockChecksum(rule_->type, rule_->base, written, zeroed, type) ==
         stored;
}

// Returns where the block begins that follows a run of zeros, or the end of the
// zeros if nothing else follows. A block of entries begins with a zero itself,
// an empty one with four.
std::optional<uint64_t> BlockWalk::AfterPadding(uint64_t offset, uint64_t end) {
  constexpr uint64_t kPiece = uint64_t{1} << 12;
  uint64_t at = offset;
  while (at < end) {
    const Slice piece = bytes_.Get(at, std::min(kPiece, end - at));
    const char* const p =
        std::find_if(piece.data(), piece.end(), [](char c) { return c != 0; });
    at += static_cast<uint64_t>(p - piece.data());
    if (p != piece.end()) break;
    if (!MovedTo(at)) return std::nullopt;
  }
  if (at >= end) return at > offset ? std::optional(end) : std::nullopt;
  FoundBlock found;
  for (const uint64_t back : {1, 0, 4}) {
    if (at < offset + back || at - back == offset) continue;
    if (FormAt(at - back, Place::kExpected, &found)) return at - back;
  }
  return std::nullopt;
}

bool BlockWalk::OpaqueAt(uint64_t offset, uint64_t limit, int64_t* steps,
                         FoundBlock* found) {
  if (!rule_.has_value() || *steps <= 0) return false;
  TrailerSearch search(*rule_, OpaqueTypes(options_.custom_types));
  const uint64_t written = offset + static_cast<uint64_t>(move_);
  const auto size = search.Find(offset, written, limit, &bytes_, steps);
  if (!size.has_value()) return false;
  const Slice type = bytes_.Peek(offset + *size, 1);
  *found = {{offset, *size}, static_cast<uint8_t>(type[0]), false, move_};
  return true;
}

// Returns where the next block of a known form begins, at `from` or after it.
std::optional<uint64_t> BlockWalk::Resynchronise(uint64_t from, uint64_t end,
                                                 FoundBlock* found) {
  for (uint64_t at = from; at < end; ++at) {
    if (!MovedTo(at)) return std::nullopt;
    if (steps_ <= 0) continue;
    steps_ -= 4;
    const Slice head = bytes_.Peek(at, 2);
    if (head.size() < 2) break;
    // The first key is not empty.
    if (head[0] == 0 && head[1] == 0) continue;
    if (ScanAt(at, Place::kAnywhere, found)) return at;
    if (IsLearnt()) break;
  }
  return std::nullopt;
}

// Returns where between two places the next block without form may begin, at
// `from` or after it: at the mark of a dictionary of ZSTD, or where the five
// bytes before it can be the trailer of an index, after the last byte of the
// number of its restart points. Other dictionaries have no mark; they are small
// and come after the index, so the second is for short pieces of compressed
// files.
uint64_t BlockWalk::NextOpaque(uint64_t from, uint64_t begin, uint64_t end,
                               bool may_search) {
  constexpr uint32_t kDictionaryMark = 0xEC30A437;
  constexpr uint64_t kShortPiece = uint64_t{1} << 20;
  const bool by_trailer = may_search &&
                          last_type_ != CompressionType::kNoCompression &&
                          end - begin <= kShortPiece;
  for (uint64_t at = from; at < end; ++at) {
    const Slice piece = bytes_.Peek(at, sizeof(kDictionaryMark));
    if (piece.size() < sizeof(kDictionaryMark)) break;
    if (LoadFixed32(piece.data()) == kDictionaryMark) return at;
    if (!by_trailer || at < begin + kBlockTrailerSize + 1) continue;
    const Slice before =
        bytes_.Peek(at - kBlockTrailerSize - 1, kBlockTrailerSize + 1);
    if (LoadFixed32(before.data() + 2) == 0) continue;  // no checksum
    const bool plain = before[0] == 0 && before[1] == 0;
    if (plain || IsTypeByteOf(last_type_, static_cast<uint8_t>(before[1]))) {
      return at;
    }
  }
  return end;
}

// Keeps the blocks without form between two places. They follow each other from
// the first place on, or are where NextOpaque says. The first place has steps
// of its own: it is looked at once for each byte. The others may use up a part
// of the steps that are left, since most bytes between blocks are no block.
void BlockWalk::OpaqueBetween(uint64_t begin, uint64_t end) {
  FoundBlock found;
  uint64_t lost_from = begin;
  uint64_t at = begin;
  constexpr int64_t kMostPerByte = 64;
  int64_t first_steps = static_cast<int64_t>(end - begin) * kMostPerByte;
  int64_t later_steps = std::max(steps_, int64_t{0}) / 8;
  steps_ -= later_steps;
  while (at < end && rule_.has_value()) {
    int64_t* const steps = at == lost_from ? &first_steps : &later_steps;
    if (OpaqueAt(at, end, steps, &found)) {
      Lose(lost_from, at);
      Keep(found);
      at = lost_from = found.handle.End();
      continue;
    }
    at = NextOpaque(at + 1, begin, end, later_steps > 0);
  }
  steps_ += later_steps;
  Lose(lost_from, end);
}

void BlockWalk::Keep(const FoundBlock& found) {
  blocks_.push_back(found);
  move_ = found.move;
}

// Padding, which is zeros, is not lost.
void BlockWalk::Lose(uint64_t begin, uint64_t end) {
  constexpr uint64_t kPiece = uint64_t{1} << 16;
  for (uint64_t at = begin; at < end; at += kPiece) {
    if (AllZero(bytes_.Get(at, std::min(kPiece, end - at)))) continue;
    if (!lost_.empty() && lost_.back().end == begin) {
      lost_.back().end = end;
    } else {
      lost_.push_back({begin, end});
    }
    return;
  }
}

}  // namespace ashlar::internal
