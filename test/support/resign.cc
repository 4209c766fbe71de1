#include "test/support/resign.h"

#include <stdexcept>

#include "table/format/block_trailer.h"
#include "table/format/footer.h"
#include "test/support/tables.h"
#include "util/hash/checksum.h"

namespace ashlar::testing {

namespace {

using namespace internal;

constexpr size_t kChecksumAt = 5;
constexpr size_t kBaseAt = 9;
constexpr size_t kVersionAt = 41;

struct FooterView {
  char* bytes;
  uint64_t offset;

  uint32_t version() const { return LoadFixed32(bytes + kVersionAt); }
  // Returns kNoChecksum if the byte is no longer a checksum type.
  ChecksumType checksum() const {
    const auto type = static_cast<uint8_t>(bytes[0]);
    return type <= 4 ? static_cast<ChecksumType>(type) : ChecksumType{};
  }
  bool has_context() const { return version() >= 6; }
  uint32_t base() const {
    return has_context() ? LoadFixed32(bytes + kBaseAt) : 0;
  }
};

FooterView FooterOf(std::string* table) {
  const uint64_t offset = table->size() - kFooterSize;
  return {table->data() + offset, offset};
}

}  // namespace

std::vector<BlockInfo> BlocksOf(const std::string& table) {
  TableInspection found;
  Require(InspectTable(*NewMemoryFile("whole.sst", table), {}, &found));
  if (!found.faults.empty()) Require(found.faults[0].status);
  return found.blocks;
}

BlockInfo FindBlock(const std::vector<BlockInfo>& blocks, BlockKind kind,
                    uint64_t index) {
  for (const BlockInfo& block : blocks) {
    if (block.kind == kind && block.index == index) return block;
  }
  throw std::runtime_error("no such block");
}

void Resign(const BlockInfo& block, std::string* table) {
  const FooterView footer = FooterOf(table);
  if (block.kind == BlockKind::kFooter) {
    if (!footer.has_context()) return;
    StoreFixed32(footer.bytes + kChecksumAt, 0);
    StoreFixed32(footer.bytes + kChecksumAt,
                 Checksum(footer.checksum(), footer.bytes, kFooterSize) +
                     ContextModifier(footer.base(), footer.offset));
    return;
  }
  char* const payload = table->data() + block.offset;
  char* const trailer = payload + block.size;
  EncodeTrailer(footer.checksum(), footer.base(), block.offset,
                Slice(payload, block.size), static_cast<uint8_t>(*trailer),
                trailer);
}

}  // namespace ashlar::testing
