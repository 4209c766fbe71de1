#include "test/fuzz/sign_table.h"

#include "ashlar/table/inspect.h"
#include "table/format/block_trailer.h"
#include "table/format/footer.h"
#include "test/fuzz/fuzz_input.h"

namespace ashlar::fuzz {

namespace {

using internal::BlockHandle;
using internal::Footer;

constexpr size_t kChecksumAt = 5;
constexpr size_t kBaseAt = 9;
constexpr size_t kVersionAt = 41;
constexpr uint32_t kFirstWithContext = 6;

void SignBlock(const Footer& footer, const BlockHandle& handle,
               std::string* table) {
  if (!handle.FitsBelow(footer.offset)) return;
  char* const payload = table->data() + handle.offset;
  char* const trailer = payload + handle.size;
  internal::EncodeTrailer(footer.checksum, footer.base_context_checksum,
                          handle.offset,
                          Slice(payload, static_cast<size_t>(handle.size)),
                          static_cast<uint8_t>(*trailer), trailer);
}

}  // namespace

void SignFooter(uint64_t offset, char* footer) {
  const auto type = static_cast<uint8_t>(footer[0]);
  if (type > static_cast<uint8_t>(ChecksumType::kXXH3) ||
      internal::LoadFixed32(footer + kVersionAt) < kFirstWithContext) {
    return;
  }
  internal::StoreFixed32(footer + kChecksumAt, 0);
  const uint32_t base = internal::LoadFixed32(footer + kBaseAt);
  internal::StoreFixed32(footer + kChecksumAt,
                         internal::Checksum(static_cast<ChecksumType>(type),
                                            footer, internal::kFooterSize) +
                             internal::ContextModifier(base, offset));
}

void SignTable(std::string* table) {
  if (table->size() < internal::kFooterSize) return;
  const size_t offset = table->size() - internal::kFooterSize;
  SignFooter(offset, table->data() + offset);
  Footer footer;
  if (!internal::DecodeFooter(Slice(*table), table->size(), &footer).ok()) {
    return;
  }
  // Each round corrects blocks that the previous round made readable:
  // metaindex; properties and index; partitions; data.
  constexpr int kRounds = 4;
  InspectOptions options;
  options.data_blocks = InspectOptions::DataBlocks::kList;
  options.max_uncompressed_block_bytes = kMaxBlockBytes;
  for (int round = 0; round < kRounds; ++round) {
    const std::string before = *table;
    TableInspection found;
    const auto file = NewMemoryFile("unsigned.sst", before);
    if (!InspectTable(*file, options, &found).ok()) return;
    for (const BlockInfo& block : found.blocks) {
      if (block.kind == BlockKind::kFooter) continue;
      SignBlock(footer, {block.offset, block.size}, table);
    }
    if (*table == before) return;
  }
}

}  // namespace ashlar::fuzz
