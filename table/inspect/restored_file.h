// RestoredFile: a file into which bytes were inserted, or from which bytes were
// cut out, as it was written.
//
//   the file      | A | inserted | B | C |   | D |
//   restored      | A | B | C |  zeros   | D |
//
// Its blocks are at the offsets at which they were written, so the handles that
// index, metaindex and blob references have lead to them. What was cut out is
// zeros. All offsets that an inspection reports are those of the restored file.
//
// Where the pieces belong, the blocks tell that a walk found (moved_blocks.h).
// The bytes between two blocks go with the second one. Of two blocks that were
// written in the same place, that one counts which is still there, and else the
// first one of the file.
//
// A block that nothing proves may be damaged, and then says any place. It is
// put there if no other block is, and if the blocks around it in the file are
// around it there too. If it begins or ends exactly where one of those ends or
// begins, that proves it. Otherwise it is a piece in doubt: it counts if the
// index names it, whose handle then expects that very number, and is not found
// by a walk (ProvenParts).
//
// Thread-safe, as the file is.
#ifndef ASHLAR_TABLE_INSPECT_RESTORED_FILE_H_
#define ASHLAR_TABLE_INSPECT_RESTORED_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/util/file.h"
#include "table/walk/block_walk.h"

namespace ashlar::internal {

class RestoredFile final : public RandomAccessFile {
 public:
  // A piece of the file.
  struct Piece {
    uint64_t written = 0;  // its offset here
    uint64_t offset = 0;   // in the file
    uint64_t size = 0;
    bool in_doubt = false;

    uint64_t end() const { return written + size; }
    bool was_moved() const { return !in_doubt && offset != written; }
  };

  // rule: how blocks are signed. blocks: what a walk found by it, in file
  // order. alone: what nothing proved. Requires: `file` outlives this.
  RestoredFile(const RandomAccessFile* file, const ChecksumRule& rule,
               const std::vector<FoundBlock>& blocks,
               const std::vector<FoundBlock>& alone);

  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override;
  uint64_t Size() const override { return size_; }
  std::string name() const override { return file_.name(); }

  // Returns the size of the file, which may be far below what it says it had.
  uint64_t stored_size() const { return file_.Size(); }
  // So that nobody has to find it out again, which takes a walk over all bytes:
  // those that were cut out too, of which there can be far more than others.
  const ChecksumRule& rule() const { return rule_; }
  // Returns this part without what was cut out, and without pieces in doubt.
  std::vector<ByteRange> ProvenParts(const ByteRange& part) const;
  // Returns whether any piece that is not in doubt was moved. None was if the
  // moved blocks are all copies of others that are in their places.
  bool HasMovedPieces() const;
  // Says what was inserted and cut out, for a message.
  std::string Description() const;

 private:
  void AddPiece(const Piece& piece);
  // Returns the first piece that ends after `offset`.
  std::vector<Piece>::const_iterator PieceAt(uint64_t offset) const;

  const RandomAccessFile& file_;
  const ChecksumRule rule_;
  std::vector<Piece> pieces_;
  uint64_t size_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_RESTORED_FILE_H_
