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
                                            uint64_t target_file_size,
                                            const MemoryCharge& charge) {
  const CompressionOptions& wanted = options.compression_opts;
  if (!codec.active() || wanted.max_dict_bytes == 0) return std::nullopt;
  uint64_t limit = wanted.max_dict_buffer_bytes;
  if (limit == 0 || (target_file_size != 0 && target_file_size < limit)) {
    limit = target_file_size;
  }
  return DictionarySampler(options.compression, wanted, limit,
                           charge.Sibling());
}

}  // namespace

BlockSink::BlockSink(const TableOptions& options, BlockCompressor codec,
                     uint32_t base_context_checksum, WritableFile* file,
                     FileChecksumGenerator* file_checksum, BuildWorkers workers,
                     uint64_t target_file_size, Callbacks callbacks,
                     const BuildCharges& charges)
    : options_(options),
      callbacks_(std::move(callbacks)),
      charges_(charges),
      buffers_charge_(charges.write_buffers.Sibling()),
      writer_(file, options.checksum, base_context_checksum,
              BlockAlignment(options)),
      workers_(std::move(workers)),
      codec_(std::move(codec)),
      held_(SamplerFor(options, codec_, target_file_size, charges.dictionary)) {
  writer_.SumTo(file_checksum);
  ChargeBuffers();
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
    // Blobs go to the end of the writer's buffer while a block is being made.
    const bool apart = codec_.active() || options_.embedded_blob_options.enable;
    in_place_ = apart ? &raw_block_ : writer_.in_place();
  }
}

Result<BlockCompressor> BlockSink::NewCompressor() const {
  Result<BlockCompressor> made = BlockCompressorFor(options_, dictionary_);
  if (made.ok()) made->CountTo(statistics_);
  return made;
}

RingOptions BlockSink::OptionsOfRing() const {
  // A block with the entry that fills it. The largest block_size would take too
  // much memory before such blocks come.
  constexpr uint64_t kEntryBytes = 1024;
  constexpr uint64_t kMostBytes = uint64_t{1} << 20;
  return {.block_bytes = static_cast<size_t>(
              std::min(options_.block_size, kMostBytes) + kEntryBytes),
          .stores_raw = StoresRaw(),
          .new_compressor = [this] { return NewCompressor(); },
          .end_of_data = callbacks_.end_of_data,
          .charge = &charges_.write_buffers};
}

// Charges the buffers that exist without a ring, once before they are there,
// and then as they grow. An entry larger than a block makes them grow before
// that is charged.
void BlockSink::ChargeBuffers() {
  if (!buffers_charge_.any()) return;
  // The writer passes its buffer on when it has so much. It reserves twice that
  // if the last block does not fit.
  constexpr uint64_t kWriterBytes = uint64_t{256} << 10;
  const uint64_t least =
      kWriterBytes + 4 * std::min(options_.block_size, kWriterBytes);
  // In a ring the writer's buffer belongs to the worker that writes.
  const uint64_t writers =
      form_ == Form::kRing ? 2 * kWriterBytes : writer_.in_place()->room();
  const uint64_t now = raw_block_.room() + writers;
  buffers_charge_.CoverOrThrow(RoundUpCharge(std::max(least, now)));
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
    Status released = Release(nullptr);
    if (!released.ok()) return released;
  }
  if (form_ == Form::kInOrder) return {};
  Status finished = ring_->Finish(&written_);
  worker_cpu_nanos_ = ring_->worker_cpu_nanos();
  ring_.reset();  // what follows needs the memory
  return finished;
}

void BlockSink::End() {
  ring_.reset();
  workers_.End();
}

Status BlockSink::HoldBack(const Slice& block) {
  const DictionarySampler::Added added = held_->Add(block);
  if (added == DictionarySampler::Added::kNoMemory) {
    return Status::MemoryLimit(
        "no memory to hold " + std::to_string(held_->bytes() + block.size()) +
        " bytes of blocks for a dictionary; limit them with "
        "compression_opts.max_dict_buffer_bytes (now " +
        std::to_string(options_.compression_opts.max_dict_buffer_bytes) + ")");
  }
  Status status;
  if (added == DictionarySampler::Added::kNotCharged) {
    // As RocksDB: the dictionary is made of the blocks that there are.
    status = Release(&block);
  } else if (held_->full()) {
    status = Release(nullptr);
  }
  ChargeBuffers();
  raw_block_.clear();
  return status;
}

// Makes the dictionary, and stores the blocks that waited for it, and then
// *last unless that is null.
Status BlockSink::Release(const Slice* last) {
  const DictionarySampler held = *std::exchange(held_, std::nullopt);
  Result<BlockDictionary> dictionary =
      BlockDictionaryFor(options_, held.MakeDictionary());
  if (!dictionary.ok()) return dictionary.status();
  dictionary_ = std::move(dictionary).value();
  Result<BlockCompressor> made = NewCompressor();
  if (!made.ok()) return made.status();
  with_dictionary_.emplace(std::move(made).value());
  Begin();
  Status status;
  for (size_t i = 0; status.ok() && i < held.size(); ++i) {
    status = StoreReleased(held.block(i));
  }
  if (status.ok() && last != nullptr) status = StoreReleased(*last);
  return status;
}

Status BlockSink::StoreReleased(const Slice& block) {
  Status status;
  if (callbacks_.before_release) status = callbacks_.before_release(block);
  return status.ok() ? Store(block) : status;
}

Status BlockSink::StoreInOrder(const Slice& block) {
  BlockCompressor& codec =
      with_dictionary_.has_value() ? *with_dictionary_ : codec_;
  WrittenBlock written;
  Status status = writer_.AppendCompressed(block, &codec, BlockKind::kData,
                                           writer_.num_blocks(), &written);
  ChargeBuffers();
  raw_block_.clear();
  if (status.ok()) written_.push_back(written);
  return status;
}

}  // namespace ashlar::internal
