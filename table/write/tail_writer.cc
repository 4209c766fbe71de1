#include "table/write/tail_writer.h"

#include <map>
#include <string>

#include "ashlar/table/filter_policy.h"
#include "ashlar/util/custom_codec.h"
#include "table/counters/build_counters.h"
#include "table/filter/verify_filter.h"
#include "table/format/footer.h"
#include "table/meta/plain_block.h"
#include "table/meta/properties_block.h"

namespace ashlar::internal {

namespace {

using Metaindex = std::map<std::string, std::string>;

void AddToMetaindex(std::string name, const BlockHandle& handle,
                    Metaindex* metaindex) {
  std::string coded;
  handle.AppendTo(&coded);
  metaindex->emplace(std::move(name), std::move(coded));
}

// The name under which readers look for the filter.
std::string_view FilterNameOf(const TableOptions& options) {
  return options.filter_policy == nullptr
             ? kBuiltinFilterName
             : options.filter_policy->CompatibilityName();
}

Status WriteFilter(const TailContents& contents, BlockWriter* writer,
                   TableProperties* properties, Metaindex* metaindex) {
  if (contents.filter == nullptr) return {};
  properties->filter_policy_name = contents.filter->policy_name();
  properties->num_filter_entries = contents.filter->num_hashes();
  if (contents.filter->num_hashes() == 0) return {};
  Buffer payload;
  Status status = contents.filter->Finish(&payload, contents.crew);
  if (!status.ok()) {
    return LocateBadFilter(status, writer->file_name(), "filter block");
  }
  properties->filter_size = payload.size();
  BlockHandle handle;
  status = writer->Append(payload.slice(), &handle);
  std::string name(kFullFilterPrefix);
  name.append(FilterNameOf(*contents.options));
  AddToMetaindex(std::move(name), handle, metaindex);
  return status;
}

Status WriteFilterPartitions(const TailContents& contents, BlockWriter* writer,
                             TableProperties* properties,
                             Metaindex* metaindex) {
  FilterPartitionsBuilder* const filter = contents.filter_partitions;
  if (filter == nullptr) return {};
  properties->filter_policy_name = filter->policy_name();
  BlockHandle handle;
  Status status = filter->Write(contents.last_user_key, writer, &handle,
                                &properties->filter_size);
  properties->num_filter_entries = filter->num_hashes();
  if (properties->filter_size == 0) return status;
  std::string name(kPartitionedFilterPrefix);
  name.append(FilterNameOf(*contents.options));
  AddToMetaindex(std::move(name), handle, metaindex);
  return status;
}

// Compresses index blocks, and puts them into file and metaindex.
class IndexBlockWriter final : public IndexSink {
 public:
  IndexBlockWriter(TailContents* contents, BlockWriter* writer,
                   Metaindex* metaindex)
      : contents_(contents), writer_(writer), metaindex_(metaindex) {}

  Status Store(BlockKind kind, const Slice& block,
               BlockHandle* handle) override {
    if (block.size() > kMostReadableBlockBytes) {
      return Status::InvalidArgument(
          "the index has a block of " + std::to_string(block.size()) +
          " bytes, more than " + std::to_string(kMostReadableBlockBytes) +
          "; increase block_size (now " +
          std::to_string(contents_->options->block_size) + ")");
    }
    const uint64_t number = stored_[kind]++;
    if (!contents_->options->enable_index_compression) {
      return writer_->Append(block, handle);
    }
    WrittenBlock stored;
    Status status = writer_->AppendCompressed(block, contents_->compressor,
                                              kind, number, &stored);
    StoredForm form = contents_->compressor->active() ? StoredForm::kRejected
                                                      : StoredForm::kBypassed;
    if (stored.type != CompressionType::kNoCompression) {
      form = StoredForm::kCompressed;
      contents_->compression_types.set(static_cast<uint8_t>(stored.type));
    }
    CountBuiltBlock(contents_->statistics, form, block.size(),
                    stored.handle.size);
    *handle = stored.handle;
    return status;
  }
  Status StoreNamed(std::string_view name, const Slice& block) override {
    BlockHandle handle;
    Status status = Store(BlockKind::kOther, block, &handle);
    AddToMetaindex(std::string(name), handle, metaindex_);
    return status;
  }

 private:
  TailContents* contents_;
  BlockWriter* writer_;
  Metaindex* metaindex_;
  std::map<BlockKind, uint64_t> stored_;  // how many of each kind
};

Status WriteIndex(TailContents* contents, BlockWriter* writer,
                  TableProperties* properties, Metaindex* metaindex,
                  BlockHandle* handle) {
  IndexBlockWriter sink(contents, writer, metaindex);
  WrittenIndex written;
  Status status = contents->index->Write(&sink, &written);
  const IndexForm form = contents->index->form();
  // RocksDB writes 1 in any format version if no partition ever began.
  const bool never_began =
      properties->num_data_blocks == 0 &&
      contents->options->index_type == IndexType::kTwoLevelIndexSearch;
  properties->index_key_is_user_key = form.user_keys || never_began ? 1 : 0;
  properties->index_value_is_delta_encoded = form.delta_handles ? 1 : 0;
  // Like RocksDB, counts one trailer, however many blocks there are.
  properties->index_size = written.raw_bytes + kBlockTrailerSize;
  properties->index_partitions = written.partitions;
  properties->top_level_index_size = written.top_level_bytes;
  properties->num_uniform_blocks = written.uniform_blocks;
  *handle = written.root;
  return status;
}

Status WriteRangeDeletions(const TailContents& contents, BlockWriter* writer,
                           Metaindex* metaindex) {
  if (contents.range_deletions->empty()) return {};
  BlockHandle handle;
  Status status = writer->Append(contents.range_deletions->Finish(), &handle);
  AddToMetaindex(std::string(kRangeDeletionBlockName), handle, metaindex);
  return status;
}

Status WriteDictionary(const Slice& dictionary, BlockWriter* writer,
                       Metaindex* metaindex) {
  if (dictionary.empty()) return {};
  BlockHandle handle;
  Status status = writer->Append(dictionary, &handle);
  AddToMetaindex(std::string(kDictionaryBlockName), handle, metaindex);
  return status;
}

}  // namespace

Status WriteTail(TailContents contents, BlockWriter* writer,
                 TableProperties* properties) {
  const FormatTraits& traits = TraitsOf(contents.options->format_version);
  Metaindex metaindex;
  writer->EndDataBlocks();
  properties->tail_start_offset = writer->offset();
  Status status = WriteFilter(contents, writer, properties, &metaindex);
  if (status.ok()) {
    status = WriteFilterPartitions(contents, writer, properties, &metaindex);
  }
  if (!status.ok()) return status;
  Footer footer;
  status = WriteIndex(&contents, writer, properties, &metaindex, &footer.index);
  if (status.ok()) {
    status = WriteDictionary(contents.dictionary, writer, &metaindex);
  }
  if (status.ok()) status = WriteRangeDeletions(contents, writer, &metaindex);
  if (!status.ok()) return status;

  // Like RocksDB, names no codec if max_compressed_bytes_per_kb rules out every
  // block.
  properties->compression_name = EncodeCompressionProperty(
      contents.compressor->active() ? contents.options->compression
                                    : CompressionType::kNoCompression,
      contents.compression_types, traits,
      contents.options->codec == nullptr
          ? std::string_view()
          : contents.options->codec->CompatibilityName());
  Buffer block;
  EncodeProperties(*properties, &block);
  BlockHandle handle;
  status = writer->Append(block.slice(), &handle);
  if (!status.ok()) return status;
  AddToMetaindex(std::string(kPropertiesBlockName), handle, &metaindex);
  if (traits.has_context_checksums) {
    AddToMetaindex(std::string(kIndexBlockName), footer.index, &metaindex);
  }

  block.clear();
  EncodePlainBlock(metaindex, 1, &block);
  status = writer->Append(block.slice(), &footer.metaindex);
  if (!status.ok()) return status;
  footer.format_version = contents.options->format_version;
  footer.checksum = contents.options->checksum;
  footer.base_context_checksum = contents.base_context_checksum;
  footer.offset = writer->offset();
  writer->AppendBytes(EncodeFooter(footer));
  return writer->Flush();
}

}  // namespace ashlar::internal
