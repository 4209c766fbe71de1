#include "table/inspect/restored_file.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace ashlar::internal {

namespace {

struct PlacedBlock {
  FoundBlock block;
  // How many bytes before it, in the file, belong to no other block.
  uint64_t before = 0;
  bool in_doubt = false;
};

bool StartsBefore(const FoundBlock& a, const FoundBlock& b) {
  return a.handle.offset < b.handle.offset;
}

bool Follows(const FoundBlock& before, const FoundBlock& block) {
  return before.handle.End() <= block.handle.offset &&
         before.written_end() <= block.written_offset();
}

// Whether a block that nothing proved may be between these two, and what the
// three say then.
enum class Judgement : uint8_t { kNo, kInDoubt, kProven };

Judgement Judge(const FoundBlock* before, const FoundBlock& block,
                const FoundBlock& after) {
  if ((before != nullptr && !Follows(*before, block)) ||
      !Follows(block, after)) {
    return Judgement::kNo;
  }
  const uint64_t begin = before == nullptr ? 0 : before->written_end();
  const bool proven = block.written_offset() == begin ||
                      block.written_end() == after.written_offset() ||
                      block.move == after.move ||
                      (before != nullptr && block.move == before->move);
  return proven ? Judgement::kProven : Judgement::kInDoubt;
}

// Returns all blocks that can be placed, in file order.
std::vector<PlacedBlock> PlaceBlocks(const std::vector<FoundBlock>& blocks,
                                     std::vector<FoundBlock> alone) {
  std::stable_sort(alone.begin(), alone.end(), StartsBefore);
  std::vector<PlacedBlock> placed;
  placed.reserve(blocks.size());
  auto next_alone = alone.begin();
  for (const FoundBlock& block : blocks) {
    // What is in doubt counts as a neighbour too: of two that exclude each
    // other, the first one stays.
    for (; next_alone != alone.end() && StartsBefore(*next_alone, block);
         ++next_alone) {
      const FoundBlock* const before =
          placed.empty() ? nullptr : &placed.back().block;
      const Judgement judgement = Judge(before, *next_alone, block);
      if (judgement == Judgement::kNo) continue;
      placed.push_back({*next_alone, 0, judgement == Judgement::kInDoubt});
    }
    const uint64_t end = placed.empty() ? 0 : placed.back().block.handle.End();
    placed.push_back({block, block.handle.offset - end, false});
  }
  return placed;
}

// Drops moved blocks where another one was not moved: those are copies. What
// was not walked over is one block here, of many in the file, so a copy of one
// of them would hide all.
void DropCopies(std::vector<PlacedBlock>* placed) {
  std::vector<BlockHandle> in_place;  // in file order
  for (const PlacedBlock& place : *placed) {
    if (place.block.move == 0) in_place.push_back(place.block.handle);
  }
  const auto is_copy = [&](const PlacedBlock& place) {
    const FoundBlock& block = place.block;
    if (block.move == 0) return false;
    const auto next = std::upper_bound(
        in_place.begin(), in_place.end(), block.written_offset(),
        [](uint64_t offset, const BlockHandle& handle) {
          return offset < handle.End();
        });
    return next != in_place.end() && next->offset < block.written_end();
  };
  placed->erase(std::remove_if(placed->begin(), placed->end(), is_copy),
                placed->end());
}

}  // namespace

RestoredFile::RestoredFile(const RandomAccessFile* file,
                           const ChecksumRule& rule,
                           const std::vector<FoundBlock>& blocks,
                           const std::vector<FoundBlock>& alone)
    : file_(*file), rule_(rule) {
  std::vector<PlacedBlock> placed = PlaceBlocks(blocks, alone);
  if (placed.empty()) return;
  const FoundBlock last = placed.back().block;
  DropCopies(&placed);
  std::stable_sort(placed.begin(), placed.end(),
                   [](const PlacedBlock& a, const PlacedBlock& b) {
                     return a.block.written_offset() < b.block.written_offset();
                   });
  for (const PlacedBlock& place : placed) {
    const FoundBlock& block = place.block;
    const uint64_t end = pieces_.empty() ? 0 : pieces_.back().end();
    if (block.written_offset() < end) continue;
    const uint64_t before =
        std::min(place.before, block.written_offset() - end);
    AddPiece({block.written_offset() - before, block.handle.offset - before,
              before + block.handle.End() - block.handle.offset,
              place.in_doubt});
  }
  // The footer has no block after it.
  if (pieces_.back().end() == last.written_end()) {
    AddPiece({last.written_end(), last.handle.End(),
              file_.Size() - last.handle.End(), false});
  }
  size_ = pieces_.back().end();
}

void RestoredFile::AddPiece(const Piece& piece) {
  if (!pieces_.empty()) {
    Piece& last = pieces_.back();
    if (last.end() == piece.written && last.in_doubt == piece.in_doubt &&
        last.offset + last.size == piece.offset) {
      last.size += piece.size;
      return;
    }
  }
  pieces_.push_back(piece);
}

std::vector<RestoredFile::Piece>::const_iterator RestoredFile::PieceAt(
    uint64_t offset) const {
  return std::upper_bound(
      pieces_.begin(), pieces_.end(), offset,
      [](uint64_t at, const Piece& piece) { return at < piece.end(); });
}

Status RestoredFile::Read(uint64_t offset, size_t n, char* scratch,
                          Slice* data) const {
  *data = Slice();
  if (offset >= size_) return {};
  n = static_cast<size_t>(std::min<uint64_t>(n, size_ - offset));
  auto piece = PieceAt(offset);
  if (piece->written <= offset && n <= piece->end() - offset) {
    return file_.Read(piece->offset + (offset - piece->written), n, scratch,
                      data);
  }
  size_t done = 0;
  while (done < n) {
    const uint64_t at = offset + done;
    char* const to = scratch + done;
    if (at < piece->written) {
      const auto zeros = static_cast<size_t>(
          std::min<uint64_t>(n - done, piece->written - at));
      std::memset(to, 0, zeros);
      done += zeros;
      continue;
    }
    const auto wanted =
        static_cast<size_t>(std::min<uint64_t>(n - done, piece->end() - at));
    Slice read;
    Status status =
        file_.Read(piece->offset + (at - piece->written), wanted, to, &read);
    if (!status.ok()) return status;
    if (read.data() != to) std::memcpy(to, read.data(), read.size());
    done += read.size();
    if (read.size() != wanted) break;  // the file has become shorter
    ++piece;
  }
  *data = Slice(scratch, done);
  return {};
}

std::vector<ByteRange> RestoredFile::ProvenParts(const ByteRange& part) const {
  std::vector<ByteRange> parts;
  for (auto piece = PieceAt(part.begin);
       piece != pieces_.end() && piece->written < part.end; ++piece) {
    if (piece->in_doubt) continue;
    const ByteRange range{std::max(part.begin, piece->written),
                          std::min(part.end, piece->end())};
    if (!parts.empty() && parts.back().end == range.begin) {
      parts.back().end = range.end;
    } else {
      parts.push_back(range);
    }
  }
  return parts;
}

bool RestoredFile::HasMovedPieces() const {
  return std::any_of(pieces_.begin(), pieces_.end(),
                     [](const Piece& piece) { return piece.was_moved(); });
}

std::string RestoredFile::Description() const {
  constexpr size_t kMostNamed = 4;
  std::string text =
      "bytes were inserted or cut out, so blocks are not where they were "
      "written: ";
  size_t moved = 0;
  for (const Piece& piece : pieces_) {
    if (!piece.was_moved()) continue;
    if (++moved > kMostNamed) continue;
    if (moved > 1) text += ", ";
    text += "bytes " + std::to_string(piece.offset) + " to " +
            std::to_string(piece.offset + piece.size) + " of the file from " +
            std::to_string(piece.written) + " on";
  }
  if (moved > kMostNamed) {
    text += ", and " + std::to_string(moved - kMostNamed) + " more pieces";
  }
  return text + "; all offsets are those at which blocks were written";
}

}  // namespace ashlar::internal
