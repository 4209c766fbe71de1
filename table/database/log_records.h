// LogRecords: the records of a file in RocksDB's log format, one after another.
//
// A MANIFEST is such a file. It consists of blocks of 32 KiB. A record lies in
// one block, or is cut into pieces, each in one block:
//
//   piece = fixed32 masked CRC-32C of type and payload || fixed16 size of the
//           payload || 1 byte type || payload
//
// Fewer than 7 bytes at the end of a block are filling. A piece that reaches
// over the end of the file was not written whole: the file ends before it. Used
// by one thread at a time.
#ifndef ASHLAR_TABLE_DATABASE_LOG_RECORDS_H_
#define ASHLAR_TABLE_DATABASE_LOG_RECORDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/util/file.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar::internal {

class LogRecords {
 public:
  static constexpr size_t kBlockBytes = 32768;

  // The file must outlive this object. Bytes that are added to it later are not
  // looked at.
  explicit LogRecords(const RandomAccessFile& file)
      : file_(file), size_(file.Size()), block_(kBlockBytes) {}

  // Moves to the next record. Returns whether there is one; if not, status()
  // says why: OK at the end of the file.
  bool Next();
  // Corruption and NotSupported, with the offset but without the file's name.
  const Status& status() const { return status_; }
  // The record, until the next call of Next. May be empty.
  Slice record() const { return record_; }
  // The offset of its first piece.
  uint64_t begin() const { return begin_; }
  // The offset behind its last piece.
  uint64_t end() const { return end_; }
  // Whether bytes that are not zero follow the last record. Only after Next has
  // returned false, with status() OK.
  bool ends_in_pieces() const { return ends_in_pieces_; }

 private:
  struct Piece {
    uint8_t type;
    Slice payload;
    uint64_t offset;
  };
  // Takes the next piece. Returns false at the end of the file or on an error.
  bool NextPiece(Piece* piece);
  bool ReadBlock(uint64_t offset);
  bool CheckPiece(const Slice& bytes, const Piece& piece);
  // Adds the piece to the record. Returns whether it is whole now.
  bool AddPiece(const Piece& piece);
  bool Fail(Status status);

  const RandomAccessFile& file_;
  const uint64_t size_;  // bytes
  std::vector<char> block_;
  Slice rest_;                   // of the block, not looked at yet
  uint64_t offset_ = 0;          // of `rest_`
  bool block_is_short_ = false;  // the file ends in it
  bool is_open_ = false;         // pieces of a record have begun
  std::string pieces_;
  Slice record_;
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
  bool ends_in_pieces_ = false;
  Status status_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_DATABASE_LOG_RECORDS_H_
