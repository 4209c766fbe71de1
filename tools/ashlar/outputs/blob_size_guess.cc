#include "tools/ashlar/outputs/blob_size_guess.h"

#include <algorithm>

#include "ashlar/table/inspect.h"
#include "ashlar/table/options.h"
#include "ashlar/util/file.h"
#include "tools/ashlar/inputs/embedded_references.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/memory_limit.h"

namespace ashlar::tool {
uint64_t SmallestBlobSize(const std::string& path) {
  constexpr uint64_t kNone = ~uint64_t{0};
  uint64_t smallest = kNone;
  const auto file = OpenRandomAccessFile(path);
  if (!IsOkOrThrow(file.status())) return smallest;
  bool after_data = false;
  InspectOptions options =
      InspectOptionsFromFlags(InspectOptions::DataBlocks::kRead);
  options.on_block = [&](const BlockInfo& block) {
    after_data |= block.kind == BlockKind::kBlob;
  };
  options.on_entry = [&](const BlockInfo& block, const Slice& key,
                         const Slice& value) {
    if (block.kind != BlockKind::kData) return;
    ForEachEmbeddedReference(key, value, [&](const BlobIndex& index) {
      smallest = std::min(smallest, index.size);
    });
  };
  options.on_progress = [&](uint64_t, uint64_t) { return !after_data; };
  TableInspection inspection;
  // Faults of the file are reported elsewhere.
  static_cast<void>(IsOkOrThrow(InspectTable(**file, options, &inspection)));
  return smallest != kNone ? smallest : EmbeddedBlobOptions().min_blob_size;
}

}  // namespace ashlar::tool
