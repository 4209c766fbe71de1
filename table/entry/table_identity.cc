#include "ashlar/table/entry/table_identity.h"

#include <cstdio>
#include <utility>

#include "third-party/xxhash_lib.h"
#include "util/coding/coding.h"

namespace ashlar {

namespace {

constexpr size_t kUpperDigits = 8;
constexpr size_t kLowerDigits = 12;
constexpr uint64_t kBase = 36;
constexpr uint64_t kLowerBits = 62;
constexpr uint64_t kLowerMask = (uint64_t{1} << kLowerBits) - 1;

void AppendBase36(uint64_t value, size_t digits, std::string* out) {
  const size_t start = out->size();
  out->resize(start + digits, '0');
  for (size_t i = digits; i > 0; --i) {
    const auto digit = static_cast<char>(value % kBase);
    (*out)[start + i - 1] =
        static_cast<char>(digit < 10 ? '0' + digit : 'A' + digit - 10);
    value /= kBase;
  }
}

bool ParseBase36(std::string_view digits, uint64_t* value) {
  *value = 0;
  for (const char c : digits) {
    uint64_t digit;
    if (c >= '0' && c <= '9') {
      digit = static_cast<uint64_t>(c - '0');
    } else if (c >= 'A' && c <= 'Z') {
      digit = static_cast<uint64_t>(c - 'A') + 10;
    } else if (c >= 'a' && c <= 'z') {
      digit = static_cast<uint64_t>(c - 'a') + 10;
    } else {
      return false;
    }
    *value = *value * kBase + digit;
  }
  return true;
}

struct SessionBits {
  uint64_t upper;
  uint64_t lower;
};

SessionBits DecodeSessionId(std::string_view text) {
  constexpr size_t kMinDigits = 13;
  constexpr size_t kMaxDigits = 24;
  uint64_t a;
  uint64_t b;
  if (text.size() >= kMinDigits && text.size() <= kMaxDigits &&
      ParseBase36(text.substr(0, text.size() - kLowerDigits), &a) &&
      ParseBase36(text.substr(text.size() - kLowerDigits), &b)) {
    return {a >> 2, (b & kLowerMask) | (a << kLowerBits)};
  }
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return {hash.high64, hash.low64 != 0 ? hash.low64 : hash.high64 | 1};
}

// Three words by which a file differs from all others: FORMAT.md, section 12.
struct InternalId {
  uint64_t session;
  uint64_t file;
  uint64_t db;
};

InternalId MakeInternalId(std::string_view db_id,
                          std::string_view db_session_id,
                          uint64_t file_number) {
  const SessionBits session = DecodeSessionId(db_session_id);
  const XXH128_hash_t db =
      XXH3_128bits_withSeed(db_id.data(), db_id.size(), session.upper);
  return {session.lower, db.high64 ^ file_number, db.low64};
}

void AppendWord(uint64_t word, std::string* text) {
  char bytes[sizeof word];
  internal::StoreFixed64(bytes, word);
  for (const char byte : bytes) {
    char hex[4];
    std::snprintf(hex, sizeof hex, "%02X", static_cast<uint8_t>(byte));
    text->append(hex);
  }
}

}  // namespace

std::string EncodeSessionId(uint64_t upper, uint64_t lower) {
  std::string text;
  AppendBase36((upper << 2) | (lower >> kLowerBits), kUpperDigits, &text);
  AppendBase36(lower & kLowerMask, kLowerDigits, &text);
  return text;
}

TableIdentity FixedTableIdentity(std::string_view seed, uint64_t time_seconds) {
  const XXH128_hash_t hash = XXH3_128bits(seed.data(), seed.size());
  TableIdentity identity;
  // Eight digits hold the upper 39 bits only: RocksDB's ids have no more.
  constexpr uint64_t kUpperMask = (uint64_t{1} << 39) - 1;
  identity.db_session_id =
      EncodeSessionId(hash.high64 & kUpperMask, hash.low64 | 1);
  identity.file_number = 1;
  identity.creation_time = time_seconds;
  identity.file_creation_time = time_seconds;
  return identity;
}

std::string UniqueIdText(std::string_view db_id, std::string_view db_session_id,
                         uint64_t file_number) {
  constexpr uint64_t kFirstAddend = 6417269962128484497U;
  constexpr uint64_t kSecondAddend = 17391078804906429400U;
  if (db_session_id.empty() || file_number == 0) return {};
  const InternalId internal_id =
      MakeInternalId(db_id, db_session_id, file_number);
  char words[2 * sizeof(uint64_t)];
  internal::StoreFixed64(words, internal_id.session + kFirstAddend);
  internal::StoreFixed64(words + sizeof(uint64_t),
                         internal_id.file + kSecondAddend);
  const XXH128_hash_t id = XXH3_128bits(words, sizeof words);
  std::string text;
  AppendWord(id.low64, &text);
  text.push_back('-');
  AppendWord(id.high64, &text);
  text.push_back('-');
  AppendWord(internal_id.db + id.low64 + id.high64, &text);
  return text;
}

CacheKey FileCacheKey(std::string_view db_id, std::string_view db_session_id,
                      uint64_t file_number) {
  const InternalId id = MakeInternalId(db_id, db_session_id, file_number);
  // The file number stays out of the hash, so that files of one session cannot
  // meet: they differ in the first word.
  char words[2 * sizeof(uint64_t)];
  internal::StoreFixed64(words, id.session);
  internal::StoreFixed64(words + sizeof(uint64_t), id.db);
  const XXH128_hash_t hash = XXH3_128bits(words, sizeof words);
  return {.file = hash.high64 ^ id.file, .block = hash.low64};
}

}  // namespace ashlar
