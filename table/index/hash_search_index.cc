#include "table/index/hash_search_index.h"

#include "util/coding/coding.h"

namespace ashlar::internal {

namespace {

struct PrefixEntry {
  uint32_t size = 0;
  uint32_t first_block = 0;
  uint32_t num_blocks = 0;
};

bool DecodePrefixEntry(Decoder* decoder, PrefixEntry* entry) {
  return decoder->Varint32(&entry->size) &&
         decoder->Varint32(&entry->first_block) &&
         decoder->Varint32(&entry->num_blocks);
}

}  // namespace

// RocksDB gives extractors the whole key, timestamp included.
bool HashSearchIndexBuilder::ReachesBehind(const Slice& user_key) {
  const size_t timestamp = options().comparator->timestamp_size();
  if (timestamp == 0) return false;
  with_timestamp_.assign(user_key.data(), user_key.size());
  with_timestamp_.append(timestamp, '\0');
  const PrefixExtractor& extractor = *options().prefix_extractor;
  return extractor.Transform(with_timestamp_) != extractor.Transform(user_key);
}

void HashSearchIndexBuilder::AddKey(const Slice& user_key) {
  if (!all_have_prefixes_) return;
  const PrefixExtractor& extractor = *options().prefix_extractor;
  if (!extractor.InDomain(user_key) || ReachesBehind(user_key)) {
    all_have_prefixes_ = false;
    prefixes_ = metadata_ = std::string();
    return;
  }
  const Slice prefix = extractor.Transform(user_key);
  const auto block = static_cast<uint32_t>(num_prepared());
  if (num_blocks_ == 0 ||
      prefix != Slice(prefixes_.data() + prefixes_.size() - prefix_size_,
                      prefix_size_)) {
    EndPrefix();
    prefixes_.append(prefix.data(), prefix.size());
    prefix_size_ = prefix.size();
    first_block_ = block;
  }
  num_blocks_ = block - first_block_ + 1;
}

void HashSearchIndexBuilder::EndPrefix() {
  if (num_blocks_ == 0) return;
  for (const uint64_t number : {static_cast<uint64_t>(prefix_size_),
                                static_cast<uint64_t>(first_block_),
                                static_cast<uint64_t>(num_blocks_)}) {
    AppendVarint64(&metadata_, number);
  }
  num_blocks_ = 0;
}

Status HashSearchIndexBuilder::Write(IndexSink* sink, WrittenIndex* written) {
  Status status;
  uint64_t bytes = 0;
  if (all_have_prefixes_) {
    EndPrefix();
    bytes = prefixes_.size() + metadata_.size();
    status = sink->StoreNamed(kHashIndexMetadataName, metadata_);
    if (status.ok()) {
      status = sink->StoreNamed(kHashIndexPrefixesName, prefixes_);
    }
  }
  if (status.ok()) status = BinarySearchIndexBuilder::Write(sink, written);
  written->raw_bytes += bytes;
  return status;
}

Status HashSearchPrefixes::Check(const Slice& prefixes, const Slice& metadata,
                                 const BlockPlace& metadata_place,
                                 uint64_t num_blocks) {
  Decoder decoder(metadata);
  uint64_t prefix_bytes = 0;
  uint64_t last_block = 0;
  for (uint64_t i = 0; !decoder.rest().empty(); ++i) {
    const auto damage = [&](const std::string& what) {
      return metadata_place.Corruption(
          "bad hash index", "prefix " + std::to_string(i) + " " + what);
    };
    PrefixEntry entry;
    if (!DecodePrefixEntry(&decoder, &entry)) return damage("does not decode");
    prefix_bytes += entry.size;
    const uint64_t end = uint64_t{entry.first_block} + entry.num_blocks;
    if (entry.num_blocks == 0 || end > num_blocks) {
      return damage("has " + std::to_string(entry.num_blocks) +
                    " data blocks, the first of them block " +
                    std::to_string(entry.first_block) +
                    ", expected one or more of the table's " +
                    std::to_string(num_blocks));
    }
    if (entry.first_block < last_block) {
      return damage("begins in data block " +
                    std::to_string(entry.first_block) + ", expected " +
                    std::to_string(last_block) +
                    " or later, where the prefix before it ends");
    }
    last_block = end - 1;
  }
  if (prefix_bytes == prefixes.size()) return {};
  return metadata_place.Corruption(
      "bad hash index", "its prefixes have " + std::to_string(prefix_bytes) +
                            " bytes, expected " +
                            std::to_string(prefixes.size()));
}

void HashSearchPrefixes::Next() {
  Decoder decoder(rest_of_metadata_);
  PrefixEntry entry;
  if (!DecodePrefixEntry(&decoder, &entry) ||
      entry.size > rest_of_prefixes_.size()) {
    at_end_ = true;
    return;
  }
  rest_of_metadata_ = decoder.rest();
  prefix_ = Slice(rest_of_prefixes_.data(), entry.size);
  rest_of_prefixes_.remove_prefix(entry.size);
  first_block_ = entry.first_block;
  last_block_ = first_block_ + entry.num_blocks - 1;
}

bool HashSearchPrefixes::Lead(const Slice& prefix, uint64_t block) {
  while (!at_end_ && (last_block_ < block ||
                      (first_block_ <= block && prefix_ != prefix))) {
    Next();
  }
  return !at_end_ && first_block_ <= block;
}

}  // namespace ashlar::internal
