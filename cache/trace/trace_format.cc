#include "cache/trace/trace_format.h"

#include <algorithm>
#include <cassert>

#include "util/coding/coding.h"
#include "util/hash/crc32c.h"

namespace ashlar::internal {

namespace {

constexpr char kMagic[] =
    "\x89"
    "ashbct\n";
constexpr size_t kMagicBytes = sizeof kMagic - 1;
constexpr size_t kHeaderBytes = kMagicBytes + 4 + 4 + 8 + 4;
constexpr size_t kChunkHeadBytes = 12;
constexpr size_t kEndBytes = 16;
constexpr uint32_t kLeastRecordBytes = 4;  // of version 1
// The bytes of flags, a time, a file's number and key, a block, and a charge.
constexpr uint32_t kMostRecordBytes = 1 + 10 + 5 + 8 + 10 + 10;
constexpr uint8_t kLastKind = static_cast<uint8_t>(TracedBlockKind::kFilter);
constexpr uint8_t kLastCaller = static_cast<uint8_t>(TracedCaller::kIterator);

// The files of a chunk, in the order in which they come, and the last key of
// each.
class FilesOfChunk {
 public:
  size_t size() const { return last_.size(); }
  CacheKey& operator[](size_t i) { return last_[i]; }
  size_t IndexOf(uint64_t file) const {
    return static_cast<size_t>(std::ranges::find(last_, file, &CacheKey::file) -
                               last_.begin());
  }
  CacheKey& Add(uint64_t file) { return last_.emplace_back(CacheKey{file, 0}); }

 private:
  std::vector<CacheKey> last_;
};

}  // namespace

void AppendTraceHeader(const TraceHeader& header, std::string* out) {
  const size_t begin = out->size();
  out->append(kMagic, kMagicBytes);
  AppendFixed32(out, TraceHeader::kVersion);
  AppendFixed32(out, header.sampling_frequency);
  AppendFixed64(out, header.began_at_micros);
  AppendFixed32(out,
                MaskCrc32c(Crc32c(out->data() + begin, out->size() - begin)));
}

void AppendTraceChunkAsIs(uint32_t count, const std::string& payload,
                          std::string* out) {
  const size_t begin = out->size();
  AppendFixed32(out, static_cast<uint32_t>(payload.size()));
  AppendFixed32(out, count);
  uint32_t crc = Crc32c(out->data() + begin, 8);
  crc = Crc32cExtend(crc, payload.data(), payload.size());
  AppendFixed32(out, MaskCrc32c(crc));
  out->append(payload);
}

// The keys of two blocks of a file differ by the exclusive or of their offsets
// (cache_key.h). So their difference is a small number, whatever the keys are.
void AppendTraceChunk(std::span<const TracedAccess> accesses,
                      std::string* out) {
  assert(!accesses.empty() && accesses.size() <= kMostInChunk);
  std::string payload;
  FilesOfChunk files;
  uint64_t time = 0;
  for (const TracedAccess& each : accesses) {
    payload.push_back(static_cast<char>((each.hit ? 1 : 0) |
                                        static_cast<int>(each.caller) << 1 |
                                        static_cast<int>(each.kind) << 4));
    AppendVarint64(&payload,
                   ZigzagEncode(static_cast<int64_t>(each.micros - time)));
    time = each.micros;
    const size_t file = files.IndexOf(each.key.file);
    AppendVarint64(&payload, file);
    if (file == files.size()) {
      AppendFixed64(&payload, each.key.file);
      files.Add(each.key.file);
    }
    AppendVarint64(&payload, each.key.block ^ files[file].block);
    AppendVarint64(&payload, each.charge);
    files[file].block = each.key.block;
  }
  AppendTraceChunkAsIs(static_cast<uint32_t>(accesses.size()), payload, out);
}

void AppendTraceEnd(const TraceEnd& end, std::string* out) {
  std::string payload;
  AppendFixed64(&payload, end.traced);
  AppendFixed64(&payload, end.dropped);
  AppendTraceChunkAsIs(0, payload, out);
}

// --- Reading -----------------------------------------------------------------

bool IsTraceOfAshlar(const Slice& bytes) {
  return std::string_view(bytes.data(), bytes.size())
      .starts_with(std::string_view(kMagic, kMagicBytes));
}

Status TraceFileReader::Corrupt(const std::string& what) const {
  return Status::Corruption(name_ + ": byte " + std::to_string(offset_) + ": " +
                            what);
}

Status TraceFileReader::ReadAll(size_t n, std::string* bytes) {
  bytes->resize(n);
  size_t got = 0;
  Status status = read_(bytes->data(), n, &got);
  if (!status.ok()) return status;
  next_ += got;
  if (got < n) {
    is_cut_off_ = true;
    return Corrupt("the file ends at byte " + std::to_string(next_) +
                   ", before its end record: it is cut off");
  }
  return {};
}

Status TraceFileReader::ReadHeader(TraceHeader* header) {
  std::string bytes;
  Status status = ReadAll(kHeaderBytes, &bytes);
  if (!status.ok()) return status;
  const char* const p = bytes.data();
  if (!IsTraceOfAshlar(Slice(bytes))) {
    return Corrupt("not a block cache trace: bad magic number");
  }
  version_ = LoadFixed32(p + kMagicBytes);
  if (version_ < 1 || version_ > TraceHeader::kVersion) {
    return Status::NotSupported(name_ + ": block cache trace of version " +
                                std::to_string(version_) + ", expected 1 to " +
                                std::to_string(TraceHeader::kVersion));
  }
  header->version = version_;
  constexpr size_t kChecked = kHeaderBytes - 4;
  if (LoadFixed32(p + kChecked) != MaskCrc32c(Crc32c(p, kChecked))) {
    return Corrupt("checksum mismatch in the header");
  }
  header->sampling_frequency = LoadFixed32(p + kMagicBytes + 4);
  header->began_at_micros = LoadFixed64(p + kMagicBytes + 8);
  return {};
}

Status TraceFileReader::ReadChunk(std::vector<TracedAccess>* accesses,
                                  TraceEnd* end) {
  accesses->clear();
  offset_ = next_;
  std::string head;
  Status status = ReadAll(kChunkHeadBytes, &head);
  if (!status.ok()) return status;
  const uint32_t bytes = LoadFixed32(head.data());
  const uint32_t count = LoadFixed32(head.data() + 4);
  // Checked before memory is allocated.
  const bool possible = count == 0 ? bytes == kEndBytes
                                   : count <= kMostInChunk &&
                                         bytes <= count * kMostRecordBytes &&
                                         bytes >= count * kLeastRecordBytes;
  if (!possible) {
    return Corrupt("bad chunk header: " + std::to_string(count) +
                   " records in " + std::to_string(bytes) + " bytes");
  }
  std::string payload;
  status = ReadAll(bytes, &payload);
  if (!status.ok()) return status;
  const uint32_t crc =
      Crc32cExtend(Crc32c(head.data(), 8), payload.data(), payload.size());
  if (LoadFixed32(head.data() + 8) != MaskCrc32c(crc)) {
    return Corrupt("checksum mismatch in a chunk");
  }
  if (count != 0) {
    records_ += count;
    return Parse(Slice(payload), count, accesses);
  }
  *end = {LoadFixed64(payload.data()), LoadFixed64(payload.data() + 8)};
  if (end->traced != records_) {
    return Corrupt("the end record counts " + std::to_string(end->traced) +
                   " records, found " + std::to_string(records_));
  }
  char more = 0;
  size_t got = 0;
  status = read_(&more, 1, &got);
  return !status.ok() || got == 0 ? status
                                  : Corrupt("bytes after the end record");
}

Status TraceFileReader::Parse(const Slice& payload, uint32_t count,
                              std::vector<TracedAccess>* accesses) const {
  FilesOfChunk files;
  uint64_t time = 0;
  const char* p = payload.data();
  const char* const end = p + payload.size();
  for (uint32_t i = 0; i < count; ++i) {
    const auto bad = [&] {
      accesses->clear();
      return Corrupt("record " + std::to_string(i) + " of the chunk is bad");
    };
    if (p == end) return bad();
    const auto flags = static_cast<uint8_t>(*p++);
    const auto caller = static_cast<uint8_t>(flags >> 1 & 7);
    const auto kind = static_cast<uint8_t>(flags >> 4);
    uint64_t change = 0;
    uint64_t file = 0;
    uint64_t block = 0;
    p = DecodeVarint64(p, end, &change);
    if (p != nullptr) p = DecodeVarint64(p, end, &file);
    if (p == nullptr || file > files.size() || caller > kLastCaller ||
        kind > kLastKind) {
      return bad();
    }
    if (file == files.size()) {
      if (end - p < 8) return bad();
      files.Add(LoadFixed64(p));
      p += 8;
    }
    uint64_t charge = 0;
    p = DecodeVarint64(p, end, &block);
    if (p != nullptr && version_ > 1) p = DecodeVarint64(p, end, &charge);
    if (p == nullptr || charge > kMostTracedCharge) return bad();
    CacheKey& key = files[file];
    key.block ^= block;
    time += static_cast<uint64_t>(ZigzagDecode(change));
    accesses->push_back({.key = key,
                         .micros = time,
                         .kind = static_cast<TracedBlockKind>(kind),
                         .caller = static_cast<TracedCaller>(caller),
                         .hit = (flags & 1) != 0,
                         .charge = charge});
  }
  if (p != end) {
    accesses->clear();
    return Corrupt(std::to_string(end - p) +
                   " bytes after the last record of the chunk");
  }
  return {};
}

}  // namespace ashlar::internal
