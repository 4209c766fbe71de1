// Section numbers in comments are those of table/FORMAT.md.
#include "test/support/reference_reader.h"

#include <xxhash.h>

#include <cstddef>
#include <optional>
#include <set>

#include "test/support/reference_block.h"
#include "test/support/reference_codecs.h"

namespace ashlar::testing {
namespace reference {
namespace {

constexpr uint64_t kTableMagic = 0x88E241B785F4CFF7;
constexpr uint64_t kLegacyMagic = 0xDB4775248B80FB57;
constexpr uint64_t kLargestSequence = (uint64_t{1} << 56) - 1;
constexpr uint8_t kRangeDeletion = 0x0F;

// ---------------------------------------------------------------------------
// Section 4: checksums.

uint32_t Crc32c(std::string_view s) {
  uint32_t crc = 0xFFFFFFFF;
  for (char c : s) {
    crc ^= static_cast<uint8_t>(c);
    for (int bit = 0; bit < 8; bit++) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78 : 0);
    }
  }
  return crc ^ 0xFFFFFFFF;
}

// CHK of a plain, non-empty byte string.
uint32_t Checksum(uint8_t checksum_type, std::string_view s) {
  switch (checksum_type) {
    case 0:
      return 0;
    case 1: {
      uint32_t crc = Crc32c(s);
      return ((crc >> 15) | (crc << 17)) + 0xA282EAD8;
    }
    case 2:
      return XXH32(s.data(), s.size(), 0);
    case 3:
      return Lo32(XXH64(s.data(), s.size(), 0));
    case 4: {
      uint32_t last = ByteAt(s, s.size() - 1);
      return Lo32(XXH3_64bits(s.data(), s.size() - 1)) ^ (last * 0x6B9083D9);
    }
    default:
      Fail("checksum type " + std::to_string(checksum_type));
  }
}

// ---------------------------------------------------------------------------
// Section 3: footer.

struct Footer {
  uint32_t version = 0;
  uint8_t checksum_type = 1;
  uint32_t base_context = 0;
  uint64_t offset = 0;  // Of the footer.
  Handle metaindex;
  std::optional<Handle> index;  // Not in v6+.
};

Footer ReadModernFooter(std::string_view bytes, Footer footer) {
  Check(bytes.substr(1, 4) == std::string_view("\x3E\x00\x7A\x00", 4),
        "bad extended magic");
  footer.base_context = Fixed32(bytes, 9);
  Check(footer.base_context != 0, "base context is 0");
  std::string zeroed(bytes);
  zeroed.replace(5, 4, 4, '\0');
  uint32_t computed =
      Checksum(footer.checksum_type, zeroed) +
      ReferenceContextModifier(footer.base_context, footer.offset);
  Check(computed == Fixed32(bytes, 5), "footer checksum mismatch");
  Check(Fixed64(bytes, 33) == 0, "not supported: future footer feature");
  uint64_t size = Fixed32(bytes, 13);
  Check(size + kTrailerSize <= footer.offset, "metaindex before file start");
  footer.metaindex = {footer.offset - kTrailerSize - size, size};
  return footer;
}

Footer ReadFooter(std::string_view file) {
  Check(file.size() >= 48, "file too short");
  Footer footer;
  uint64_t magic = Fixed64(file, file.size() - 8);
  if (magic == kLegacyMagic) {
    footer.offset = file.size() - 48;
    Cursor handles(file.substr(footer.offset, 40));
    footer.metaindex = handles.BlockHandle();
    footer.index = handles.BlockHandle();
    return footer;
  }
  Check(magic == kTableMagic, "bad magic number");
  Check(file.size() >= 53, "file too short");
  footer.offset = file.size() - 53;
  std::string_view bytes = file.substr(footer.offset);
  footer.version = Fixed32(bytes, 41);
  Check(footer.version >= 1 && footer.version <= 7, "bad format_version");
  footer.checksum_type = ByteAt(bytes, 0);
  Check(footer.checksum_type <= 4, "bad checksum type");
  if (footer.version >= 6) return ReadModernFooter(bytes, footer);
  Cursor handles(bytes.substr(1, 40));
  footer.metaindex = handles.BlockHandle();
  footer.index = handles.BlockHandle();
  return footer;
}

// ---------------------------------------------------------------------------
// Section 7: compression.

// Which type bytes the compression property allows.
struct CodecRule {
  bool any = true;
  std::set<uint8_t> allowed;  // If not any.
};

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  Fail("compression property: bad digit");
}

CodecRule ReadCompressionWord(const std::string& word) {
  static const std::set<std::string> kWords = {
      "NoCompression", "Snappy", "Zlib", "BZip2",       "LZ4",
      "LZ4HC",         "Xpress", "ZSTD", "ZSTDNotFinal"};
  Check(kWords.count(word) == 1, "compression property: unknown word");
  CodecRule rule;
  rule.any = word != "NoCompression";
  return rule;
}

CodecRule ReadCompressionProperty(const std::string& text, uint32_t version) {
  size_t first = text.find(';');
  if (version < 7 || first == std::string::npos) {
    return ReadCompressionWord(text);
  }
  size_t second = text.find(';', first + 1);
  Check(second != std::string::npos, "compression property: one separator");
  std::string manager = text.substr(0, first);
  Check(manager.empty() || manager == "BuiltinV2",
        "not supported: compression manager " + manager);
  std::string digits = text.substr(first + 1, second - first - 1);
  Check(digits.size() % 2 == 0, "compression property: odd digits");
  CodecRule rule;
  rule.any = false;
  for (size_t i = 0; i < digits.size(); i += 2) {
    int type = HexDigit(digits[i]) * 16 + HexDigit(digits[i + 1]);
    Check(type != 0 && type != 0xFF, "compression property: bad type");
    rule.allowed.insert(static_cast<uint8_t>(type));
  }
  return rule;
}

// ---------------------------------------------------------------------------
// Section 6: keys and order.

// Section 8.1.
constexpr uint32_t kTwoLevel = 2;
constexpr uint32_t kFirstKeys = 3;

enum class Order { kBytewise, kReverse };

int CompareUserKeys(Order order, std::string_view a, std::string_view b) {
  // char_traits<char> compares as unsigned bytes.
  int result = a.compare(b);
  return order == Order::kBytewise ? result : -result;
}

std::string_view UserKey(std::string_view internal_key) {
  Check(internal_key.size() >= 8, "internal key shorter than 8 bytes");
  return internal_key.substr(0, internal_key.size() - 8);
}

uint64_t Tail(std::string_view internal_key) {
  return Fixed64(internal_key, internal_key.size() - 8);
}

int CompareInternalKeys(Order order, std::string_view a, std::string_view b) {
  int result = CompareUserKeys(order, UserKey(a), UserKey(b));
  if (result != 0) return result;
  if (Tail(a) == Tail(b)) return 0;
  return Tail(a) > Tail(b) ? -1 : 1;
}

ReferenceEntry MakeEntry(const Item& item,
                         std::optional<uint64_t> global_sequence) {
  ReferenceEntry entry;
  entry.user_key = UserKey(item.key);
  uint64_t tail = Tail(item.key);
  entry.sequence = global_sequence.value_or(tail >> 8);
  entry.type = static_cast<uint8_t>(tail & 0xFF);
  entry.value = item.value;
  return entry;
}

// ---------------------------------------------------------------------------
// The whole file.

class TableReading {
 public:
  explicit TableReading(std::string_view file)
      : file_(file), footer_(ReadFooter(file)) {}

  ReferenceTable Read() {
    table_.format_version = footer_.version;
    table_.checksum_type = footer_.checksum_type;
    ReadMetaindex();
    ReadProperties();
    InterpretProperties();
    ReadIndex();
    ReadDataBlocks();
    ReadRangeDeletions();
    CheckMetaBlocks();
    CheckCounts();
    return std::move(table_);
  }

 private:
  struct Stored {
    std::string_view bytes;
    uint8_t type = 0;
    uint32_t checksum = 0;  // Without context.
  };

  Stored Fetch(const Handle& handle) const {
    auto [offset, size] = handle;
    Check(offset <= footer_.offset && size <= footer_.offset - offset &&
              kTrailerSize <= footer_.offset - offset - size,
          "block handle out of range");
    Stored stored;
    stored.bytes = file_.substr(offset, size);
    stored.type = ByteAt(file_, offset + size);
    stored.checksum = Fixed32(file_, offset + size + 1) -
                      ReferenceContextModifier(footer_.base_context, offset);
    return stored;
  }

  Stored FetchChecked(const Handle& handle) const {
    Stored stored = Fetch(handle);
    Check(ReferenceBlockChecksum(footer_.checksum_type, stored.bytes,
                                 stored.type) == stored.checksum,
          "block checksum mismatch at " + std::to_string(handle.first));
    return stored;
  }

  std::string ReadBlock(const Handle& handle,
                        std::string_view dictionary = {}) const {
    Stored stored = FetchChecked(handle);
    Check(stored.type == 0 || rule_.any || rule_.allowed.count(stored.type) > 0,
          "compression type that the property does not name");
    return ReferenceDecompress(stored.type, stored.bytes, footer_.version,
                               dictionary);
  }

  void ReadMetaindex() {
    Stored stored = FetchChecked(footer_.metaindex);
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

  // Section 11.2: a properties block whose global_seqno was changed in place.
  bool GoodWithZeroedSequence(const Stored& stored) const {
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
    return ReferenceBlockChecksum(footer_.checksum_type, zeroed, stored.type) ==
           stored.checksum;
  }

  void ReadProperties() {
    auto found = table_.meta_blocks.find("rocksdb.properties");
    if (found == table_.meta_blocks.end()) {
      Check(footer_.version < 2, "no properties block");
      return;
    }
    Stored stored = Fetch(found->second);
    Check(stored.type == 0 || footer_.version < 2, "compressed properties");
    uint32_t computed = ReferenceBlockChecksum(footer_.checksum_type,
                                               stored.bytes, stored.type);
    Check(computed == stored.checksum || GoodWithZeroedSequence(stored),
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
    auto found = table_.properties.find("rocksdb." + name);
    return found == table_.properties.end() ? nullptr : &found->second;
  }

  std::optional<uint64_t> VarintProperty(const std::string& name) const {
    const std::string* value = Property(name);
    if (value == nullptr) return std::nullopt;
    Cursor cursor(*value);
    uint64_t result = cursor.Varint64();
    Check(cursor.empty(), "property " + name + " has extra bytes");
    return result;
  }

  void InterpretProperties() {
    if (const std::string* text = Property("compression")) {
      rule_ = ReadCompressionProperty(*text, footer_.version);
    }
    if (const std::string* name = Property("comparator")) {
      bool reverse = *name == "rocksdb.ReverseBytewiseComparator";
      Check(reverse || *name == "leveldb.BytewiseComparator",
            "not supported: comparator " + *name);
      order_ = reverse ? Order::kReverse : Order::kBytewise;
    }
    Check(VarintProperty("user.defined.timestamps.persisted").value_or(1) != 0,
          "not supported: stripped timestamps");
    const std::string* type = Property("block.based.table.index.type");
    Check(type != nullptr || footer_.version < 2, "no index type");
    if (type != nullptr) {
      Check(type->size() == 4, "index type is not 4 bytes");
      uint32_t number = Fixed32(*type, 0);
      Check(number <= 3, "unknown index type " + std::to_string(number));
      index_type_ = number;
    }
    user_key_index_ = VarintProperty("index.key.is.user.key").value_or(0) != 0;
    delta_index_ =
        VarintProperty("index.value.is.delta.encoded").value_or(0) != 0;
    InterpretExternalFile();
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

  void ReadIndex() {
    Handle handle;
    if (footer_.index.has_value()) {
      handle = *footer_.index;
    } else {
      auto found = table_.meta_blocks.find("rocksdb.index");
      Check(found != table_.meta_blocks.end(), "no index block");
      handle = found->second;
    }
    BlockForm form;
    form.values =
        delta_index_ ? ValueForm::kDeltaHandle : ValueForm::kFullHandle;
    if (index_type_ != kTwoLevel) {
      form.has_first_keys = index_type_ == kFirstKeys;
      for (Item& item : ReadItems(ReadBlock(handle), form)) {
        AddSeparator(std::move(item));
      }
      return;
    }
    for (const Item& top : ReadItems(ReadBlock(handle), form)) {
      std::vector<Item> partition = ReadItems(ReadBlock(top.handle), form);
      Check(!partition.empty(), "empty index partition");
      for (Item& item : partition) AddSeparator(std::move(item));
      Check(table_.index.back().first == top.key,
            "separator of a partition is not its last one");
    }
  }

  void AddSeparator(Item item) {
    Check(table_.index.empty() ||
              CompareSeparators(table_.index.back().first, item.key) <= 0,
          "separators not ascending");
    table_.index.emplace_back(std::move(item.key), item.handle);
    first_keys_.push_back(std::move(item.first_key));
  }

  int CompareSeparators(std::string_view a, std::string_view b) const {
    return user_key_index_ ? CompareUserKeys(order_, a, b)
                           : CompareInternalKeys(order_, a, b);
  }

  // Compares a separator with an internal key of a data block.
  int CompareSeparator(std::string_view separator,
                       std::string_view internal_key) const {
    return user_key_index_
               ? CompareUserKeys(order_, separator, UserKey(internal_key))
               : CompareInternalKeys(order_, separator, internal_key);
  }

  // 9.4. Data blocks only, and not where the property says that none is
  // compressed.
  std::string ReadDictionary() const {
    auto found = table_.meta_blocks.find("rocksdb.compression_dict");
    bool all_raw = !rule_.any && rule_.allowed.empty();
    if (found == table_.meta_blocks.end() || all_raw) return {};
    std::string dictionary = ReadBlock(found->second);
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
    std::string previous;  // The internal key before; empty at the start.
    for (size_t i = 0; i < table_.index.size(); i++) {
      const auto& [separator, handle] = table_.index[i];
      std::string block = ReadBlock(handle, dictionary);
      bool first = true;
      for (const Item& item : ReadItems(block, DataForm())) {
        ReferenceEntry entry = MakeEntry(item, global_sequence_);
        Check(kTypes.count(entry.type) == 1,
              "bad entry type " + std::to_string(entry.type));
        Check(previous.empty() ||
                  CompareInternalKeys(order_, previous, item.key) < 0,
              "keys not ascending");
        Check(!first || i == 0 ||
                  CompareSeparator(table_.index[i - 1].first, item.key) < 0,
              "separator not below the next block");
        Check(!first || index_type_ != kFirstKeys || first_keys_[i] == item.key,
              "first key in the index is not that of the block");
        first = false;
        previous = item.key;
        table_.entries.push_back(std::move(entry));
      }
      Check(first || CompareSeparator(separator, previous) >= 0,
            "separator below its block");
    }
  }

  void ReadRangeDeletions() {
    auto found = table_.meta_blocks.find("rocksdb.range_del");
    if (found == table_.meta_blocks.end()) {
      found = table_.meta_blocks.find("rocksdb.range_del2");
    }
    if (found == table_.meta_blocks.end()) return;
    std::string block = ReadBlock(found->second);
    for (const Item& item : ReadItems(block, {})) {
      ReferenceEntry entry = MakeEntry(item, global_sequence_);
      Check(entry.type == kRangeDeletion, "bad type in range deletions");
      table_.range_deletions.push_back(std::move(entry));
    }
  }

  void CheckMetaBlocks() {
    const std::string full = "fullfilter.";
    for (const auto& [name, handle] : table_.meta_blocks) {
      if (name == "rocksdb.properties") continue;  // Has its own rule.
      Stored stored = FetchChecked(handle);
      if (name.compare(0, full.size(), full) != 0) continue;
      Check(stored.type == 0, "compressed filter");
      table_.filter = stored.bytes;
    }
  }

  void CheckCounts() const {
    uint64_t points = table_.entries.size();
    uint64_t ranges = table_.range_deletions.size();
    Check(VarintProperty("num.entries").value_or(points + ranges) ==
              points + ranges,
          "num.entries is wrong");
    Check(VarintProperty("num.range-deletions").value_or(ranges) == ranges,
          "num.range-deletions is wrong");
  }

  std::string_view file_;
  Footer footer_;
  ReferenceTable table_;
  CodecRule rule_;
  Order order_ = Order::kBytewise;
  uint32_t index_type_ = 0;
  std::vector<std::string> first_keys_;  // By data block; empty if not stored.
  bool user_key_index_ = false;
  bool delta_index_ = false;
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

uint32_t ReferenceBlockChecksum(uint8_t checksum_type, std::string_view block,
                                uint8_t compression_type) {
  std::string covered(block);
  covered.push_back(static_cast<char>(compression_type));
  return reference::Checksum(checksum_type, covered);
}

uint32_t ReferenceContextModifier(uint32_t base, uint64_t offset) {
  return base == 0 ? 0
                   : base ^ (reference::Lo32(offset) + reference::Hi32(offset));
}

ReferenceTable ReadReferenceTable(std::string_view file) {
  return reference::TableReading(file).Read();
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
