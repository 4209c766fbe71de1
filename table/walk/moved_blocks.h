// MovedBlocks: recognises blocks that are whole, but not where they were
// written, since bytes before them were inserted or cut out.
//
// For files with context checksums (format version 6 on), by which such a block
// looks damaged. What a stored checksum adds to that of the bytes says where
// the block was written:
//
//   stored - CHK = base XOR (lo32(written) + hi32(written))
//
// So every block says how far it was moved, a damaged one too: damage gives any
// number. A move is therefore believed only if something else expects that very
// number. What expects it:
//
//   a proven move   The last few moves that two blocks proved.
//   another block   One of the last few blocks that are not proven, and that
//                   does not overlap this one, was moved as far. Blocks are
//                   looked at one after the other, so two neighbours prove each
//                   other. The move is then proven.
//
// So a damaged block is believed by chance once in 2^32 / kMostExpected looks.
// A block between two pieces that were cut out is whole, but alone: nothing
// proves it here. RestoredFile (restored_file.h) has further evidence.
//
// Plain values; thread-compatible.
#ifndef ASHLAR_TABLE_WALK_MOVED_BLOCKS_H_
#define ASHLAR_TABLE_WALK_MOVED_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "table/format/block_handle.h"

namespace ashlar::internal {

// A block of a file, and how far it is from where it was written.
struct FoundBlock {
  BlockHandle handle;
  uint8_t compression_type = 0;
  // Whether it has the form of a block of entries, or of a compressed one.
  bool has_form = false;
  // It was written at handle.offset + move.
  int64_t move = 0;

  uint64_t written_offset() const {
    return handle.offset + static_cast<uint64_t>(move);
  }
  uint64_t written_end() const {
    return handle.End() + static_cast<uint64_t>(move);
  }
};

// Returns how far a block at `offset` is from where it was written, by what its
// checksum adds (ContextModifier). Of the offsets that give this number, the
// one nearest to `offset` counts. Returns nothing if none is within 2^31 bytes.
std::optional<int64_t> MoveOf(uint32_t base, uint32_t modifier,
                              uint64_t offset);

class MovedBlocks {
 public:
  static constexpr size_t kMostProven = 4;
  static constexpr size_t kMostCompared = 8;
  static constexpr size_t kMostExpected = kMostProven + kMostCompared;
  // How many blocks that nothing proved are kept, at most.
  static constexpr size_t kMostAlone = 4096;

  // Returns whether this block was moved by a number that is expected. If not,
  // keeps it, so that later ones can prove it.
  bool Expects(const FoundBlock& block);

  // How often a block proved another one so far.
  size_t proofs() const { return proofs_; }
  // The block that was kept last, if any was.
  const std::optional<FoundBlock>& last_alone() const { return last_alone_; }
  void ForgetLastAlone() { last_alone_.reset(); }
  // The first kMostAlone blocks that were kept, in the order of the looks.
  const std::vector<FoundBlock>& alone() const { return alone_; }

 private:
  size_t proofs_ = 0;
  std::vector<int64_t> proven_;     // at most kMostProven
  std::vector<FoundBlock> recent_;  // at most kMostCompared
  std::optional<FoundBlock> last_alone_;
  std::vector<FoundBlock> alone_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WALK_MOVED_BLOCKS_H_
