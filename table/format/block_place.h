// BlockPlace: which block of a file a message is about.
#ifndef ASHLAR_TABLE_FORMAT_BLOCK_PLACE_H_
#define ASHLAR_TABLE_FORMAT_BLOCK_PLACE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ashlar/table/inspect.h"
#include "ashlar/util/status.h"
#include "table/format/block_handle.h"

namespace ashlar::internal {

struct BlockPlace {
  BlockKind kind = BlockKind::kOther;
  BlockHandle handle;
  // Among the blocks of its kind, where that is known.
  std::optional<uint64_t> index = std::nullopt;

  // "data block #63 offset 198910 size 3112".
  std::string Describe() const;
  // "<what> in data block #63 offset 198910 size 3112: <detail>". The file's
  // name is put in front by whoever knows it.
  Status Corruption(std::string_view what, std::string_view detail) const;
  Status NotSupported(std::string_view what, std::string_view detail) const;
  // MemoryLimit: there is none for the block, or for what is made of it.
  Status NoMemory() const;
  // An error of a lower floor, told the same way.
  Status Wrap(std::string_view what, const Status& cause) const;

 private:
  std::string Locate(std::string_view what, std::string_view detail) const;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FORMAT_BLOCK_PLACE_H_
