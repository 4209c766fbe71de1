#include "cache/trace/rocksdb_trace.h"

#include <optional>

#include "util/coding/coding.h"

namespace ashlar::internal {

namespace {

constexpr std::string_view kMagic = "feedcafedeadbeef";
constexpr size_t kFrameHeadBytes = 8 + 1 + 4;
// RocksDB's own keys and names are far below this.
constexpr uint32_t kMostPayloadBytes = uint32_t{64} << 20;
constexpr uint64_t kMostBlockBytes = uint64_t{1} << 40;
constexpr uint8_t kTraceBegin = 1;
constexpr uint8_t kIoTracer = 12;

// Types of frames that are accesses.
std::optional<BlockAccessKind> KindOf(uint8_t type) {
  switch (type) {
    case 7:
      return BlockAccessKind::kIndex;
    case 8:
      return BlockAccessKind::kFilter;
    case 9:
      return BlockAccessKind::kData;
    case 10:
      return BlockAccessKind::kDictionary;
    case 11:
      return BlockAccessKind::kRangeDeletion;
    default:
      return std::nullopt;
  }
}

BlockAccessCaller CallerOf(uint8_t number) {
  return number < kBlockAccessCallers ? static_cast<BlockAccessCaller>(number)
                                      : BlockAccessCaller::kUnknown;
}

// Takes the fields of a payload one by one. After one that is missing, all
// others are missing too.
class Fields {
 public:
  explicit Fields(const Slice& payload) : rest_(payload) {}

  [[nodiscard]] bool complete() const { return complete_; }

  uint8_t Byte() {
    return Has(1) ? static_cast<uint8_t>(*Take(1)) : uint8_t{0};
  }
  uint32_t Fixed32() { return Has(4) ? LoadFixed32(Take(4)) : 0; }
  uint64_t Fixed64() { return Has(8) ? LoadFixed64(Take(8)) : 0; }
  // A length, and as many bytes.
  Slice Text() {
    if (!complete_) return {};
    uint32_t size = 0;
    const char* const begin = rest_.data();
    const char* const text = DecodeVarint32(begin, begin + rest_.size(), &size);
    if (text == nullptr) {
      complete_ = false;
      return {};
    }
    Take(static_cast<size_t>(text - begin));
    return Has(size) ? Slice(Take(size), size) : Slice();
  }

 private:
  bool Has(size_t n) { return complete_ = complete_ && rest_.size() >= n; }
  const char* Take(size_t n) {
    const char* const begin = rest_.data();
    rest_.remove_prefix(n);
    return begin;
  }

  Slice rest_;
  bool complete_ = true;
};

// Bytes after the last known field are ignored, as RocksDB does.
bool ParseAccess(const Slice& payload, BlockAccess* access) {
  Fields fields(payload);
  access->block_key = fields.Text();
  access->block_bytes = fields.Fixed64();
  access->column_family_id = fields.Fixed64();
  access->column_family_name = fields.Text();
  const uint32_t level = fields.Fixed32();
  access->level = level > static_cast<uint32_t>(INT32_MAX)
                      ? BlockAccess::kUnknownLevel
                      : static_cast<int32_t>(level);
  access->table_number = fields.Fixed64();
  access->caller = CallerOf(fields.Byte());
  access->is_hit = fields.Byte() != 0;
  access->no_insert = fields.Byte() != 0;
  if (access->caller != BlockAccessCaller::kUserGet &&
      access->caller != BlockAccessCaller::kUserMultiGet) {
    return fields.complete();
  }
  access->get_id = fields.Fixed64();
  access->is_of_snapshot = fields.Byte() != 0;
  access->referenced_key = fields.Text();
  if (access->kind != BlockAccessKind::kData) return fields.complete();
  access->referenced_bytes = fields.Fixed64();
  access->entries_in_block = fields.Fixed64();
  access->has_referenced_key = fields.Byte() != 0;
  return fields.complete();
}

}  // namespace

bool IsRocksDBTrace(const Slice& bytes) {
  if (bytes.size() < kFrameHeadBytes + 1 + kMagic.size()) return false;
  const std::string_view payload(bytes.data() + kFrameHeadBytes,
                                 bytes.size() - kFrameHeadBytes);
  // Query traces have no length before the magic text.
  return static_cast<uint8_t>(bytes[8]) == kTraceBegin &&
         (payload.starts_with(kMagic) ||
          (static_cast<uint8_t>(payload[0]) == kMagic.size() &&
           payload.substr(1).starts_with(kMagic)));
}

Status RocksDBTraceReader::Corrupt(const std::string& what) const {
  return Status::Corruption(name_ + ": byte " + std::to_string(frame_offset_) +
                            ": " + what);
}

Status RocksDBTraceReader::CutOff(const std::string& what) {
  is_cut_off_ = true;
  return Corrupt(what + ": the trace is cut off, or still being written");
}

Status RocksDBTraceReader::ReadFrame(Frame* frame, bool* found) {
  *found = false;
  frame_offset_ = input_->offset();
  Slice head;
  if (Status s = input_->Peek(kFrameHeadBytes, &head); !s.ok()) return s;
  if (head.empty()) return {};
  if (head.size() < kFrameHeadBytes) {
    return CutOff("the file ends after " + std::to_string(head.size()) +
                  " of the 13 bytes before a record");
  }
  frame->micros = LoadFixed64(head.data());
  frame->type = static_cast<uint8_t>(head[8]);
  const uint32_t size = LoadFixed32(head.data() + 9);
  if (size > kMostPayloadBytes) {
    return Corrupt("a record of " + std::to_string(size) +
                   " bytes, which is too long");
  }
  Slice whole;
  if (Status s = input_->Peek(kFrameHeadBytes + size, &whole); !s.ok()) {
    return s;
  }
  if (whole.size() < kFrameHeadBytes + size) {
    return CutOff("the file ends after " +
                  std::to_string(whole.size() - kFrameHeadBytes) + " of the " +
                  std::to_string(size) + " bytes of a record");
  }
  input_->Pass(whole.size());
  frame->payload = whole;
  frame->payload.remove_prefix(kFrameHeadBytes);
  *found = true;
  return {};
}

Status RocksDBTraceReader::ReadHeader(BlockCacheTraceHeader* header) {
  Frame frame;
  bool found = false;
  if (Status s = ReadFrame(&frame, &found); !s.ok()) return s;
  if (!found || frame.type != kTraceBegin) {
    return Corrupt("not a block cache trace");
  }
  if (std::string_view(frame.payload.data(), frame.payload.size())
          .starts_with(kMagic)) {
    return Status::NotSupported(
        name_ +
        ": a query trace of RocksDB; DB::StartBlockCacheTrace writes traces "
        "of the block cache");
  }
  Fields fields(frame.payload);
  const Slice magic = fields.Text();
  const uint32_t major = fields.Fixed32();
  const uint32_t minor = fields.Fixed32();
  if (!fields.complete() ||
      std::string_view(magic.data(), magic.size()) != kMagic) {
    return Corrupt("the header of the trace is malformed");
  }
  *header = {.format = BlockCacheTraceFormat::kRocksDB,
             .sampling_frequency = 0,
             .rocksdb_major = major,
             .rocksdb_minor = minor};
  return {};
}

Status RocksDBTraceReader::CheckType(uint8_t type) const {
  if (KindOf(type)) return {};
  if (type == kIoTracer) {
    return Status::NotSupported(
        name_ + ": byte " + std::to_string(frame_offset_) +
        ": a record of RocksDB's IO trace; DB::StartBlockCacheTrace writes "
        "traces of the block cache");
  }
  return Corrupt("a record of type " + std::to_string(type) +
                 ", which is no access to a block");
}

Status RocksDBTraceReader::Next(BlockAccess* access, bool* found) {
  Frame frame;
  if (Status s = ReadFrame(&frame, found); !s.ok() || !*found) return s;
  *found = false;
  if (Status s = CheckType(frame.type); !s.ok()) return s;
  *access = {};
  access->micros = frame.micros;
  access->kind = *KindOf(frame.type);
  if (!ParseAccess(frame.payload, access)) {
    return Corrupt("a record of " + std::to_string(frame.payload.size()) +
                   " bytes ends before its last field");
  }
  if (access->block_bytes > kMostBlockBytes) {
    return Corrupt("a block of " + std::to_string(access->block_bytes) +
                   " bytes, which is too large");
  }
  *found = true;
  return {};
}

}  // namespace ashlar::internal
