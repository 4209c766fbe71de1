// BlockWalk: finds the blocks of a table without its index.
//
// For inspections of files whose footer, metaindex or index is lost. What it
// finds are blocks whose checksums are right; what they hold is for the caller
// to find out.
//
// Design. Nothing in a file says where a block begins or ends, except handles,
// which are lost. So:
//
//   where it begins   Blocks follow each other. After a block of n bytes comes
//                     its trailer, perhaps a run of zeros (padding), and the
//                     next block.
//   where it ends     The form of the block tells in a few steps per entry:
//                     plain_ends.h and payload_end.h. The first byte tells
//                     which: an uncompressed block of entries begins with a
//                     zero, a compressed one with its size, which is not zero.
//                     Other blocks (filters, dictionaries, some indexes) have
//                     no form, so every end is tried in one pass:
//                     trailer_search.h.
//   what proves it    The checksum, which covers the whole block.
//
// After damage, the walk looks for a block of a known form at each offset. Most
// offsets are refused after a few bytes. Before that it tries where the damaged
// block seems to end, since damage often leaves the form alone.
//
//   Run(begin, end)       one pass from block to block
//     ScanAt              a block of known form right here?
//     AfterPadding        one after a run of zeros?
//     FollowsSeemingEnd   one after the damaged block that is here?
//     OpaqueAt            a short block without form?
//     Resynchronise       the next block of known form, wherever it is;
//     OpaqueBetween       and blocks without form up to there
//
// Where bytes were inserted or cut out, the blocks that follow have context
// checksums of other offsets (moved_blocks.h). Such a block is found if the
// next one agrees, so ScanAt looks at both.
//
// Learn does the same without checksums first, if the footer does not say how
// blocks are signed: blocks vote (checksum_rule.h).
//
// Time. Every look costs steps. The walk earns some for each byte it moves on,
// and starts with some; without any left it looks at nothing. So hostile bytes
// that look like blocks everywhere cost a bounded time per byte, and may hide
// the blocks among them. Memory: the largest piece that is looked at, which no
// block size that is merely claimed makes larger than the file, and 32 bytes
// per block found.
//
// A value that holds a table of its own, without context checksums, has blocks
// that are as good as those of the file. The walk takes them for such if the
// block around them is damaged. One thread at a time.
#ifndef ASHLAR_TABLE_WALK_BLOCK_WALK_H_
#define ASHLAR_TABLE_WALK_BLOCK_WALK_H_

#include <bitset>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ashlar/util/file.h"
#include "table/format/block_handle.h"
#include "table/walk/checksum_rule.h"
#include "table/walk/moved_blocks.h"
#include "table/walk/walk_bytes.h"
#include "util/compress/payload_end.h"

namespace ashlar::internal {

struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;

  uint64_t size() const { return end - begin; }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

struct WalkOptions {
  // The largest block, compressed or not, in bytes.
  uint64_t most_block_bytes = 0;
  // Whether blocks may be compressed by a codec of the application.
  bool custom_types = false;
  // Whether blocks are found too that context checksums say were written
  // elsewhere, since bytes before them were inserted or cut out.
  bool finds_moved = false;
  // Reports progress. Returns false to give up. May be empty.
  std::function<bool(uint64_t done)> on_progress;
};

// What Learn found out.
struct Learned {
  ChecksumRule rule;
  // Whether two blocks or more agree. If not, the checksums of the blocks that
  // are found prove nothing.
  bool proven = false;
};

class BlockWalk {
 public:
  // Requires: the file outlives this.
  BlockWalk(const RandomAccessFile* file, WalkOptions options);

  // Finds out how blocks are signed. `hint`: what a damaged footer says of it.
  // Returns nothing if no block is found.
  std::optional<Learned> Learn(const std::optional<ChecksumRule>& hint);

  // Sets how blocks are signed. compress_format: as FormatTraits; 0: unknown.
  void Use(const ChecksumRule& rule, int compress_format);

  // Walks over this part of the file. Returns false if it was given up.
  bool Run(const ByteRange& part);

  // Whether on_progress ended the walk.
  bool given_up() const { return given_up_; }

  // The blocks that were found, in file order if the parts were in order.
  const std::vector<FoundBlock>& blocks() const { return blocks_; }
  // Blocks that may be whole and moved: nothing proves them. In file order, or
  // nearly so. Of damaged blocks too, which say any place.
  const std::vector<FoundBlock>& alone() const { return moved_.alone(); }
  // The bytes between them, except for padding: at least one is not zero.
  const std::vector<ByteRange>& lost() const { return lost_; }
  // 1 or 2; 0 if no compressed block told.
  int compress_format() const { return compress_format_; }

 private:
  enum class Place : uint8_t { kExpected, kAnywhere };

  std::optional<Learned> FromVotes();
  void Forget();
  std::optional<ChecksumRule> ProvenByFirstBlock(
      const std::vector<ChecksumRule>& guesses);
  bool Pass(const ByteRange& part);
  bool FollowsSeemingEnd(uint64_t seeming_end, uint64_t at, uint64_t end);
  uint64_t NextOpaque(uint64_t from, uint64_t begin, uint64_t end,
                      bool may_search);
  bool ScanAt(uint64_t offset, Place place, FoundBlock* found);
  bool MovedAt(uint64_t offset, Place place, FoundBlock* found);
  bool FormAt(uint64_t offset, Place place, FoundBlock* found);
  bool CompressedAt(uint64_t offset, Place place, FoundBlock* found);
  bool MayDecode(uint64_t offset, CompressionType type, int64_t steps_for_all);
  bool TypeAt(uint64_t offset, CompressionType type, const Slice& view,
              Place place, bool* wants_more, FoundBlock* found);
  bool IsSigned(uint64_t offset, uint64_t size, CompressionType type,
                FoundBlock* found);
  bool Agrees(const Slice& block, uint32_t stored, FoundBlock* found);
  bool AgreesAt(uint64_t written, const Slice& block, uint8_t type,
                uint32_t stored) const;
  bool IsLearnt() const;
  std::optional<uint64_t> AfterPadding(uint64_t offset, uint64_t end);
  bool OpaqueAt(uint64_t offset, uint64_t limit, int64_t* steps,
                FoundBlock* found);
  std::optional<uint64_t> Resynchronise(uint64_t from, uint64_t end,
                                        FoundBlock* found);
  void OpaqueBetween(uint64_t begin, uint64_t end);
  void Keep(const FoundBlock& found);
  void Lose(uint64_t begin, uint64_t end);
  bool MovedTo(uint64_t offset);

  WalkBytes bytes_;
  const WalkOptions options_;
  uint64_t opaque_reach_;
  PayloadEnds payload_ends_;
  std::optional<ChecksumRule> rule_;  // absent while it is learnt
  RuleVotes votes_;
  std::optional<ChecksumRule> voted_;
  MovedBlocks moved_;
  int64_t move_ = 0;  // of the block that was kept last
  int compress_format_ = 0;
  // The compressed blocks met so far.
  CompressionType last_type_ = CompressionType::kNoCompression;
  std::bitset<256> types_seen_;
  bool dictionary_seen_ = false;
  uint64_t largest_raw_ = 0;
  // Where the last block looked at seems to end; 0: unknown.
  uint64_t seeming_end_ = 0;
  int64_t steps_;
  uint64_t earned_to_ = 0;
  uint64_t reported_at_ = 0;
  bool given_up_ = false;
  std::vector<FoundBlock> blocks_;
  std::vector<ByteRange> lost_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WALK_BLOCK_WALK_H_
