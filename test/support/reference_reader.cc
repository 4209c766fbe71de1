// Section numbers in these comments refer to table/FORMAT.md.
#include "test/support/reference_reader.h"

#include <cstddef>
#include <optional>
#include <set>

#include "test/support/reference_block.h"
#include "test/support/reference_checks.h"
#include "test/support/reference_codecs.h"
#include "test/support/reference_file.h"
#include "test/support/reference_keys.h"

namespace ashlar::testing {
namespace reference {
namespace {

constexpr uint64_t kLargestSequence = (uint64_t{1} << 56) - 1;
constexpr uint8_t kRangeDeletion = 0x0F;

// Section 8.1.
constexpr uint32_t kHashSearch = 1;
constexpr uint32_t kTwoLevel = 2;
constexpr uint32_t kFirstKeys = 3;

ReferenceEntry MakeEntry(const Item& item,
                         std::optional<uint64_t> global_sequence) {
  ReferenceEntry entry;
  entry.user_key = UserKey(item.key);
  uint64_t tail = Tail64(item.key);
  entry.sequence = global_sequence.value_or(tail >> 8);
  entry.type = static_cast<uint8_t>(tail & 0xFF);
  entry.value = item.value;
  return entry;
}

class TableReading {
 public:
  explicit TableReading(std::string_view file)
      : file_(file), footer_(ReadFooter(file)) {}

  ReferenceTable Read(bool follow_blobs) {
    table_.format_version = footer_.version;
    table_.checksum_type = footer_.checksum_type;
    ReadMetaindex();
    ReadProperties();
    InterpretProperties();
    ReadIndex();
    ReadDataBlocks();
    ReadEmbeddedBlobs();
    ReadRangeDeletions();
    ReadPrefixes();
    ReadFilters();
    CheckMetaBlocks();
    CheckSizes();
    CheckReferenceTable(table_);
    // Last: the order of the file is that of the entries as they are stored.
    if (follow_blobs) FollowReferences();
    return std::move(table_);
  }

 private:
  StoredBlock FetchStored(const Handle& handle) const {
    return FetchChecked(file_, footer_, handle);
  }

  std::string ReadBlock(const Handle& handle,
                        std::string_view dictionary = {}) const {
    StoredBlock stored = FetchStored(handle);
    Check(stored.type == 0 || rule_.any || rule_.allowed.count(stored.type) > 0,
          "compression type that the property does not name");
    return ReferenceDecompress(stored.type, stored.bytes, footer_.version,
                               dictionary);
  }

  void ReadMetaindex() {
    StoredBlock stored = FetchStored(footer_.metaindex);
    Check(stored.type == 0 || footer_.version < 2, "compressed metaindex");
    std::string block =
        ReferenceDecompress(stored.type, stored.bytes, footer_.version, {});
    std::string previous;
    for (const Item& item : ReadItems(block, {ValueForm::kFullHandle})) {
      Check(previous < item.key, "metaindex not ascending");
      previous = item.key;
      if (item.handle != Handle(0, 0)) {
        table_.meta_blocks[item.key] = item.handle;
      }
    }
  }

  // Returns null if the block is absent.
  const Handle* MetaBlock(const std::string& name) const {
    auto found = table_.meta_blocks.find(name);
    return found == table_.meta_blocks.end() ? nullptr : &found->second;
  }

  // Section 11.2: a properties block whose global_seqno was changed in place.
  bool GoodWithZeroedSequence(const StoredBlock& stored) const {
    std::string zeroed(stored.bytes);
    BlockParts parts = SplitBlock(stored.bytes);
    Cursor cursor(parts.entries);
    std::string key;
    while (!cursor.empty()) {
      uint32_t shared = cursor.Varint32();
      uint32_t non_shared = cursor.Varint32();
      uint32_t value_len = cursor.Varint32();
      Check(shared <= key.size(), "shared length exceeds the previous key");
      key.resize(shared);
      key += cursor.Take(non_shared);
      size_t value_at = parts.entries.size() - cursor.left();
      cursor.Take(value_len);
      if (key == "rocksdb.external_sst_file.global_seqno" && value_len == 8) {
        zeroed.replace(value_at, 8, 8, '\0');
      }
    }
    return ChecksumFits(footer_, zeroed, stored);
  }

  void ReadProperties() {
    const Handle* handle = MetaBlock("rocksdb.properties");
    if (handle == nullptr) {
      Check(footer_.version < 2, "no properties block");
      return;
    }
    StoredBlock stored = Fetch(file_, footer_, *handle);
    Check(stored.type == 0 || footer_.version < 2, "compressed properties");
    Check(ChecksumFits(footer_, stored.bytes, stored) ||
              GoodWithZeroedSequence(stored),
          "properties checksum mismatch");
    std::string block =
        ReferenceDecompress(stored.type, stored.bytes, footer_.version, {});
    std::string previous;
    for (const Item& item : ReadItems(block, {})) {
      Check(table_.properties.empty() || previous < item.key,
            "properties unsorted");
      previous = item.key;
      table_.properties[item.key] = item.value;
    }
  }

  const std::string* Property(const std::string& name) const {
    return FindProperty(table_, name);
  }

  std::optional<uint64_t> VarintProperty(const std::string& name) const {
    return FindVarintProperty(table_, name);
  }

  void InterpretProperties() {
    if (const std::string* text = Property("compression")) {
      rule_ = ReadCompressionProperty(
          *text, footer_.version, Property("compression_options") != nullptr);
    }
    if (const std::string* name = Property("comparator")) {
      table_.order = OrderOf(*name);
    }
    if (VarintProperty("user.defined.timestamps.persisted").value_or(1) == 0) {
      table_.stripped_timestamp = table_.order.timestamp_size;
      table_.order.timestamp_size = 0;
    }
    InterpretIndexProperties();
    InterpretFilterProperties();
    InterpretExternalFile();
  }

  void InterpretIndexProperties() {
    const std::string* type = Property("block.based.table.index.type");
    Check(type != nullptr || footer_.version < 2, "no index type");
    if (type != nullptr) {
      Check(type->size() == 4, "index type is not 4 bytes");
      uint32_t number = Fixed32(*type, 0);
      Check(number <= 3, "unknown index type " + std::to_string(number));
      index_type_ = number;
    }
    table_.separators_are_user_keys =
        VarintProperty("index.key.is.user.key").value_or(0) != 0;
    if (VarintProperty("index.value.is.delta.encoded").value_or(0) != 0) {
      index_form_.values = ValueForm::kDeltaHandle;
    }
  }

  // Section 9.1.
  void InterpretFilterProperties() {
    auto is_off = [this](const char* name) {
      const std::string* value = Property(name);
      return value != nullptr && *value == "0";
    };
    ReferenceFilterUse& use = table_.filter_use;
    use.whole_keys = !is_off("block.based.table.whole.key.filtering");
    const std::string* extractor = Property("prefix.extractor.name");
    if (extractor != nullptr) use.extractor = *extractor;
    use.prefixes = !is_off("block.based.table.prefix.filtering") &&
                   IsBuiltinExtractor(use.extractor);
  }

  void InterpretExternalFile() {
    const std::string* version = Property("external_sst_file.version");
    const std::string* sequence = Property("external_sst_file.global_seqno");
    if (version == nullptr) {
      Check(sequence == nullptr, "global_seqno without a version");
      return;
    }
    Check(version->size() == 4, "external version is not 4 bytes");
    uint32_t number = Fixed32(*version, 0);
    Check(number == 1 || number == 2, "bad external version");
    Check(number == 2 || sequence == nullptr, "version 1 with global_seqno");
    if (sequence == nullptr) return;
    Check(sequence->size() == 8, "global_seqno is not 8 bytes");
    uint64_t global = Fixed64(*sequence, 0);
    Check(global <= kLargestSequence, "global_seqno too large");
    if (global != 0) global_sequence_ = global;
  }

  Handle IndexHandle() const {
    if (footer_.index.has_value()) return *footer_.index;
    const Handle* handle = MetaBlock("rocksdb.index");
    Check(handle != nullptr, "no index block");
    return *handle;
  }

  std::vector<Item> ReadIndexBlock(const Handle& handle,
                                   const BlockForm& form) {
    std::string block = ReadBlock(handle);
    index_bytes_ += block.size();
    return ReadItems(block, form);
  }

  void ReadIndex() {
    if (index_type_ != kTwoLevel) {
      BlockForm form = index_form_;
      form.has_first_keys = index_type_ == kFirstKeys;
      for (Item& item : ReadIndexBlock(IndexHandle(), form)) {
        AddSeparator(std::move(item));
      }
      return;
    }
    for (const Item& top : ReadIndexBlock(IndexHandle(), index_form_)) {
      std::vector<Item> partition = ReadIndexBlock(top.handle, index_form_);
      Check(!partition.empty(), "empty index partition");
      table_.index_partition_sizes.push_back(partition.size());
      for (Item& item : partition) AddSeparator(std::move(item));
      Check(table_.index.back().first == top.key,
            "separator of a partition is not its last one");
    }
  }

  void AddSeparator(Item item) {
    Check(
        table_.index.empty() ||
            CompareSeparators(table_, table_.index.back().first, item.key) <= 0,
        "separators not ascending");
    table_.index.emplace_back(std::move(item.key), item.handle);
    first_keys_.push_back(std::move(item.first_key));
  }

  // Section 8.7. There are no prefixes unless the index is a hash-search index
  // and both meta blocks are present.
  void ReadPrefixes() {
    const Handle* prefixes = MetaBlock("rocksdb.hashindex.prefixes");
    const Handle* metadata = MetaBlock("rocksdb.hashindex.metadata");
    if (index_type_ != kHashSearch || prefixes == nullptr ||
        metadata == nullptr) {
      return;
    }
    std::string bytes = ReadBlock(*prefixes);
    std::string records = ReadBlock(*metadata);
    index_bytes_ += bytes.size() + records.size();
    Cursor all(bytes);
    Cursor cursor(records);
    while (!cursor.empty()) {
      ReferencePrefix record;
      record.prefix = all.Take(cursor.Varint32());
      record.first_block = cursor.Varint32();
      record.num_blocks = cursor.Varint32();
      table_.prefixes.push_back(std::move(record));
    }
    Check(all.empty(), "prefixes that nothing is said of");
  }

  // Section 7.4. Only data blocks use the dictionary. It is ignored if the
  // property says that no block is compressed.
  std::string ReadDictionary() const {
    const Handle* handle = MetaBlock("rocksdb.compression_dict");
    bool all_raw = !rule_.any && rule_.allowed.empty();
    if (handle == nullptr || all_raw) return {};
    std::string dictionary = ReadBlock(*handle);
    Check(!dictionary.empty(), "empty dictionary");
    return dictionary;
  }

  static BlockForm DataForm() {
    BlockForm form;
    form.is_data = true;
    return form;
  }

  void ReadDataBlocks() {
    std::string dictionary = ReadDictionary();
    static const std::set<uint8_t> kTypes = {0x00, 0x01, 0x02, 0x07, 0x11,
                                             0x12, 0x14, 0x16, 0x18};
    std::string previous;  // the previous internal key; empty at the start
    for (size_t i = 0; i < table_.index.size(); i++) {
      const auto& [separator, handle] = table_.index[i];
      std::string block = ReadBlock(handle, dictionary);
      bool first = true;
      for (const Item& item : ReadItems(block, DataForm())) {
        ReferenceEntry entry = MakeEntry(item, global_sequence_);
        Check(kTypes.count(entry.type) == 1,
              "bad entry type " + std::to_string(entry.type));
        Check(previous.empty() ||
                  CompareInternalKeys(table_.order, previous, item.key) < 0,
              "keys not ascending");
        Check(!first || i == 0 ||
                  CompareSeparator(table_, table_.index[i - 1].first,
                                   item.key) < 0,
              "separator not below the next block");
        Check(!first || index_type_ != kFirstKeys || first_keys_[i] == item.key,
              "first key in the index is not that of the block");
        first = false;
        previous = item.key;
        table_.entries.push_back(std::move(entry));
      }
      Check(first || CompareSeparator(table_, separator, previous) >= 0,
            "separator below its block");
    }
  }

  // Section 6.3. Each blob has the trailer of a block, and blobs never overlap.
  void ReadEmbeddedBlobs() {
    for (const ReferenceEntry& entry : table_.entries) {
      for (const Handle& blob : EmbeddedBlobs(entry.type, entry.value)) {
        table_.embedded_blobs.insert(blob);
      }
    }
    if (table_.embedded_blobs.empty()) return;
    Check(Property("embedded.blob.stats") != nullptr,
          "embedded blobs that no property tells of");
    std::set<Handle> places = table_.embedded_blobs;
    for (const auto& [separator, handle] : table_.index) places.insert(handle);
    uint64_t end = 0;
    for (const auto& [offset, size] : places) {
      Check(offset >= end, "embedded blob inside another block");
      end = offset + size + kTrailerSize;
    }
    for (const Handle& blob : table_.embedded_blobs) {
      Check(FetchStored(blob).type == 0, "compressed embedded blob");
    }
  }

  void FollowReferences() {
    for (ReferenceEntry& entry : table_.entries) {
      FollowEmbedded(
          [this](const Handle& blob) {
            return std::string(FetchStored(blob).bytes);
          },
          &entry);
    }
  }

  void ReadRangeDeletions() {
    const Handle* handle = MetaBlock("rocksdb.range_del");
    if (handle == nullptr) handle = MetaBlock("rocksdb.range_del2");
    if (handle == nullptr) return;
    std::string block = ReadBlock(*handle);
    for (const Item& item : ReadItems(block, {})) {
      ReferenceEntry entry = MakeEntry(item, global_sequence_);
      Check(entry.type == kRangeDeletion, "bad type in range deletions");
      table_.range_deletions.push_back(std::move(entry));
    }
  }

  // Reads a filter, or one partition of a filter.
  std::string ReadFilterPayload(const Handle& handle) {
    StoredBlock stored = FetchStored(handle);
    Check(stored.type == 0, "compressed filter");
    filter_bytes_ += stored.bytes.size();
    return std::string(stored.bytes);
  }

  // Sections 8.6, 9.1 and 9.7.
  void ReadFilters() {
    const std::string name = "rocksdb.BuiltinBloomFilter";
    if (const Handle* handle = MetaBlock("fullfilter." + name)) {
      table_.filter = ReadFilterPayload(*handle);
    } else if (const Handle* top = MetaBlock("partitionedfilter." + name)) {
      std::string block = ReadBlock(*top);
      filter_bytes_ += block.size();
      if (block.empty()) return;
      for (Item& item : ReadItems(block, index_form_)) {
        std::string payload;
        if (item.handle.second != 0) payload = ReadFilterPayload(item.handle);
        table_.filter_partitions.emplace_back(std::move(item.key),
                                              std::move(payload));
      }
    } else if (const Handle* old =
                   MetaBlock("filter.leveldb.BuiltinBloomFilter2")) {
      table_.leveldb_filter = ReadBlock(*old);
      filter_bytes_ = table_.leveldb_filter.size();
    }
  }

  // Section 10. Handles do not include trailers, but the index's size includes
  // one.
  void CheckSizes() const {
    CheckProperty("filter.size", filter_bytes_);
    CheckProperty("index.size", index_bytes_ + kTrailerSize);
  }
  void CheckProperty(const std::string& name, uint64_t expected) const {
    Check(VarintProperty(name).value_or(expected) == expected,
          name + " is wrong");
  }

  // Every handle must refer to a block, whatever its purpose.
  void CheckMetaBlocks() const {
    for (const auto& [name, handle] : table_.meta_blocks) {
      if (name == "rocksdb.properties") continue;  // has its own rule
      FetchStored(handle);
    }
  }

  std::string_view file_;
  Footer footer_;
  ReferenceTable table_;
  CodecRule rule_;
  uint32_t index_type_ = 0;
  BlockForm index_form_{.values = ValueForm::kFullHandle};
  uint64_t filter_bytes_ = 0;
  uint64_t index_bytes_ = 0;             // uncompressed
  std::vector<std::string> first_keys_;  // by data block; empty if not stored
  std::optional<uint64_t> global_sequence_;
};

void AppendHex(std::string_view bytes, std::string* out) {
  const std::string_view digits = "0123456789abcdef";
  for (char c : bytes) {
    uint8_t byte = static_cast<uint8_t>(c);
    out->push_back(digits[byte >> 4]);
    out->push_back(digits[byte & 15]);
  }
}

}  // namespace
}  // namespace reference

ReferenceTable ReadReferenceTable(std::string_view file, bool follow_blobs) {
  return reference::TableReading(file).Read(follow_blobs);
}

std::string CanonicalDump(const ReferenceTable& table) {
  std::string out;
  for (const auto* list : {&table.entries, &table.range_deletions}) {
    for (const ReferenceEntry& entry : *list) {
      reference::AppendHex(entry.user_key, &out);
      out += ' ' + std::to_string(entry.sequence) + ' ' +
             std::to_string(entry.type) + ' ';
      reference::AppendHex(entry.value, &out);
      out += '\n';
    }
  }
  return out;
}

}  // namespace ashlar::testing
