// Tests every error of reading. It names the file, the kind of block and its
// block handle, what was expected and what was found.

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ashlar/table/table_reader.h"
#include "table/block/block.h"
#include "table/block/block_builder.h"
#include "table/format/block_trailer.h"
#include "table/format/footer.h"
#include "table/meta/plain_block.h"
#include "table/meta/properties_block.h"
#include "test/support/resign.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using internal::BlockHandle;
using internal::Buffer;
using internal::Footer;
using Code = Status::Code;
using SubCode = Status::SubCode;

void ExpectError(const Status& status, Code code, const std::string& message,
                 SubCode subcode = SubCode::kNone) {
  EXPECT_EQ(status.code(), code) << status.ToString();
  EXPECT_EQ(status.subcode(), subcode) << status.ToString();
  EXPECT_EQ(status.message(), message);
}

// --- Tables put together by hand ---------------------------------------------

std::string Coded(const BlockHandle& handle) {
  std::string bytes;
  handle.AppendTo(&bytes);
  return bytes;
}

// The contents of each block. Assembly gives them trailers and offsets.
struct Parts {
  Parts() {
    TableProperties p;
    p.comparator_name = "leveldb.BytewiseComparator";
    p.compression_name = "NoCompression";
    p.num_entries = 1;
    p.num_data_blocks = 1;
    Buffer block;
    internal::EncodeProperties(p, &block);
    properties = block.slice().ToString();
    data = BlockOf({{Value("k", 7, "").key, "v"}});
  }

  static std::string BlockOf(const std::vector<Entry>& entries) {
    Buffer block;
    internal::BlockBuilder builder(1, &block);
    for (const Entry& entry : entries) builder.Add(entry.key, 0, entry.value);
    static_cast<void>(builder.Finish());
    return block.slice().ToString();
  }
  static std::string PlainBlockOf(
      const std::map<std::string, std::string>& entries) {
    Buffer block;
    internal::EncodePlainBlock(entries, 1, &block);
    return block.slice().ToString();
  }
  // Changes one property. Removes it if `bytes` is null.
  void SetProperty(const std::string& name, const char* bytes, size_t size) {
    TableProperties decoded;
    Require(internal::DecodeProperties(properties, {}, &decoded));
    std::map<std::string, std::string> stored = decoded.stored.ToMap();
    stored.erase(name);
    if (bytes != nullptr) stored[name] = std::string(bytes, size);
    properties = PlainBlockOf(stored);
  }

  std::string data;
  uint8_t data_type = 0;
  std::string properties;
  std::string range_deletions;  // empty: the table has none
  std::optional<std::string> dictionary;
  // Empty: made to fit the other blocks.
  std::string index;
  std::string metaindex;
  std::map<std::string, std::string> more_meta;
  std::string without_meta;
  uint32_t format_version = 6;
};

class Assembly {
 public:
  explicit Assembly(const Parts& parts) {
    footer_.format_version = parts.format_version;
    footer_.checksum = ChecksumType::kXXH3;
    footer_.base_context_checksum = parts.format_version >= 6 ? 77 : 0;
    const BlockHandle data =
        Append(BlockKind::kData, parts.data, parts.data_type);
    footer_.index =
        Append(BlockKind::kIndex,
               !parts.index.empty()
                   ? parts.index
                   : Parts::BlockOf({{Value("k", 7, "").key, Coded(data)}}));
    const BlockHandle properties =
        Append(BlockKind::kProperties, parts.properties);
    std::map<std::string, std::string> meta = parts.more_meta;
    if (!parts.range_deletions.empty()) {
      meta["rocksdb.range_del"] =
          Coded(Append(BlockKind::kRangeDeletion, parts.range_deletions));
    }
    if (parts.dictionary.has_value()) {
      meta["rocksdb.compression_dict"] =
          Coded(Append(BlockKind::kDictionary, *parts.dictionary));
    }
    meta.emplace("rocksdb.properties", Coded(properties));
    if (parts.format_version >= 6) {
      meta.emplace("rocksdb.index", Coded(footer_.index));
    }
    meta.erase(parts.without_meta);
    footer_.metaindex = Append(
        BlockKind::kMetaIndex,
        !parts.metaindex.empty() ? parts.metaindex : Parts::PlainBlockOf(meta));
    footer_.offset = bytes_.size();
    bytes_ += internal::EncodeFooter(footer_);
  }

  const std::string& bytes() const { return bytes_; }
  // Returns the text with "{data}" and so on replaced by the place of that
  // block, and "{footer}" by the offset of the footer.
  std::string Fill(std::string text) const {
    Replace("{footer}", std::to_string(footer_.offset), &text);
    for (const auto& [kind, handle] : handles_) {
      const std::string name(BlockKindName(kind));
      Replace("{" + name + "}",
              name + " block " + (kind == BlockKind::kData ? "#0 " : "") +
                  "offset " + std::to_string(handle.offset) + " size " +
                  std::to_string(handle.size),
              &text);
    }
    return text;
  }

 private:
  static void Replace(const std::string& from, const std::string& to,
                      std::string* text) {
    const size_t at = text->find(from);
    if (at != std::string::npos) text->replace(at, from.size(), to);
  }
  BlockHandle Append(BlockKind kind, const std::string& contents,
                     uint8_t type = 0) {
    const BlockHandle handle{bytes_.size(), contents.size()};
    char trailer[internal::kBlockTrailerSize];
    internal::EncodeTrailer(footer_.checksum, footer_.base_context_checksum,
                            handle.offset, contents, type, trailer);
    bytes_ += contents + std::string(trailer, sizeof trailer);
    handles_[kind] = handle;
    return handle;
  }

  Footer footer_;
  std::string bytes_;
  std::map<BlockKind, BlockHandle> handles_;
};

// Opens the table, and reads it forward and backward if that succeeds. Returns
// the first error.
Status FirstError(const std::string& bytes, const ReaderOptions& options = {}) {
  auto opened = TableReader::Open(NewMemoryFile("t.sst", bytes), options);
  if (!opened.ok()) return opened.status();
  std::vector<Entry> entries;
  Status forward = ReadForward(**opened, {}, &entries);
  entries.clear();
  const Status backward = ReadBackward(**opened, {}, &entries);
  EXPECT_EQ(forward.ok(), backward.ok());
  return forward;
}

struct Case {
  std::function<void(Parts*)> damage;
  Code code;
  // The message without the name of the file.
  std::string message;
  SubCode subcode = SubCode::kNone;
};

void Check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    Parts parts;
    c.damage(&parts);
    const Assembly table(parts);
    ExpectError(FirstError(table.bytes()), c.code,
                table.Fill("t.sst: " + c.message), c.subcode);
  }
}

TEST(ReaderErrors, TheTableIsSoundBeforeItIsDamaged) {
  for (const uint32_t version : {2u, 5u, 6u, 7u}) {
    Parts parts;
    parts.format_version = version;
    if (version == 7) parts.SetProperty("rocksdb.compression", ";;", 2);
    const Status status = FirstError(Assembly(parts).bytes());
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
}

TEST(ReaderErrors, Metaindex) {
  const std::string far = Coded({uint64_t{1} << 40, 5});
  const std::string wraps = Coded({~uint64_t{0} - 3, 5});
  Check({
      {[](Parts* p) { p->without_meta = "rocksdb.properties"; },
       Code::kCorruption,
       "missing entry in {meta-index}: expected rocksdb.properties, found none "
       "of that name"},
      {[](Parts* p) { p->without_meta = "rocksdb.index"; }, Code::kCorruption,
       "missing entry in {meta-index}: expected rocksdb.index, found none of "
       "that name"},
      {[](Parts* p) { p->more_meta["x"] = "\xff"; }, Code::kCorruption,
       "bad block handle in {meta-index}: 'x' has none"},
      {[&](Parts* p) { p->more_meta["x"] = far; }, Code::kCorruption,
       "bad block handle in {meta-index}: 'x' names offset 1099511627776 size "
       "5, expected to end by {footer}"},
      {[&](Parts* p) { p->more_meta["x"] = wraps; }, Code::kCorruption,
       "bad block handle in {meta-index}: 'x' names offset "
       "18446744073709551612 size 5, expected to end by {footer}"},
      {[](Parts* p) {
         p->metaindex = Parts::BlockOf({{"b", Coded({0, 1})}, {"a", ""}});
       },
       Code::kCorruption,
       "metaindex unsorted in {meta-index}: 'a' is not larger than 'b'"},
      {[](Parts* p) { p->metaindex = "abc"; }, Code::kCorruption,
       "bad block contents in {meta-index}: expected 4 bytes to 2 GiB, found "
       "3"},
  });
}

TEST(ReaderErrors, Dictionary) {
  Parts parts;
  parts.more_meta["rocksdb.compression_dict"] = Coded({0, 10});
  // The dictionary is not read if no block is compressed.
  EXPECT_TRUE(FirstError(Assembly(parts).bytes()).ok());
  parts.SetProperty("rocksdb.compression", nullptr, 0);
  const Status status = FirstError(Assembly(parts).bytes());
  EXPECT_TRUE(status.IsCorruption()) << status.ToString();
  EXPECT_NE(status.message().find("block checksum mismatch in dictionary block "
                                  "offset 0 size 10"),
            std::string_view::npos)
      << status.ToString();
}

TEST(ReaderErrors, EmptyDictionary) {
  Check({{[](Parts* p) {
            p->SetProperty("rocksdb.compression", nullptr, 0);
            p->dictionary = "";
          },
          Code::kCorruption,
          "bad dictionary in {dictionary}: the dictionary is empty"}});
}

TEST(ReaderErrors, BlocksThatAreNotHonoured) {
  const std::string handle = Coded({0, 10});
  // Such entries may be in the metaindex, and their handles may name blocks
  // that do not exist.
  Parts parts;
  parts.more_meta = {{"rocksdb.range_del", Coded({0, 0})},
                     {"rocksdb.something", handle},
                     {"filter.other", handle}};
  EXPECT_TRUE(FirstError(Assembly(parts).bytes()).ok());
}

TEST(ReaderErrors, RangeDeletions) {
  const auto block = [](const std::vector<Entry>& entries) {
    return [=](Parts* p) { p->range_deletions = Parts::BlockOf(entries); };
  };
  Check({
      {[](Parts* p) { p->range_deletions = "abc"; }, Code::kCorruption,
       "bad block contents in {range-del}: expected 4 bytes to 2 GiB, found 3"},
      {block({RangeDeleted("a", 5, "b"), {"short", "c"}}), Code::kCorruption,
       "bad entry in {range-del}: number 1 has a key shorter than its tail of "
       "8 bytes"},
      {block({Value("a", 5, "b")}), Code::kCorruption,
       "bad entry in {range-del}: number 0 is 'a' seq:5, type:1, expected type "
       "15"},
      {[](Parts* p) {
         p->more_meta["rocksdb.range_del2"] = Coded({0, 10});
       },
       Code::kCorruption,
       "block checksum mismatch in range-del block offset 0 size 10: stored = "
       "30208, computed = 456571061, type = 0"},
  });
  // Range deletions may have any order and overlap, and cover no key. The block
  // may be empty.
  Parts parts;
  parts.range_deletions = Parts::BlockOf({});
  EXPECT_TRUE(FirstError(Assembly(parts).bytes()).ok());
  parts.range_deletions =
      Parts::BlockOf({RangeDeleted("z", 5, "a"), RangeDeleted("k", 5, "k"),
                      RangeDeleted("a", 9, "z"), RangeDeleted("a", 9, "z")});
  EXPECT_TRUE(FirstError(Assembly(parts).bytes()).ok());
}

TEST(ReaderErrors, Properties) {
  const std::string index_type = "rocksdb.block.based.table.index.type";
  const std::string version = "rocksdb.external_sst_file.version";
  const std::string seqno = "rocksdb.external_sst_file.global_seqno";
  const auto set = [](const std::string& name, const std::string& value) {
    return [=](Parts* p) { p->SetProperty(name, value.data(), value.size()); };
  };
  const std::string one("\1\0\0\0", 4);
  const std::string two("\2\0\0\0", 4);
  const std::string four("\4\0\0\0", 4);
  const std::string nine("\t\0\0\0\0\0\0\0", 8);
  Check({
      {[&](Parts* p) { p->SetProperty(index_type, nullptr, 0); },
       Code::kCorruption,
       "bad property in {properties}: expected " + index_type +
           ", found none of that name"},
      {set(index_type, "abc"), Code::kCorruption,
       "bad property in {properties}: " + index_type +
           " of 3 bytes does not decode"},
      {set(index_type, four), Code::kNotSupported,
       "index type 4 in {properties}: this release does not support it"},
      {set("rocksdb.comparator", "mine"), Code::kNotSupported,
       "unusable comparator in {properties}: comparator mine is not built in",
       SubCode::kNotBuiltIn},
      {set(version, "abcd"), Code::kCorruption,
       "bad property in {properties}: external file version 1684234849, "
       "expected 1 or 2"},
      {set(seqno, nine), Code::kCorruption,
       "bad property in {properties}: property " + seqno +
           " in a file that has no " + version},
      {[&](Parts* p) {
         set(version, one)(p);
         set(seqno, nine)(p);
       },
       Code::kCorruption,
       "bad property in {properties}: external file of version 1 with a "
       "global sequence number"},
      {set("rocksdb.compression", "Magic"), Code::kCorruption,
       "bad property in {properties}: rocksdb.compression 'Magic': unknown "
       "codec name"},
      {[](Parts* p) {
         p->properties = Parts::BlockOf({{"b", ""}, {"a", ""}});
       },
       Code::kCorruption,
       "properties unsorted in {properties}: 'a' is not larger than 'b'"},
  });
}

TEST(ReaderErrors, CompressionPropertyOfFormat7) {
  const auto set = [](const char* value) {
    return [=](Parts* p) {
      p->format_version = 7;
      p->SetProperty("rocksdb.compression_options", nullptr, 0);
      p->SetProperty("rocksdb.compression", value, std::string(value).size());
    };
  };
  const std::string front =
      "bad property in {properties}: rocksdb.compression '";
  Check({
      {set("ZSTD"), Code::kCorruption, front + "ZSTD': missing separator"},
      {set("BuiltinV2;07"), Code::kCorruption,
       front + "BuiltinV2;07': missing second separator"},
      {set("BuiltinV2;7;"), Code::kCorruption,
       front + "BuiltinV2;7;': odd digit count"},
      {set("BuiltinV2;0g;"), Code::kCorruption,
       front + "BuiltinV2;0g;': bad digit"},
      {set("BuiltinV2;00;"), Code::kCorruption,
       front + "BuiltinV2;00;': bad type"},
      {set("BuiltinV2;FF;"), Code::kCorruption,
       front + "BuiltinV2;FF;': bad type"},
  });
}

TEST(ReaderErrors, Comparators) {
  const Assembly table{Parts()};
  ExpectError(
      FirstError(table.bytes(), {.comparator = ReverseBytewiseComparator()}),
      Code::kInvalidArgument,
      table.Fill("t.sst: unusable comparator in {properties}: comparator "
                 "leveldb.BytewiseComparator does not match the given one, "
                 "rocksdb.ReverseBytewiseComparator"));
  EXPECT_TRUE(
      FirstError(table.bytes(), {.comparator = BytewiseComparator()}).ok());
  // A file that names no comparator is read with the one that the caller
  // passes.
  Parts parts;
  parts.SetProperty("rocksdb.comparator", nullptr, 0);
  EXPECT_TRUE(FirstError(Assembly(parts).bytes()).ok());
  EXPECT_TRUE(FirstError(Assembly(parts).bytes(),
                         {.comparator = ReverseBytewiseComparator()})
                  .ok());
}

TEST(ReaderErrors, Index) {
  const std::string key = Value("k", 7, "").key;
  const std::string handle = Coded({0, 10});
  const auto index = [](const std::vector<Entry>& entries) {
    return [=](Parts* p) { p->index = Parts::BlockOf(entries); };
  };
  Check({
      {index({{"short", handle}}), Code::kCorruption,
       "bad index entry in {index}: entry 0 has a key that is not an internal "
       "key"},
      {index({{key, Coded({4000, 70})}}), Code::kCorruption,
       "bad block handle in {index}: entry 0 names offset 4000 size 70, "
       "expected to end by {footer}"},
      {index({{key, handle}, {key, handle}}), Code::kCorruption,
       "bad block handle in {index}: entry 1 names offset 0, expected 15 or "
       "more, where the block before it ends"},
      {index({{key, handle}, {key, Coded({15, 10})}}), Code::kCorruption,
       "bad index entry in {index}: entry 1 is not larger than the one before "
       "it"},
      {index({{key, "\xff"}}), Code::kCorruption,
       "bad index entry in {index}: the one at byte 0 does not decode"},
      {[](Parts* p) { p->index = std::string("\0\0\0\x40", 4); },
       Code::kCorruption,
       "bad block contents in {index}: reserved bit 30 of the block footer is "
       "1"},
  });
}

std::string BlockTail(uint32_t restart, uint32_t packed) {
  std::string tail;
  internal::AppendFixed32(&tail, restart);
  internal::AppendFixed32(&tail, packed);
  return tail;
}

TEST(ReaderErrors, DataBlockContents) {
  const std::string entry =
      std::string("\0\x9\1", 3) + Value("k", 7, "").key + "v";
  const auto data = [](const std::string& bytes) {
    return [=](Parts* p) { p->data = bytes; };
  };
  const std::string front = "bad block contents in {data}: ";
  Check({
      {data("abc"), Code::kCorruption,
       front + "expected 4 bytes to 2 GiB, found 3"},
      {data(entry + BlockTail(0, 1u << 30 | 1)), Code::kCorruption,
       front + "reserved bit 30 of the block footer is 1"},
      {data(std::string("\1\0\0\x10", 4)), Code::kCorruption,
       front + "the block is too small for the offset of its values"},
      {data(entry + std::string(4, '\0') + BlockTail(14, 1u << 28 | 1)),
       Code::kCorruption,
       front + "values begin at byte 14, expected at most 13"},
      {data(entry + BlockTail(0, 1u << 31 | 1)), Code::kCorruption,
       front + "the hash index does not fit into the block"},
      {data(entry + BlockTail(0, 100)), Code::kCorruption,
       front + "100 restart points do not fit 17 bytes"},
      {data(entry + BlockTail(0, 1u << 27)), Code::kCorruption,
       front + "134217728 restart points do not fit 17 bytes"},
      {data(entry + BlockTail(1, 1)), Code::kCorruption,
       front + "restart offsets do not ascend from 0 within the entries"},
      {data(entry + entry.substr(0, 4) + BlockTail(99, 2)), Code::kCorruption,
       front + "restart offsets do not ascend from 0 within the entries"},
      {data(entry + entry + std::string("\0\0\0\0\x0d\0\0\0", 8) +
            BlockTail(4, 3)),
       Code::kCorruption,
       front + "restart offsets do not ascend from 0 within the entries"},
      {data(entry + entry + std::string("\0\0\0\0\x0d\0\0\0", 8) +
            BlockTail(13, 3)),
       Code::kCorruption,
       front + "restart offsets do not ascend from 0 within the entries"},
      {data(entry + std::string(4, '\0')), Code::kCorruption,
       front + "restart offsets do not ascend from 0 within the entries"},
  });
}

// A damaged block leaves the view empty. Its size would otherwise be the
// difference of two unrelated addresses.
TEST(ReaderErrors, OfADamagedBlockNothingIsInView) {
  const std::string entry =
      std::string("\0\x9\1", 3) + Value("k", 7, "").key + "v";
  const std::string block =
      entry + std::string(4, '\0') + BlockTail(14, 1u << 28 | 1);
  internal::BlockView view;
  EXPECT_FALSE(internal::ParseBlock(block, {}, &view).ok());
  EXPECT_EQ(view.restarts, nullptr);
  EXPECT_EQ(view.num_restarts, 0u);
}

TEST(ReaderErrors, DataBlockEntries) {
  const std::string key = Value("k", 7, "").key;
  const std::string entry = std::string("\0\x9\1", 3) + key + "v";
  const auto data = [](const std::string& entries) {
    return [=](Parts* p) { p->data = entries + BlockTail(0, 1); };
  };
  const std::string front = "bad entry in {data}: ";
  const std::string near = ", near key 'k' seq:7, type:1";
  std::string odd = entry;
  odd[3 + 1] = '\x0f';
  Check({
      {data(std::string("\0\x9\x2", 3) + key + "v"), Code::kCorruption,
       front + "header does not fit (entry at byte 0)"},
      {data(std::string("\1\x9\1", 3) + key + "v"), Code::kCorruption,
       front + "header does not fit (entry at byte 0)"},
      {data(entry + "\x80"), Code::kCorruption,
       front + "header does not fit (entry at byte 13)" + near},
      {data(std::string("\0\7\0", 3) + "1234567"), Code::kCorruption,
       front + "key is shorter than its tail of 8 bytes (entry at byte 0)"},
      {data(entry + entry), Code::kCorruption,
       front + "key is not larger than the one before it (entry at byte 13)" +
           near},
      {data(odd), Code::kCorruption,
       front + "value type is not one that a data block can hold (entry at "
               "byte 0), near key 'k' seq:7, type:15"},
      {data(std::string("\0\x9\1", 3) + Value("l", 7, "").key + "v"),
       Code::kCorruption,
       "key on the wrong side of its index separator in {data}: 'l' seq:7, "
       "type:1"},
  });
}

TEST(ReaderErrors, CompressionTypes) {
  const auto type = [](uint8_t byte) {
    return [=](Parts* p) {
      p->SetProperty("rocksdb.compression", nullptr, 0);
      p->data_type = byte;
    };
  };
  const std::string front = "bad compressed data in {data}: ";
  Check({
      {type(0x06), Code::kNotSupported,
       front + "compression type xpress (0x06) is not built in",
       SubCode::kNotBuiltIn},
      {type(0x8a), Code::kNotSupported, front + "custom compression type 0x8A",
       SubCode::kCustomCompression},
      {type(0x33), Code::kCorruption, front + "unknown compression type 0x33"},
      {[](Parts* p) { p->data_type = 7; }, Code::kCorruption,
       "bad compression type in {data}: found 7, which the property "
       "rocksdb.compression does not declare"},
      // The block declares 2^21 uncompressed bytes, which two compressed bytes
      // cannot hold.
      {[&](Parts* p) {
         type(0x04)(p);
         p->data = std::string("\x80\x80\x80\1ab", 6);
       },
       Code::kCorruption,
       front + "lz4 block declares 2097152 uncompressed bytes, which take at "
               "least 8225 compressed bytes; found 2"},
  });
}

TEST(ReaderErrors, UncompressedSizeAboveTheLimit) {
  TableOptions options;
  options.compression = CompressionType::kZSTD;
  const std::string bytes =
      BuildTable(options, {Value("k", 1, std::string(100000, 'v'))});
  const BlockInfo block = FindBlock(BlocksOf(bytes), BlockKind::kData);
  ExpectError(FirstError(bytes, {.max_uncompressed_block_bytes = 50000}),
              Code::kCorruption,
              "t.sst: bad compressed data in data block #0 offset 0 size " +
                  std::to_string(block.size) + ": zstd block declares " +
                  std::to_string(block.raw_size) +
                  " uncompressed bytes, above the limit of 50000",
              SubCode::kAboveSizeLimit);
  EXPECT_TRUE(FirstError(bytes, {.max_uncompressed_block_bytes = 200000}).ok());
}

// --- Footers ----------------------------------------------------------------

struct FooterCase {
  size_t at;  // within the footer
  std::string bytes;
  Code code;
  std::string message;  // what stands behind the place
  SubCode subcode = SubCode::kNone;
};

void CheckFooters(const std::string& table,
                  const std::vector<FooterCase>& cases) {
  const size_t offset = table.size() - internal::kFooterSize;
  for (const FooterCase& c : cases) {
    std::string damaged = table;
    damaged.replace(offset + c.at, c.bytes.size(), c.bytes);
    const std::string what =
        c.code == Code::kNotSupported ? "unsupported footer" : "bad footer";
    ExpectError(FirstError(damaged), c.code,
                "t.sst: " + what + " in footer block offset " +
                    std::to_string(offset) + " size 53: " + c.message,
                c.subcode);
  }
}

TEST(ReaderErrors, Footers) {
  const Assembly table{Parts()};
  CheckFooters(
      table.bytes(),
      {{45, "12345678", Code::kCorruption,
        "bad table magic number: expected 0x88E241B785F4CFF7, found "
        "0x3837363534333231"},
       {45, Unhex("6495bf6396224282"), Code::kNotSupported,
        "file is a plain table, not a block-based table", SubCode::kPlainTable},
       {45, Unhex("7378f1c5d0896792"), Code::kNotSupported,
        "file is a cuckoo table, not a block-based table",
        SubCode::kCuckooTable},
       {45, Unhex("f09faab3f09faab3"), Code::kNotSupported,
        "file is a Pebble table, not a block-based table",
        SubCode::kPebbleTable},
       {41, std::string(4, '\0'), Code::kCorruption,
        "bad format_version: 0 in a footer of version 1 or later"},
       {41, std::string("\x8\0\0\0", 4), Code::kNotSupported,
        "format_version 8 is newer than this program reads (up to 7)",
        SubCode::kNewerFormat},
       {0, "\x5", Code::kCorruption,
        "bad checksum type: expected 0 to 4, found 5"},
       {1, "\x3f", Code::kCorruption,
        "bad extended magic number: expected 0x7A003E, found 0x7A003F"},
       {9, std::string(4, '\0'), Code::kCorruption,
        "bad base context checksum: expected a value other than 0, found 0"}});
  Parts old;
  old.format_version = 5;
  const std::string bytes = Assembly(old).bytes();
  CheckFooters(bytes, {{1, std::string(40, '\xff'), Code::kCorruption,
                        "bad metaindex handle in the footer"},
                       {4, std::string(37, '\xff'), Code::kCorruption,
                        "bad index handle in the footer"}});
}

TEST(ReaderErrors, FootersWithRightChecksums) {
  const Assembly table{Parts()};
  const BlockInfo footer =
      FindBlock(BlocksOf(table.bytes()), BlockKind::kFooter);
  std::string future = table.bytes();
  future[footer.offset + 33] = 1;
  Resign(footer, &future);
  const std::string place =
      " in footer block offset " + std::to_string(footer.offset) + " size 53: ";
  ExpectError(
      FirstError(future), Code::kNotSupported,
      "t.sst: unsupported footer" + place +
          "the reserved bytes are not zero, so a later release wrote the file",
      SubCode::kNewerFormat);
  std::string large = table.bytes();
  internal::StoreFixed32(large.data() + footer.offset + 13, 0x10000);
  Resign(footer, &large);
  ExpectError(FirstError(large), Code::kCorruption,
              "t.sst: bad footer" + place +
                  "metaindex of 65536 bytes does not fit before the footer");
}

TEST(ReaderErrors, FilesThatAreTooShort) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{47}}) {
    ExpectError(FirstError(std::string(size, 'x')), Code::kCorruption,
                "t.sst: bad footer in footer block offset 0 size " +
                    std::to_string(size) + ": the file has " +
                    std::to_string(size) + " bytes; a table has at least 48");
  }
}

// The magic number is one of footers of 53 bytes.
TEST(ReaderErrors, FilesThatAreTooShortForTheirMagic) {
  const std::string table = Assembly(Parts()).bytes();
  const std::string footer = table.substr(table.size() - internal::kFooterSize);
  for (size_t size = 48; size < internal::kFooterSize; ++size) {
    ExpectError(FirstError(footer.substr(footer.size() - size)),
                Code::kCorruption,
                "t.sst: bad footer in footer block offset 0 size " +
                    std::to_string(size) + ": the file has " +
                    std::to_string(size) + " bytes; a table has at least 53");
  }
}

TEST(ReaderErrors, ChecksumMismatch) {
  std::string bytes = Assembly(Parts()).bytes();
  bytes[0] ^= 1;
  const Status status = OpenTable(bytes)->VerifyChecksum();
  EXPECT_TRUE(status.IsCorruption());
  EXPECT_TRUE(status.message().starts_with(
      "test.sst: block checksum mismatch in data block #0 offset 0 size 21: "
      "stored = "))
      << status.ToString();
  EXPECT_NE(status.message().find(", computed = "), std::string_view::npos);
}

TEST(ReaderErrors, ValuesThatGetDoesNotUnderstand) {
  Parts parts;
  const std::string key =
      MakeInternalKey("k", 7, ValueType::kTypeWideColumnEntity);
  parts.data = Parts::BlockOf({{key, "\1"}});
  parts.index = Parts::BlockOf({{key, Coded({0, parts.data.size()})}});
  const Assembly table(parts);
  EXPECT_TRUE(FirstError(table.bytes()).ok());
  GetResult result;
  ExpectError(OpenTable(table.bytes())->Get("k", &result), Code::kCorruption,
              table.Fill("test.sst: value of 'k' seq:7, type:22 in {data}: bad "
                         "wide-column entity: no number of columns"));
  EXPECT_EQ(result.state, GetResult::State::kNotFound);
}

TEST(ReaderErrors, OperandsThatNobodyTakes) {
  const auto reader = OpenTable(BuildTable({}, {Operand("k", 3, "x")}));
  GetResult result;
  ExpectError(reader->Get("k", &result), Code::kMergeInProgress,
              "test.sst: key 'k' seq:3, type:2 is a merge operand, and there "
              "is no callback to take it");
}

}  // namespace
}  // namespace ashlar::testing
