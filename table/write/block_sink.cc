#include "table/write/block_sink.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ashlar::internal {

namespace {

// Returns what keeps the blocks of a table that wants a dictionary. Its limit
// is at most the target size: data of the next file must not shape this file's
// dictionary.
std::optional<DictionarySampler> SamplerFor(const TableOptions& options,
                                            const BlockCompressor& codec,
                                            uint64_t target_file_size) {
  const CompressionOptions& wanted = options.compression_opts;
  if (!codec.active() || wanted.max_dict_bytes == 0) return std::nullopt;
  uint64_t limit = wanted.max_dict_buffer_bytes;
  if (limit == 0 || (target_file_size != 0 && target_file_size < limit)) {
    limit = target_file_size;
  }
  return DictionarySampler(options.compression, wanted, limit);
}

}  // namespace

BlockSink::BlockSink(const TableOptions& options, BlockCompressor codec,
                     uint32_t base_context_checksum, WritableFile* file,
                     BuildWorkers workers, uint64_t target_file_size,
                     Callbacks callbacks)
    : options_(options),
      callbacks_(std::move(callbacks)),
      writer_(file, options.checksum, base_context_checksum,
              BlockAlignment(options)),
      workers_(std::move(workers)),
      codec_(std::move(codec)),
      held_(SamplerFor(options, codec_, target_file_size)) {
  if (held_.has_value()) {
    form_ = Form::kHeldBack;
    in_place_ = &raw_block_;
  } else {
    Begin();
  }
}

// Chooses between the two forms that store blocks.
void BlockSink::Begin() {
  if (workers_.for_blocks() != 0) {
    ring_ =
        std::make_unique<CompressionRing>(OptionsOfRing(), &workers_, &writer_);
    form_ = Form::kRing;
    in_place_ = ring_->in_place();
  } else {
    form_ = Form::kInOrder;
    in_place_ = codec_.active() ? &raw_block_ : writer_.in_place();
  }
}

RingOptions BlockSink::OptionsOfRing() const {
  // A block with the entry that fills it. The largest block_size would take too
  // much memory before such blocks come.
  constexpr uint64_t kEntryBytes = 1024;
  constexpr uint64_t kMostBytes = uint64_t{1} << 20;
  return {.block_bytes = static_cast<size_t>(
              std::min(options_.block_size, kMostBytes) + kEntryBytes),
          .new_compressor =
              [this] { return BlockCompressorFor(options_, dictionary_); },
          .end_of_data = callbacks_.end_of_data};
}

// With Finish, the only code that asks for the form.
Status BlockSink::Store(const Slice& block) {
  switch (form_) {
    case Form::kHeldBack:
      return HoldBack(block);
    case Form::kInOrder:
      return StoreInOrder(block);
    case Form::kRing:
      return ring_->Add(block, &written_);
  }
  return {};
}

Status BlockSink::Finish() {
  if (form_ == Form::kHeldBack) {
    Status released = Release();
    if (!released.ok()) return released;
  }
  if (form_ == Form::kInOrder) return {};
  Status finished = ring_->Finish(&written_);
  ring_.reset();  // what follows needs the memory
  return finished;
}

void BlockSink::End() {
  ring_.reset();
  workers_.End();
}

Status BlockSink::HoldBack(const Slice& block) {
  if (!held_->Add(block)) {
    return Status::MemoryLimit(
        "no memory to hold " + std::to_string(held_->bytes() + block.size()) +
        " bytes of blocks for a dictionary; limit them with "
        "compression_opts.max_dict_buffer_bytes (now " +
        std::to_string(options_.compression_opts.max_dict_buffer_bytes) + ")");
  }
  raw_block_.clear();
  return held_->full() ? Release() : Status();
}

// Makes the dictionary, and stores the blocks that waited for it.
Status BlockSink::Release() {
  const DictionarySampler held = *std::exchange(held_, std::nullopt);
  dictionary_ = BlockDictionaryFor(options_, held.MakeDictionary());
  Result<BlockCompressor> made = BlockCompressorFor(options_, dictionary_);
  if (!made.ok()) return made.status();
  with_dictionary_.emplace(std::move(made).value());
  Begin();
  for (size_t i = 0; i < held.size(); ++i) {
    const Slice block = held.block(i);
    Status status;
    if (callbacks_.before_release) status = callbacks_.before_release(block);
    if (status.ok()) status = Store(block);
    if (!status.ok()) return status;
  }
  return {};
}

Status BlockSink::StoreInOrder(const Slice& block) {
  BlockCompressor& codec =
      with_dictionary_.has_value() ? *with_dictionary_ : codec_;
  WrittenBlock written;
  Status status = writer_.AppendCompressed(block, &codec, BlockKind::kData,
                                           writer_.num_blocks(), &written);
  raw_block_.clear();
  if (status.ok()) written_.push_back(written);
  return status;
}

}  // namespace ashlar::internal
