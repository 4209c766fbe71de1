#include "util/hash/growing_checksum.h"

#include <new>

#include "third-party/xxhash_lib.h"
#include "util/hash/checksum.h"
#include "util/hash/crc32c.h"

namespace ashlar::internal {

// The states come from the library, since their layout belongs to it. `asked`
// is where a last byte is added, so that the other can go on.
struct GrowingChecksum::States {
  XXH32_state_t* short_state = nullptr;
  XXH32_state_t* short_asked = nullptr;
  XXH64_state_t* long_state = nullptr;
  XXH64_state_t* long_asked = nullptr;
  XXH3_state_t* wide_state = nullptr;

  States() = default;
  States(const States&) = delete;
  States& operator=(const States&) = delete;
  ~States() {
    XXH32_freeState(short_state);
    XXH32_freeState(short_asked);
    XXH64_freeState(long_state);
    XXH64_freeState(long_asked);
    XXH3_freeState(wide_state);
  }
};

GrowingChecksum::GrowingChecksum(ChecksumType type)
    : type_(type), states_(std::make_unique<States>()) {
  bool made = true;
  if (type == ChecksumType::kxxHash) {
    states_->short_state = XXH32_createState();
    states_->short_asked = XXH32_createState();
    made = states_->short_state != nullptr && states_->short_asked != nullptr;
  } else if (type == ChecksumType::kxxHash64) {
    states_->long_state = XXH64_createState();
    states_->long_asked = XXH64_createState();
    made = states_->long_state != nullptr && states_->long_asked != nullptr;
  } else if (type == ChecksumType::kXXH3) {
    states_->wide_state = XXH3_createState();
    made = states_->wide_state != nullptr;
  }
  if (!made) throw std::bad_alloc();
  Reset();
}

GrowingChecksum::~GrowingChecksum() = default;

void GrowingChecksum::Reset() {
  crc_ = 0;
  if (states_->short_state != nullptr) XXH32_reset(states_->short_state, 0);
  if (states_->long_state != nullptr) XXH64_reset(states_->long_state, 0);
  if (states_->wide_state != nullptr) XXH3_64bits_reset(states_->wide_state);
}

void GrowingChecksum::Add(const char* data, size_t n) {
  switch (type_) {
    case ChecksumType::kNoChecksum:
      return;
    case ChecksumType::kCRC32c:
      crc_ = Crc32cExtend(crc_, data, n);
      return;
    case ChecksumType::kxxHash:
      XXH32_update(states_->short_state, data, n);
      return;
    case ChecksumType::kxxHash64:
      XXH64_update(states_->long_state, data, n);
      return;
    case ChecksumType::kXXH3:
      XXH3_64bits_update(states_->wide_state, data, n);
      return;
  }
}

uint32_t GrowingChecksum::WithLastByte(uint8_t last_byte) const {
  const char last = static_cast<char>(last_byte);
  switch (type_) {
    case ChecksumType::kNoChecksum:
      return 0;
    case ChecksumType::kCRC32c:
      return MaskCrc32c(Crc32cExtend(crc_, &last, 1));
    case ChecksumType::kxxHash:
      XXH32_copyState(states_->short_asked, states_->short_state);
      XXH32_update(states_->short_asked, &last, 1);
      return XXH32_digest(states_->short_asked);
    case ChecksumType::kxxHash64:
      XXH64_copyState(states_->long_asked, states_->long_state);
      XXH64_update(states_->long_asked, &last, 1);
      return static_cast<uint32_t>(XXH64_digest(states_->long_asked));
    case ChecksumType::kXXH3:
      return static_cast<uint32_t>(XXH3_64bits_digest(states_->wide_state)) ^
             (last_byte * kXxh3LastBytePrime);
  }
  return 0;
}

}  // namespace ashlar::internal
