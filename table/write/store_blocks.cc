// How blocks leave the builder: they are ended and put into the sink, and what
// became of them is counted and given to the index.

#include "table/block/block_iterator.h"
#include "table/counters/build_counters.h"
#include "table/write/builder_state.h"

namespace ashlar {

Status TableBuilder::State::CutBlock(const Slice* next_user_key,
                                     uint64_t next_tail) {
  index->Prepare(last_key.user_key(), last_key.tail(), next_user_key,
                 next_tail);
  // The estimate may be too small; the tail is written only if the index that
  // was made stays within the limit, too.
  if (index->SizeEstimate() > internal::kMostReadableBlockBytes) [[unlikely]] {
    return Status::InvalidArgument(
        "the index would exceed " +
        std::to_string(internal::kMostReadableBlockBytes) + " bytes after " +
        std::to_string(properties.num_data_blocks + 1) +
        " data blocks; increase block_size (now " +
        std::to_string(options.block_size) + ")");
  }
  Status charged = ChargeTail();
  if (!charged.ok()) return charged;
  const Slice contents = block.Finish();
  properties.uncompressed_data_size += contents.size();
  ++properties.num_data_blocks;
  if (samples != nullptr) [[unlikely]] {
    const std::optional<SampledBytes> taken = samples->Take(contents);
    if (taken.has_value()) collectors.SampledBlock(*taken);
  }
  collectors.BlockAdd(contents.size());
  if (filler != nullptr && !sink.holds_back()) filler->Add(contents);
  Status stored = sink.Store(contents);
  TakeWritten();
  block.StartIn(sink.in_place());
  return stored;
}

// Adds the keys of a block that was held back to the filter, which has not seen
// them yet.
Status TableBuilder::State::AddKeysOf(const Slice& held) {
  const BlockPlace place{BlockKind::kData, {}};
  BlockView view;
  Status parsed = ParseBlock(held, place, &view);
  if (!parsed.ok()) return parsed;
  BlockIterator it(order);
  it.Reset(view, place);
  for (bool on_entry = it.SeekToFirst(); on_entry; on_entry = it.Next()) {
    const Slice user_key = UserKeyOf(it.key());
    filter_partitions->AddKey(user_key, last_held_key);
    last_held_key.assign(user_key.data(), user_key.size());
  }
  return it.status();
}

// The index must know the handle of the block before when keys of this one are
// added.
Status TableBuilder::State::BeforeRelease(const Slice& held) {
  TakeWritten();
  if (filler != nullptr) filler->Add(held);
  return AddsHeldKeys() ? AddKeysOf(held) : Status();
}

// Returns where the data blocks should end in a file of the target size.
uint64_t TableBuilder::State::EndOfDataBlocks() const {
  if (target_file_size == 0) return UINT64_MAX;
  return target_file_size - std::min(target_file_size, TailEstimate());
}

void TableBuilder::State::TakeWritten() {
  sink.Deliver([this](const WrittenBlock& written) { CountBlock(written); });
}

// To be called for blocks in file order.
void TableBuilder::State::CountBlock(const WrittenBlock& written) {
  StoredForm form = StoredForm::kCompressed;
  if (written.type != CompressionType::kNoCompression) {
    compression_types.set(static_cast<uint8_t>(written.type));
  } else if (sink.codec()->active()) {
    form = StoredForm::kRejected;
    ++properties.num_data_blocks_compression_rejected;
  } else {
    form = StoredForm::kBypassed;
    ++properties.num_data_blocks_compression_bypassed;
  }
  CountBuiltBlock(statistics.get(), form, written.raw_bytes,
                  written.handle.size);
  index->Finish(written.handle);
  if (filler != nullptr) filler->Place(written.handle);
  properties.data_size = sink.EndOf(written.handle);
}

Status TableBuilder::State::FinishDataBlocks() {
  if (!block.empty()) {
    Status cut = CutBlock(nullptr, 0);
    if (!cut.ok()) return cut;
  }
  Status finished_blocks = sink.Finish();
  TakeWritten();
  return finished_blocks;
}

}  // namespace ashlar
