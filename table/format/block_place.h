// BlockPlace: which block of a file a message is about.
//
// Code that reads or checks blocks makes its errors with this, so that all of
// them name kind, number, offset and size in the same words. A plain value:
// thread-safe to read.
#ifndef ASHLAR_TABLE_FORMAT_BLOCK_PLACE_H_
#define ASHLAR_TABLE_FORMAT_BLOCK_PLACE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ashlar/table/block_kind.h"
#include "ashlar/util/status.h"
#include "table/format/block_handle.h"

namespace ashlar::internal {

struct BlockPlace {
  BlockKind kind = BlockKind::kOther;
  BlockHandle handle;
  // The number of the block among those of its kind, if it is known.
  std::optional<uint64_t> index = std::nullopt;

  // Returns text such as "data block #63 offset 198910 size 3112".
  std::string Describe() const;
  // Return errors with the message
  //
  //   <what> in data block #63 offset 198910 size 3112: <detail>
  //
  // A caller that knows the file's name puts it in front.
  Status Corruption(std::string_view what, std::string_view detail,
                    Status::SubCode subcode = Status::SubCode::kNone) const;
  Status NotSupported(std::string_view what, std::string_view detail) const;
  // Returns MemoryLimit: there is no memory for the block, or for what is made
  // of it.
  Status NoMemory() const;
  // Returns the error of a lower floor with the same text in front; ok stays
  // ok.
  Status Wrap(std::string_view what, const Status& cause) const;

 private:
  std::string Locate(std::string_view what, std::string_view detail) const;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FORMAT_BLOCK_PLACE_H_
