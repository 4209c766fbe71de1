#include "table/dump/dump_format.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "ashlar/cache/hash/key_hash.h"
#include "third-party/xxhash_lib.h"
#include "util/coding/coding.h"
#include "util/hash/crc32c.h"

namespace ashlar::internal {

namespace {

constexpr std::string_view kMagic(
    "\x89"
    "ashcdp\n",
    8);
constexpr uint32_t kVersion = 1;
constexpr uint32_t kHasBlocks = 1;
constexpr std::string_view kMarker(
    "\x9e"
    "acd",
    4);
constexpr uint8_t kWasHit = 1;
// The size of reads and writes; that of reads which pass over most bytes.
constexpr size_t kPiece = size_t{256} << 10;
constexpr size_t kSmallPiece = 512;

// Where the fields of a head begin.
constexpr size_t kChecksumAt = 4;
constexpr size_t kTypeAt = 8;
constexpr size_t kRoleAt = 9;
constexpr size_t kFlagsAt = 10;
constexpr size_t kCompressionAt = 11;
constexpr size_t kBodySizeAt = 12;
constexpr size_t kRawSizeAt = 16;
constexpr size_t kChargeAt = 20;
constexpr size_t kFileAt = 24;
constexpr size_t kBlockAt = 32;
constexpr size_t kBodyChecksumAt = 40;

uint32_t HeadChecksum(const char* head, uint64_t id, uint64_t offset) {
  std::array<char, 2 * sizeof(uint64_t)> context;
  StoreFixed64(context.data(), id);
  StoreFixed64(context.data() + sizeof id, offset);
  return MaskCrc32c(Crc32cExtend(Crc32c(context.data(), context.size()),
                                 head + kTypeAt, kDumpHeadBytes - kTypeAt));
}

// Under the key and the role, so that the bytes of one entry are not taken for
// those of another.
uint64_t BodyChecksum(const CacheKey& key, uint8_t role, const Slice& body) {
  const HashSeed seed = {.a = 0x452821e638d01377, .b = role};
  return XXH3_64bits_withSeed(body.data(), body.size(), KeyHash(key, seed));
}

}  // namespace

// --- Writing -----------------------------------------------------------------

Status DumpWriter::AddHeader(bool has_blocks) {
  std::array<char, kDumpHeaderBytes> header;
  char* const p = header.data();
  std::memcpy(p, kMagic.data(), kMagic.size());
  StoreFixed32(p + 8, kVersion);
  StoreFixed32(p + 12, has_blocks ? kHasBlocks : 0);
  StoreFixed64(p + 16, id_);
  StoreFixed32(p + 24, MaskCrc32c(Crc32c(p, 24)));
  pending_.Append(Slice(p, header.size()));
  bytes_ += header.size();
  return {};
}

Status DumpWriter::Add(const DumpRecord& record) {
  assert(record.body.size() <= kMostDumpBody);
  std::array<char, kDumpHeadBytes> head = {};
  char* const p = head.data();
  std::memcpy(p, kMarker.data(), kMarker.size());
  const auto role = static_cast<uint8_t>(record.entry.role);
  const bool is_end = record.type == DumpRecordType::kEnd;
  const CacheKey key =
      is_end ? CacheKey{record.num_entries, 0} : record.entry.key;
  p[kTypeAt] = static_cast<char>(record.type);
  p[kRoleAt] = static_cast<char>(role);
  p[kFlagsAt] = static_cast<char>(record.entry.was_hit ? kWasHit : 0);
  p[kCompressionAt] = static_cast<char>(record.compression);
  StoreFixed32(p + kBodySizeAt, static_cast<uint32_t>(record.body.size()));
  StoreFixed32(p + kRawSizeAt, record.type == DumpRecordType::kKeys
                                   ? record.num_keys
                                   : record.raw_size);
  StoreFixed32(p + kChargeAt, record.entry.charge);
  StoreFixed64(p + kFileAt, key.file);
  StoreFixed64(p + kBlockAt, key.block);
  StoreFixed64(p + kBodyChecksumAt, BodyChecksum(key, role, record.body));
  StoreFixed32(p + kChecksumAt, HeadChecksum(p, id_, bytes_));
  pending_.Append(Slice(p, head.size()));
  pending_.Append(record.body);
  bytes_ += head.size() + record.body.size();
  return pending_.size() < kPiece ? Status() : Flush();
}

Status DumpWriter::AddBlock(const DumpRecord& record) {
  ++entries_;
  return Add(record);
}

Status DumpWriter::AddKeys(const Slice& keys) {
  DumpRecord record;
  record.type = DumpRecordType::kKeys;
  record.num_keys = static_cast<uint32_t>(keys.size() / kDumpKeyBytes);
  record.body = keys;
  entries_ += record.num_keys;
  return Add(record);
}

Status DumpWriter::AddEnd() {
  DumpRecord record;
  record.type = DumpRecordType::kEnd;
  record.num_entries = entries_;
  Status status = Add(record);
  return status.ok() ? Flush() : status;
}

Status DumpWriter::Flush() {
  if (pending_.empty()) return {};
  Status status = file_->Append(pending_.slice());
  pending_.clear();
  return status;
}

// Of a key: file 8 | block 8 | charge 4 | role 1 | flags 1 | 2 zeros.
void AppendDumpKey(const DumpedKey& entry, Buffer* keys) {
  std::array<char, kDumpKeyBytes> bytes = {};
  char* const p = bytes.data();
  StoreFixed64(p, entry.key.file);
  StoreFixed64(p + 8, entry.key.block);
  StoreFixed32(p + 16, entry.charge);
  p[20] = static_cast<char>(entry.role);
  p[21] = static_cast<char>(entry.was_hit ? kWasHit : 0);
  keys->Append(Slice(p, bytes.size()));
}

bool DecodeDumpKey(const Slice& body, size_t i, DumpedKey* entry) {
  const char* const p = body.data() + i * kDumpKeyBytes;
  const auto role = static_cast<uint8_t>(p[20]);
  entry->key = {LoadFixed64(p), LoadFixed64(p + 8)};
  entry->charge = LoadFixed32(p + 16);
  entry->was_hit = (p[21] & kWasHit) != 0;
  entry->role = static_cast<CacheEntryRole>(role);
  return role < kCacheEntryRoles;
}

// --- Reading -----------------------------------------------------------------

Status DumpReader::Read(uint64_t offset, size_t n, Slice* bytes) {
  const uint64_t left = offset < size_ ? size_ - offset : 0;
  n = static_cast<size_t>(std::min<uint64_t>(n, left));
  if (n == 0) {
    *bytes = Slice();
    return {};
  }
  const bool is_here = offset >= window_at_ &&
                       offset - window_at_ <= window_.size() &&
                       n <= window_.size() - (offset - window_at_);
  if (!is_here) {
    // A search for the next record reads more than it takes, so that what it
    // finds at once costs no read of its own.
    const bool is_large = wants_ == Wants::kBlocks || n > kSmallPiece;
    const size_t piece = is_large ? kPiece : kSmallPiece;
    const auto wanted =
        static_cast<size_t>(std::min<uint64_t>(std::max(n, piece), left));
    window_ = Slice();
    buffer_.clear();
    buffer_.Reserve(wanted);
    Status status = file_->Read(offset, wanted, buffer_.data(), &window_);
    if (!status.ok()) {
      window_ = Slice();
      return status;
    }
    window_at_ = offset;
  }
  const auto skip = static_cast<size_t>(offset - window_at_);
  *bytes = Slice(window_.data() + skip, std::min(n, window_.size() - skip));
  return {};
}

Status DumpReader::ReadHeader() {
  Slice header;
  Status status = Read(0, kDumpHeaderBytes, &header);
  if (!status.ok()) return status;
  const std::string name = file_->name();
  if (header.size() < kDumpHeaderBytes ||
      std::memcmp(header.data(), kMagic.data(), kMagic.size()) != 0) {
    return Status::Corruption(name + ": byte 0: not a cache dump: " +
                              (header.size() < kDumpHeaderBytes
                                   ? "the file is too short"
                                   : "bad magic number"));
  }
  const char* const p = header.data();
  if (LoadFixed32(p + 24) != MaskCrc32c(Crc32c(p, 24))) {
    return Status::Corruption(
        name + ": byte 0: checksum mismatch in the header of the cache dump");
  }
  const uint32_t version = LoadFixed32(p + 8);
  if (version != kVersion) {
    return Status::NotSupported(name + ": cache dump of version " +
                                    std::to_string(version) + ", expected " +
                                    std::to_string(kVersion),
                                Status::SubCode::kNewerFormat);
  }
  id_ = LoadFixed64(p + 16);
  next_ = kDumpHeaderBytes;
  return {};
}

bool DumpReader::DecodeHead(const Slice& head, uint64_t offset,
                            DumpRecord* record, uint32_t* body_size,
                            uint64_t* checksum) const {
  const char* const p = head.data();
  if (std::memcmp(p, kMarker.data(), kMarker.size()) != 0 ||
      LoadFixed32(p + kChecksumAt) != HeadChecksum(p, id_, offset)) {
    return false;
  }
  const auto role = static_cast<uint8_t>(p[kRoleAt]);
  record->type = static_cast<DumpRecordType>(p[kTypeAt]);
  record->entry = {.key = {LoadFixed64(p + kFileAt), LoadFixed64(p + kBlockAt)},
                   .role = static_cast<CacheEntryRole>(
                       std::min<size_t>(role, kCacheEntryRoles - 1)),
                   .was_hit = (p[kFlagsAt] & kWasHit) != 0,
                   .charge = LoadFixed32(p + kChargeAt)};
  record->compression = static_cast<CompressionType>(p[kCompressionAt]);
  record->raw_size = LoadFixed32(p + kRawSizeAt);
  record->num_keys = record->raw_size;
  record->num_entries = record->entry.key.file;
  *body_size = LoadFixed32(p + kBodySizeAt);
  *checksum = LoadFixed64(p + kBodyChecksumAt);
  return true;
}

Status DumpReader::Resynchronise() {
  for (++next_; next_ < size_;) {
    Slice bytes;
    Status status = Read(next_, kPiece / 2, &bytes);
    if (!status.ok()) return status;
    const size_t found =
        std::string_view(bytes.data(), bytes.size()).find(kMarker);
    if (found != std::string_view::npos) {
      next_ += found;
      return {};
    }
    if (bytes.size() < kMarker.size()) break;
    next_ += bytes.size() - (kMarker.size() - 1);
  }
  next_ = size_;
  return {};
}

Status DumpReader::Next(DumpRecord* record, bool* found) {
  *found = false;
  // Damage in succession is one piece.
  bool in_damage = false;
  while (!ended_) {
    Slice bytes;
    Status status = Read(next_, kDumpHeadBytes, &bytes);
    if (!status.ok()) return status;
    uint32_t body_size = 0;
    uint64_t checksum = 0;
    if (bytes.size() < kDumpHeadBytes ||
        !DecodeHead(bytes, next_, record, &body_size, &checksum)) {
      if (!bytes.empty() && !in_damage) ++damaged_;
      if (bytes.size() < kDumpHeadBytes) return {};
      in_damage = true;
      status = Resynchronise();
      if (!status.ok()) return status;
      continue;
    }
    in_damage = false;
    const auto role = static_cast<uint8_t>(bytes[kRoleAt]);
    next_ += kDumpHeadBytes;
    const uint64_t body_at = next_;
    next_ += body_size;
    if (record->type == DumpRecordType::kEnd) {
      ended_ = true;
      return {};
    }
    if (body_size > kMostDumpBody || next_ > size_) {
      ++damaged_;
      continue;
    }
    const bool is_block = record->type == DumpRecordType::kBlock;
    if (is_block && wants_ == Wants::kKeys) {
      record->body = Slice();
      *found = true;
      return {};
    }
    status = Read(body_at, body_size, &bytes);
    if (!status.ok()) return status;
    if (bytes.size() < body_size ||
        BodyChecksum(record->entry.key, role, bytes) != checksum) {
      ++damaged_;
      continue;
    }
    record->body = bytes;
    const bool is_keys = record->type == DumpRecordType::kKeys &&
                         record->num_keys <= kMostDumpKeys &&
                         body_size == record->num_keys * kDumpKeyBytes;
    // Records of other types are those of later releases.
    *found = is_block || is_keys;
    if (*found) return {};
  }
  return {};
}

}  // namespace ashlar::internal
