#include "test/interop/compare_files.h"

#include <bitset>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

#include "ashlar/table/inspect.h"
#include "test/interop/our_file.h"
#include "test/interop/rows.h"
#include "util/compress/codec.h"
#include "util/compress/dictionary.h"

namespace ashlar::interop {

namespace {

constexpr uint64_t kTrailerBytes = 5;

struct WholeFile {
  std::string bytes;
  TableInspection inspection;

  // Returns the stored bytes of a block, including its trailer.
  std::string_view Stored(const BlockInfo& block) const {
    return std::string_view(bytes).substr(block.offset,
                                          block.size + kTrailerBytes);
  }
  // Returns the first block of that kind, or null.
  const BlockInfo* Find(BlockKind kind) const {
    for (const BlockInfo& block : inspection.blocks) {
      if (block.kind == kind) return &block;
    }
    return nullptr;
  }
};

Status Load(const std::string& path, WholeFile* whole) {
  std::ifstream in(path, std::ios::binary);
  whole->bytes.assign(std::istreambuf_iterator<char>(in), {});
  const auto file = NewMemoryFile(path, whole->bytes);
  if (Status s = InspectTable(*file, {}, &whole->inspection); !s.ok()) return s;
  if (!whole->inspection.faults.empty()) {
    return whole->inspection.faults[0].status.WithPrefix(path);
  }
  if (!whole->inspection.properties.has_value()) {
    return Status::Corruption(path + ": no properties");
  }
  return {};
}

// Returns their identity, so that our file can be identical to the last byte.
BuildOptions IdentityOf(const TableInspection& theirs) {
  const TableProperties& properties = *theirs.properties;
  BuildOptions build;
  build.identity.db_id = properties.db_id;
  build.identity.db_session_id = properties.db_session_id;
  build.identity.db_host_id = properties.db_host_id;
  build.identity.file_number = properties.orig_file_number;
  build.identity.creation_time = properties.creation_time;
  build.identity.file_creation_time = properties.file_creation_time;
  build.identity.oldest_key_time = properties.oldest_key_time;
  build.identity.newest_key_time = properties.newest_key_time;
  build.identity.base_context_checksum = theirs.base_context_checksum;
  if (build.identity.base_context_checksum == 0U) {
    build.identity.base_context_checksum.reset();
  }
  build.column_family_id = static_cast<uint32_t>(properties.column_family_id);
  build.column_family_name = properties.column_family_name;
  if (properties.merge_operator_name != "nullptr") {
    build.merge_operator_name = properties.merge_operator_name;
  }
  return build;
}

std::string Where(const BlockInfo& block) {
  return std::string(BlockKindName(block.kind)) + " block #" +
         std::to_string(block.index);
}

Status Decompressed(const WholeFile& file, const BlockInfo& block,
                    internal::Buffer* raw) {
  const std::string_view stored = file.Stored(block);
  const Slice payload(stored.data(), block.size);
  const auto type = static_cast<CompressionType>(block.compression_type);
  if (type == CompressionType::kNoCompression) {
    raw->Append(payload);
    return {};
  }
  const BlockInfo* const dictionary = file.Find(BlockKind::kDictionary);
  if (dictionary == nullptr || block.kind != BlockKind::kData) {
    return internal::Decompressor().Decompress(type, 2, payload, {}, raw);
  }
  const internal::DecompressionDictionary decoding(
      file.Stored(*dictionary).substr(0, dictionary->size),
      std::bitset<256>().set());
  return internal::Decompressor().Decompress(type, 2, payload, {}, raw,
                                             &decoding);
}

// Returns ok if the blocks are equal before compression. Clears *as_stored if
// their stored bytes differ.
Status CompareBlock(const WholeFile& theirs, const BlockInfo& their_block,
                    const WholeFile& ours, const BlockInfo& our_block,
                    bool* as_stored) {
  const std::string_view their_stored = theirs.Stored(their_block);
  const std::string_view our_stored = ours.Stored(our_block);
  if (their_stored == our_stored) return {};
  // The trailer depends on the offset, the identity and the payload.
  if (their_block.offset == our_block.offset &&
      their_stored.substr(0, their_block.size) ==
          our_stored.substr(0, our_block.size)) {
    return Status::Corruption("the trailer differs of " + Where(our_block));
  }
  *as_stored = false;
  internal::Buffer their_raw;
  internal::Buffer our_raw;
  if (Status s = Decompressed(theirs, their_block, &their_raw); !s.ok()) {
    return s;
  }
  if (Status s = Decompressed(ours, our_block, &our_raw); !s.ok()) return s;
  if (their_raw.slice() == our_raw.slice()) {
    return {};
  }
  return Status::Corruption("bytes differ in " + Where(our_block) +
                            ": theirs " + std::to_string(their_raw.size()) +
                            ", ours " + std::to_string(our_raw.size()) +
                            " bytes");
}

std::vector<BlockInfo> BlocksOf(const WholeFile& file, BlockKind kind) {
  std::vector<BlockInfo> blocks;
  for (const BlockInfo& block : file.inspection.blocks) {
    if (block.kind == kind) blocks.push_back(block);
  }
  return blocks;
}

// Two files without such blocks are equal too.
Status CompareAll(BlockKind kind, const WholeFile& theirs,
                  const WholeFile& ours, bool* as_stored) {
  const std::vector<BlockInfo> their_blocks = BlocksOf(theirs, kind);
  const std::vector<BlockInfo> our_blocks = BlocksOf(ours, kind);
  for (size_t i = 0; i < their_blocks.size() && i < our_blocks.size(); ++i) {
    if (Status s = CompareBlock(theirs, their_blocks[i], ours, our_blocks[i],
                                as_stored);
        !s.ok()) {
      return s;
    }
  }
  if (their_blocks.size() == our_blocks.size()) return {};
  return Status::Corruption(
      "theirs has " + std::to_string(their_blocks.size()) + " " +
      std::string(BlockKindName(kind)) + " blocks, ours " +
      std::to_string(our_blocks.size()));
}

bool BeginAlike(BlockKind kind, const WholeFile& theirs,
                const WholeFile& ours) {
  const std::vector<BlockInfo> their_blocks = BlocksOf(theirs, kind);
  const std::vector<BlockInfo> our_blocks = BlocksOf(ours, kind);
  return their_blocks.empty() || their_blocks[0].offset == our_blocks[0].offset;
}

// Trained dictionaries are equal too, because both libraries use the same zstd
// here. Their offset depends on the filter.
Status CompareDictionaries(const WholeFile& theirs, const WholeFile& ours) {
  bool as_stored = true;
  return CompareAll(BlockKind::kDictionary, theirs, ours, &as_stored);
}

Status CompareProperties(const WholeFile& theirs, const WholeFile& ours,
                         const Plan& plan, bool same_blocks, bool same_filter,
                         ByteCounts* counts) {
  const StoredProperties& their_stored = theirs.inspection.properties->stored;
  const StoredProperties& our_stored = ours.inspection.properties->stored;
  std::map<std::string, std::string> both = their_stored.ToMap();
  both.merge(our_stored.ToMap());
  for (const auto& [name, value] : both) {
    const auto their_value = their_stored.Find(name);
    const auto our_value = our_stored.Find(name);
    if (their_value.has_value() && their_value == our_value) continue;
    ++counts->properties[name];
    // Other block sizes change many properties. RocksDB does not count blocks
    // that waited for a dictionary.
    const bool explained = (name == "rocksdb.filter.size" && !same_filter) ||
                           (name == "rocksdb.num.data.blocks" &&
                            plan.options.compression_opts.max_dict_bytes != 0);
    if (same_blocks && !explained) {
      return Status::Corruption("property " + name + " differs: theirs " +
                                ToHex(value));
    }
  }
  return {};
}

bool IsCoupled(const Plan& plan) {
  return plan.options.partition_filters &&
         !plan.options.decouple_partitioned_filters;
}

// Before format 5, RocksDB writes another kind of Bloom filter.
bool HasSameKindOfFilter(const Plan& plan) {
  constexpr uint32_t kFirstWithBloom = 5;
  return plan.HasFilter() && (plan.options.filter == FilterType::kRibbon ||
                              plan.options.format_version >= kFirstWithBloom);
}

// RocksDB writes a partition of no bytes at each cut of the index if coupled
// filters get neither keys nor prefixes. No reader uses them, and Ashlar writes
// none.
bool HasEmptyPartitions(const Plan& plan) {
  return IsCoupled(plan) && !plan.options.whole_key_filtering &&
         plan.options.prefix_extractor == nullptr;
}

// *same_kind says whether the filters should be equal, *same_filter whether
// they are.
Status CompareFilters(const WholeFile& theirs, const WholeFile& ours,
                      const Plan& plan, bool same_data, bool* same_kind,
                      bool* same_filter) {
  *same_kind = HasSameKindOfFilter(plan) && !HasEmptyPartitions(plan) &&
               (same_data || !IsCoupled(plan));
  *same_filter = *same_kind;
  if (*same_kind) {
    Status s =
        CompareAll(BlockKind::kFilterPartition, theirs, ours, same_filter);
    if (!s.ok()) return s;
    // The top level of a partitioned filter contains the handles of its
    // partitions.
    if (same_data || !plan.options.partition_filters) {
      s = CompareAll(BlockKind::kFilter, theirs, ours, same_filter);
      if (!s.ok()) return s;
    }
  }
  return {};
}

// With optimize_filters_for_memory, RocksDB's filter sizes depend on its
// allocator, so the plan's value is not used.
TableOptions RebuildOptions(const Plan& plan) {
  TableOptions options = plan.options;
  options.optimize_filters_for_memory = false;
  return options;
}

}  // namespace

Status CompareBytes(const std::string& their_path, const std::string& our_path,
                    const Plan& plan, const std::vector<Row>& rows,
                    ByteCounts* counts) {
  WholeFile theirs;
  if (Status s = Load(their_path, &theirs); !s.ok()) return s;
  const bool external =
      theirs.inspection.properties->external_sst_file_version.has_value();
  if (Status s = WriteOurFile(our_path, RebuildOptions(plan),
                              IdentityOf(theirs.inspection), external, rows);
      !s.ok()) {
    return s;
  }
  WholeFile ours;
  if (Status s = Load(our_path, &ours); !s.ok()) return s;

  if (theirs.inspection.format_version != ours.inspection.format_version ||
      theirs.inspection.checksum_type != ours.inspection.checksum_type) {
    return Status::Corruption("other format version or checksum type");
  }
  bool same_data = true;
  if (Status s = CompareDictionaries(theirs, ours); !s.ok()) return s;
  if (Status s = CompareAll(BlockKind::kData, theirs, ours, &same_data);
      !s.ok())
    return s;
  // If data blocks have other sizes, because another release of a codec made
  // them, the index must differ. Coupled filters are cut together with the
  // index, and before format 5 RocksDB writes another kind of filter.
  bool same_index =
      same_data && (!IsCoupled(plan) || HasSameKindOfFilter(plan));
  // This also holds for index partitions and the top level with their handles.
  // The filter comes before them in the file.
  for (const BlockKind kind : {BlockKind::kIndexPartition, BlockKind::kIndex}) {
    if (!same_index) break;
    Status s = CompareAll(kind, theirs, ours, &same_index);
    if (!s.ok()) return s;
    if (kind == BlockKind::kIndexPartition) {
      same_index = same_index && BeginAlike(kind, theirs, ours);
    }
  }
  bool same_kind = false;
  bool same_filter = false;
  if (Status s = CompareFilters(theirs, ours, plan, same_data, &same_kind,
                                &same_filter);
      !s.ok()) {
    return s;
  }
  ++counts->files;
  counts->identical_data += same_data ? 1 : 0;
  counts->identical_index += same_index ? 1 : 0;
  counts->filters += same_kind ? 1 : 0;
  counts->identical_filters += same_filter ? 1 : 0;
  if (Status s = CompareProperties(theirs, ours, plan, same_index, same_filter,
                                   counts);
      !s.ok()) {
    return s;
  }
  const bool same_file = theirs.bytes == ours.bytes;
  counts->identical_files += same_file ? 1 : 0;
  // With a dictionary, rocksdb.num.data.blocks differs, and so do the files.
  const bool held_back = plan.options.compression_opts.max_dict_bytes != 0;
  if (same_file || !same_index || held_back ||
      (plan.HasFilter() && !same_filter))
    return {};
  return Status::Corruption(
      "all blocks and properties are equal, but the "
      "files are not");
}

}  // namespace ashlar::interop
