#include "table/database/log_records.h"

#include <algorithm>
#include <utility>

#include "util/coding/coding.h"
#include "util/hash/crc32c.h"

namespace ashlar::internal {
namespace {

constexpr size_t kPieceHeaderBytes = 7;
constexpr size_t kPieceTypeAt = 6;

enum PieceType : uint8_t {
  kNothing = 0,
  kWhole = 1,
  kFirst = 2,
  kMiddle = 3,
  kLast = 4,
};
// Types up to this are pieces of a log whose file is used again, and notes in
// logs of writes. Neither is in a MANIFEST.
constexpr uint8_t kLastOfOtherLogs = 11;
// A later release may add types from here on, for which older ones have no use.
constexpr uint8_t kFirstIgnorable = 128;
constexpr uint8_t kPredecessorNotes[] = {130, 131};

std::string AtOffset(uint64_t offset) {
  return "record at offset " + std::to_string(offset) + ": ";
}

bool IsAllZeros(const Slice& bytes) {
  return std::all_of(bytes.begin(), bytes.end(),
                     [](char byte) { return byte == 0; });
}

}  // namespace

bool LogRecords::Next() {
  Piece piece;
  while (NextPiece(&piece)) {
    if (AddPiece(piece)) return true;
    if (!status_.ok()) return false;
  }
  if (status_.ok() && is_open_) ends_in_pieces_ = true;
  return false;
}

bool LogRecords::NextPiece(Piece* piece) {
  for (;;) {
    if (rest_.size() < kPieceHeaderBytes) {
      if (block_is_short_ || offset_ + rest_.size() >= size_) {
        ends_in_pieces_ = ends_in_pieces_ || !IsAllZeros(rest_);
        return false;
      }
      if (!ReadBlock(offset_ + rest_.size())) return false;
      continue;
    }
    const size_t payload_bytes = LoadFixed16(rest_.data() + sizeof(uint32_t));
    *piece = {static_cast<uint8_t>(rest_.data()[kPieceTypeAt]), Slice(),
              offset_};
    const size_t bytes = kPieceHeaderBytes + payload_bytes;
    if (bytes > rest_.size()) {
      if (!block_is_short_) {
        return Fail(Status::Corruption(
            AtOffset(offset_) + "its size of " + std::to_string(payload_bytes) +
            " bytes reaches over the end of a block of 32 KiB"));
      }
      ends_in_pieces_ = true;
      return false;
    }
    if (piece->type == kNothing && payload_bytes == 0) {
      if (is_open_) {
        return Fail(Status::Corruption(AtOffset(offset_) +
                                       "zeros within a record in pieces"));
      }
      offset_ += rest_.size();
      rest_ = Slice();
      continue;
    }
    const Slice whole(rest_.data(), bytes);
    piece->payload = Slice(whole.data() + kPieceHeaderBytes, payload_bytes);
    rest_ = Slice(rest_.data() + bytes, rest_.size() - bytes);
    offset_ += bytes;
    return CheckPiece(whole, *piece);
  }
}

bool LogRecords::ReadBlock(uint64_t offset) {
  const size_t bytes =
      static_cast<size_t>(std::min<uint64_t>(kBlockBytes, size_ - offset));
  Status status = file_.Read(offset, bytes, block_.data(), &rest_);
  if (!status.ok()) return Fail(std::move(status));
  if (rest_.size() < bytes) {
    return Fail(Status::Corruption("the file became shorter: it ends at " +
                                   std::to_string(offset + rest_.size()) +
                                   " instead of " + std::to_string(size_)));
  }
  offset_ = offset;
  block_is_short_ = bytes < kBlockBytes;
  return true;
}

bool LogRecords::CheckPiece(const Slice& bytes, const Piece& piece) {
  const uint32_t crc = MaskCrc32c(
      Crc32c(bytes.data() + kPieceTypeAt, bytes.size() - kPieceTypeAt));
  const bool is_known = piece.type >= kWhole && piece.type <= kLast;
  if (!is_known && piece.type <= kLastOfOtherLogs) {
    return Fail(Status::Corruption(AtOffset(piece.offset) + "type " +
                                   std::to_string(piece.type) +
                                   " is not one of a MANIFEST"));
  }
  if (crc == LoadFixed32(bytes.data())) return true;
  return Fail(Status::Corruption(AtOffset(piece.offset) + "checksum mismatch"));
}

bool LogRecords::AddPiece(const Piece& piece) {
  switch (piece.type) {
    case kWhole:
    case kFirst:
      // An old release wrote an empty first piece before it began again.
      if (is_open_ && !pieces_.empty()) {
        return Fail(Status::Corruption(AtOffset(piece.offset) +
                                       "begins within the record at offset " +
                                       std::to_string(begin_)));
      }
      begin_ = piece.offset;
      end_ = offset_;
      is_open_ = piece.type == kFirst;
      if (is_open_) {
        pieces_.assign(piece.payload.data(), piece.payload.size());
      } else {
        record_ = piece.payload;
      }
      return !is_open_;
    case kMiddle:
    case kLast:
      if (!is_open_) {
        return Fail(Status::Corruption(AtOffset(piece.offset) +
                                       "a later piece of a record that did "
                                       "not begin"));
      }
      pieces_.append(piece.payload.data(), piece.payload.size());
      is_open_ = piece.type == kMiddle;
      if (!is_open_) {
        record_ = pieces_;
        end_ = offset_;
      }
      return !is_open_;
    default:
      break;
  }
  if (piece.type < kFirstIgnorable ||
      std::find(std::begin(kPredecessorNotes), std::end(kPredecessorNotes),
                piece.type) != std::end(kPredecessorNotes)) {
    return Fail(Status::Corruption(AtOffset(piece.offset) + "type " +
                                   std::to_string(piece.type) +
                                   " is not one of a MANIFEST"));
  }
  is_open_ = false;
  pieces_.clear();
  return false;
}

bool LogRecords::Fail(Status status) {
  status_ = std::move(status);
  return false;
}

}  // namespace ashlar::internal
