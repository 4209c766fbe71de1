// How blocks get into the file: they are held back for a dictionary,
// compressed, written, and their handles given to the index.

#include "table/block/block_iterator.h"
#include "table/write/builder_state.h"

namespace ashlar {

namespace {

// The largest block that readers accept by default.
constexpr uint64_t kMaxIndexBytes = uint64_t{1} << 30;

}  // namespace

Status TableBuilder::State::CutBlock(const Slice* next_user_key,
                                     uint64_t next_tail) {
  index->Prepare(last_key.user_key(), last_key.tail(), next_user_key,
                 next_tail);
  if (index->SizeEstimate() > kMaxIndexBytes) [[unlikely]] {
    return Status::InvalidArgument(
        "the index would be larger than " + std::to_string(kMaxIndexBytes) +
        " bytes after " + std::to_string(properties.num_data_blocks + 1) +
        " data blocks: block_size is " + std::to_string(options.block_size) +
        ", too small for so many and so large keys");
  }
  const Slice contents = block.Finish();
  properties.uncompressed_data_size += contents.size();
  ++properties.num_data_blocks;
  collectors.BlockAdd(contents.size());
  if (sampler.has_value()) [[unlikely]] {
    return HoldBack(contents);
  }
  Status stored = StoreBlock(contents);
  block.Start();
  return stored;
}

// Returns null if the calling thread does all the work.
std::unique_ptr<CompressionRing> TableBuilder::State::NewRing() {
  if (workers.for_blocks() == 0) return nullptr;
  // A block with the entry that fills it. The largest block_size would take too
  // much memory before such blocks come.
  constexpr uint64_t kEntryBytes = 1024;
  constexpr uint64_t kMostBytes = uint64_t{1} << 20;
  const RingOptions ring_options{
      .block_bytes = static_cast<size_t>(
          std::min(options.block_size, kMostBytes) + kEntryBytes),
      .new_compressor =
          [this] { return BlockCompressorFor(options, dictionary); },
      .end_of_data = [this] { return EndOfDataBlocks(); }};
  return std::make_unique<CompressionRing>(ring_options, &workers, &writer);
}

// The limit is at most the target size: data of the next file must not shape
// this file's dictionary.
std::optional<DictionarySampler> TableBuilder::State::SamplerFor() const {
  const CompressionOptions& wanted = options.compression_opts;
  if (!compressor.active() || wanted.max_dict_bytes == 0) return std::nullopt;
  uint64_t limit = wanted.max_dict_buffer_bytes;
  if (limit == 0 || (target_file_size != 0 && target_file_size < limit)) {
    limit = target_file_size;
  }
  return DictionarySampler(options.compression, wanted, limit);
}

Status TableBuilder::State::HoldBack(const Slice& contents) {
  if (!sampler->Add(contents)) {
    return Status::MemoryLimit(
        "no memory to hold back " +
        std::to_string(sampler->bytes() + contents.size()) +
        " bytes of blocks for a dictionary: "
        "compression_opts.max_dict_buffer_bytes is " +
        std::to_string(options.compression_opts.max_dict_buffer_bytes));
  }
  raw_block.clear();
  block.Start();
  return sampler->full() ? UseDictionary() : Status();
}

// Adds the keys of a block that was held back to the filter, which has not seen
// them yet. *last_user_key is that of the block before.
Status TableBuilder::State::AddKeysOf(const Slice& block_contents,
                                      std::string* last_user_key) {
  const BlockPlace place{BlockKind::kData, {}};
  BlockView view;
  Status parsed = ParseBlock(block_contents, place, &view);
  if (!parsed.ok()) return parsed;
  BlockIterator it(order);
  it.Reset(view, place);
  for (bool on_entry = it.SeekToFirst(); on_entry; on_entry = it.Next()) {
    const Slice user_key = UserKeyOf(it.key());
    filter_partitions->AddKey(user_key, *last_user_key);
    last_user_key->assign(user_key.data(), user_key.size());
  }
  return it.status();
}

// Makes the dictionary, and stores the blocks that waited for it.
Status TableBuilder::State::UseDictionary() {
  const DictionarySampler held = *std::exchange(sampler, std::nullopt);
  dictionary = BlockDictionaryFor(options, held.MakeDictionary());
  Result<BlockCompressor> made = BlockCompressorFor(options, dictionary);
  if (!made.ok()) return made.status();
  with_dictionary.emplace(std::move(made).value());
  ring = NewRing();
  Status stored;
  std::string last_user_key;
  for (size_t i = 0; stored.ok() && i < held.size(); ++i) {
    if (AddsHeldKeys()) stored = AddKeysOf(held.block(i), &last_user_key);
    if (!stored.ok()) return stored;
    stored = StoreBlock(held.block(i));
  }
  block.StartIn(BlockPlaceInMemory());
  return stored;
}

// Returns where the data blocks should end in a file of the target size.
uint64_t TableBuilder::State::EndOfDataBlocks() const {
  if (target_file_size == 0) return UINT64_MAX;
  return target_file_size - std::min(target_file_size, TailEstimate());
}

Status TableBuilder::State::StoreBlock(const Slice& contents) {
  Status stored;
  if (ring != nullptr) {
    stored = ring->Add(contents, &written);
    TakeWritten();
    return stored;
  }
  WrittenBlock stored_block;
  stored = writer.AppendCompressed(contents, &Codec(), BlockKind::kData,
                                   writer.num_blocks(), &stored_block);
  raw_block.clear();
  if (stored.ok()) CountBlock(stored_block);
  return stored;
}

void TableBuilder::State::TakeWritten() {
  for (const WrittenBlock& each : written) CountBlock(each);
  written.clear();
}

// To be called for blocks in file order.
void TableBuilder::State::CountBlock(const WrittenBlock& stored_block) {
  if (stored_block.type != CompressionType::kNoCompression) {
    compression_types.set(static_cast<uint8_t>(stored_block.type));
  } else if (compressor.active()) {
    ++properties.num_data_blocks_compression_rejected;
  } else {
    ++properties.num_data_blocks_compression_bypassed;
  }
  index->Finish(stored_block.handle);
  properties.data_size = writer.EndOf(stored_block.handle);
}

Status TableBuilder::State::FinishDataBlocks() {
  if (!block.empty()) {
    Status cut = CutBlock(nullptr, 0);
    if (!cut.ok()) return cut;
  }
  if (sampler.has_value()) {
    Status used = UseDictionary();
    if (!used.ok()) return used;
  }
  if (ring == nullptr) return {};
  Status drained = ring->Finish(&written);
  TakeWritten();
  ring.reset();
  return drained;
}

}  // namespace ashlar
