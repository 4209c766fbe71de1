#include "tools/ashlar/print/raw_dump.h"

#include <algorithm>
#include <cstdio>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/checksum_type.h"
#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/properties_text.h"
#include "tools/escaped_text.h"

namespace ashlar::tool {
namespace {

constexpr std::string_view kRule = "--------------------------------------\n";
constexpr std::string_view kEntryEnd = "  ------\n";
constexpr std::string_view kSkipped = "Error reading the block - Skipped \n";
// Footers of this version and later have no handle of the index.
constexpr uint32_t kFirstWithoutIndexHandle = 6;

void AppendVarint(uint64_t number, std::string* bytes) {
  constexpr uint64_t kMore = 0x80;
  for (; number >= kMore; number >>= 7) {
    *bytes += static_cast<char>(number | kMore);
  }
  *bytes += static_cast<char>(number);
}

uint64_t TakeVarint(std::string_view* bytes) {
  uint64_t number = 0;
  for (unsigned shift = 0; !bytes->empty() && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes->front());
    bytes->remove_prefix(1);
    number |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return number;
}

std::string HandleHex(uint64_t offset, uint64_t size) {
  std::string handle;
  AppendVarint(offset, &handle);
  AppendVarint(size, &handle);
  return ToHex(handle, HexCase::kUpper);
}

std::string FooterHandle(uint64_t offset, uint64_t size) {
  return HandleHex(offset, size) + " offset: " + std::to_string(offset) +
         " size: " + std::to_string(size) + "\n";
}

// Returns the checksum of the bytes alone, without what format versions 6 and
// later add for the block's offset.
uint32_t ChecksumOfBytes(const TableInspection& inspection,
                         const BlockInfo& block) {
  const uint32_t base = inspection.base_context_checksum.value_or(0);
  if (base == 0) return block.stored_checksum;
  return block.stored_checksum -
         (base ^ (static_cast<uint32_t>(block.offset) +
                  static_cast<uint32_t>(block.offset >> 32)));
}

// Returns the title of a meta block, or an empty string for other blocks.
std::string_view MetaBlockTitle(BlockKind kind) {
  switch (kind) {
    case BlockKind::kFilter:
      return "Filter";
    case BlockKind::kProperties:
      return "Properties";
    case BlockKind::kDictionary:
      return "Compression dictionary";
    case BlockKind::kRangeDeletion:
      return "Range deletion";
    default:
      return {};
  }
}

}  // namespace

void RawDump::OnBlock(const BlockInfo& block) {
  if (block.kind != BlockKind::kData) {
    meta_blocks_.push_back(block);
    return;
  }
  PrintHead();
  if (data_blocks_ != 0) out_->Append("\n");
  smallest_ = data_blocks_ == 0 ? block.size : std::min(smallest_, block.size);
  largest_ = std::max(largest_, block.size);
  data_bytes_ += block.size;
  ++data_blocks_;
  out_->Append("Data Block # " + std::to_string(block.index + 1) + " @ " +
               HandleHex(block.offset, block.size) + "\n");
  PrintChecksum("Data", block);
  out_->Append(kRule);
  if (!block.contents_sound) out_->Append(kSkipped);
}

void RawDump::OnEntry(const BlockInfo& block, const Slice& key,
                      const Slice& value) {
  switch (block.kind) {
    case BlockKind::kData:
      PrintEntry(key, value);
      return;
    case BlockKind::kIndex:
      index_.push_back({key.ToString(), value.ToString()});
      return;
    case BlockKind::kIndexPartition:
      partitions_.push_back({key.ToString(), value.ToString()});
      return;
    case BlockKind::kRangeDeletion:
      range_deletions_.push_back({key.ToString(), value.ToString()});
      return;
    case BlockKind::kDictionary:
      dictionary_ = value.ToString();
      return;
    default:
      return;
  }
}

void RawDump::Finish() {
  PrintHead();
  if (data_blocks_ == 0) return;
  out_->Append("\n");
  PrintTitle("Data Block Summary");
  char average[32];
  std::snprintf(
      average, sizeof average, "%.6f",
      static_cast<double>(data_bytes_) / static_cast<double>(data_blocks_));
  out_->Append("  # data blocks: " + std::to_string(data_blocks_) +
               "\n  min data block size: " + std::to_string(smallest_) +
               "\n  max data block size: " + std::to_string(largest_) +
               "\n  avg data block size: " + average + "\n");
}

void RawDump::PrintHead() {
  if (head_printed_) return;
  head_printed_ = true;
  PrintFooter();
  PrintMetaBlocks();
  if (inspection_->properties) {
    PrintTitle("Table Properties");
    out_->Append(PropertyLines(*inspection_->properties, ChosenNameStyle()) +
                 "  \n");
  }
  PrintIndex();
  PrintDictionary();
  PrintRangeDeletions();
}

void RawDump::PrintFooter() {
  PrintTitle("Footer Details");
  const uint32_t version = inspection_->format_version.value_or(0);
  const BlockInfo* const metaindex = Find(BlockKind::kMetaIndex);
  const BlockInfo* const index =
      version < kFirstWithoutIndexHandle ? Find(BlockKind::kIndex) : nullptr;
  const BlockInfo none;
  const BlockInfo& top = metaindex != nullptr ? *metaindex : none;
  const BlockInfo& low = index != nullptr ? *index : none;
  out_->Append("  metaindex handle: " + FooterHandle(top.offset, top.size) +
               "  index handle: " + FooterHandle(low.offset, low.size) +
               "  table_magic_number: 9863518390377041911\n"
               "  format version: " +
               std::to_string(version) + "\n\n");
  PrintTitle("Block Checksum Type Legend");
  for (uint8_t type = 0; type <= static_cast<uint8_t>(ChecksumType::kXXH3);
       ++type) {
    out_->Append(
        "  " + std::to_string(type) + " = " +
        std::string(ChecksumTypeName(static_cast<ChecksumType>(type))) + "\n");
  }
  if (inspection_->checksum_type) {
    out_->Append(
        "  (This file uses checksum type: " +
        std::to_string(static_cast<unsigned>(*inspection_->checksum_type)) +
        ")\n");
  }
  out_->Append("\n");
}

// Prints the meta blocks in the order of the metaindex.
void RawDump::PrintMetaBlocks() {
  PrintTitle("Metaindex Details");
  const BlockInfo* const metaindex = Find(BlockKind::kMetaIndex);
  if (metaindex != nullptr) PrintChecksum("Metaindex", *metaindex);
  if (metaindex != nullptr && !metaindex->status.ok()) out_->Append(kSkipped);
  for (const MetaBlockEntry& entry : inspection_->meta_blocks) {
    const auto block = std::find_if(
        meta_blocks_.begin(), meta_blocks_.end(),
        [&](const BlockInfo& info) { return info.name == entry.name; });
    if (block == meta_blocks_.end()) continue;
    const std::string title(MetaBlockTitle(block->kind));
    if (title.empty()) continue;
    out_->Append("  " + title + " block handle: " +
                 HandleHex(block->offset, block->size) + "\n");
    PrintChecksum(title, *block);
    if (!block->status.ok()) out_->Append(kSkipped);
  }
  out_->Append("\n");
}

void RawDump::PrintIndex() {
  PrintTitle("Index Details");
  const BlockInfo* const index = Find(BlockKind::kIndex);
  if (index != nullptr) PrintChecksum("Index", *index);
  if (index != nullptr && !index->status.ok()) out_->Append(kSkipped);
  out_->Append(
      "  Block key hex dump: Data block handle\n"
      "  Block key ascii\n\n");
  const bool parts = Find(BlockKind::kIndexPartition) != nullptr;
  for (const Entry& entry : parts ? partitions_ : index_) {
    std::string_view handle = entry.value;
    const uint64_t offset = TakeVarint(&handle);
    const uint64_t size = TakeVarint(&handle);
    out_->Append("  HEX    " + ToHex(entry.key, HexCase::kUpper) + ": " +
                 ToHex(entry.value, HexCase::kUpper) + " offset " +
                 std::to_string(offset) + " size " + std::to_string(size) +
                 "\n");
    if (!FLAGS_output_hex) {
      out_->Append("  ASCII  ");
      PrintSpaced(entry.key, false);
      out_->Append("\n");
    }
    out_->Append(kEntryEnd);
  }
  out_->Append("\n");
}

void RawDump::PrintDictionary() {
  const BlockInfo* const block = Find(BlockKind::kDictionary);
  if (block == nullptr) return;
  PrintTitle("Compression Dictionary");
  if (dictionary_) {
    out_->Append("  size (bytes): " + std::to_string(dictionary_->size()) +
                 "\n\n  HEX    ");
    PrintHex(*dictionary_, HexCase::kUpper, out_);
    out_->Append("\n\n");
  } else {
    out_->Append(std::string(kSkipped) + "\n");
  }
}

void RawDump::PrintRangeDeletions() {
  const BlockInfo* const block = Find(BlockKind::kRangeDeletion);
  if (block == nullptr) return;
  PrintTitle("Range deletions");
  if (!block->status.ok()) out_->Append(kSkipped);
  for (const Entry& entry : range_deletions_) {
    PrintEntry(entry.key, entry.value);
  }
  out_->Append("\n");
}

void RawDump::PrintTitle(std::string_view title) {
  out_->Append(title);
  out_->Append(":\n");
  out_->Append(kRule);
}

void RawDump::PrintChecksum(std::string_view title, const BlockInfo& block) {
  char value[32];
  std::snprintf(value, sizeof value, "0x%x",
                ChecksumOfBytes(*inspection_, block));
  out_->Append(
      "  " + std::string(title) + " block checksum type: " +
      std::to_string(static_cast<unsigned>(
          inspection_->checksum_type.value_or(ChecksumType::kNoChecksum))) +
      "  checksum value: " + value + "  offset: " +
      std::to_string(block.offset) + "  size: " + std::to_string(block.size) +
      "  compression type: " + std::to_string(block.compression_type) + "\n");
}

void RawDump::PrintEntry(const Slice& internal_key, const Slice& value) {
  const Slice key = UserKeyOf(internal_key);
  out_->Append("  HEX    ");
  PrintHex(key, HexCase::kUpper, out_);
  if (FLAGS_show_sequence_number_type) {
    out_->Append(
        "  seq: " + std::to_string(ShownSequence(internal_key)) + "  type: " +
        std::to_string(static_cast<unsigned>(TypeOf(internal_key))) + " ");
  }
  out_->Append(": ");
  PrintHex(value, HexCase::kUpper, out_);
  out_->Append("\n");
  if (!FLAGS_output_hex) {
    out_->Append("  ASCII  ");
    PrintSpaced(key, true);
    out_->Append(": ");
    PrintSpaced(value, true);
    out_->Append("\n");
  }
  out_->Append(kEntryEnd);
}

// Returns the sequence number to show: for a file that was ingested, the one
// that all entries were given.
SequenceNumber RawDump::ShownSequence(const Slice& internal_key) const {
  const SequenceNumber global =
      inspection_->properties
          ? inspection_->properties->external_sst_file_global_seqno.value_or(0)
          : 0;
  return global != 0 ? global : SequenceOf(internal_key);
}

void RawDump::PrintSpaced(const Slice& bytes, bool zero_as_digit) {
  for (const char c : bytes) {
    if (c == '\0' && zero_as_digit) {
      out_->Append("\\0 ");
    } else if (escape_ && (c < ' ' || c > '~')) {
      out_->Append(Escape(Slice(&c, 1)) + " ");
    } else {
      const char pair[] = {c, ' '};
      out_->Append(std::string_view(pair, sizeof pair));
    }
  }
}

const BlockInfo* RawDump::Find(BlockKind kind) const {
  for (const BlockInfo& block : meta_blocks_) {
    if (block.kind == kind) return &block;
  }
  return nullptr;
}

}  // namespace ashlar::tool
