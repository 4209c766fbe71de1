#include "util/hash/crc32c.h"

#include "port/cpu.h"
#include "util/coding/coding.h"
#include "util/hash/crc32c_tables.h"

namespace ashlar::internal {

namespace {

constexpr std::array<CrcByteTable, 8> kSlices = MakeCrc32cSlices();

struct Path {
  std::string_view name;
  uint32_t (*extend)(uint32_t crc, const char* data, size_t n);
};

Path ChoosePath() {
  if (Cpu().sse42) return {"sse4.2", &Crc32cExtendHardware};
  if (Cpu().arm_crc) return {"armv8", &Crc32cExtendHardware};
  return {"portable", &Crc32cExtendPortable};
}

const Path& ChosenPath() {
  static const Path path = ChoosePath();
  return path;
}

}  // namespace

uint32_t Crc32cExtend(uint32_t crc, const char* data, size_t n) {
  return ChosenPath().extend(crc, data, n);
}

std::string_view Crc32cPath() { return ChosenPath().name; }

bool HasCrc32cHardware() { return Cpu().sse42 || Cpu().arm_crc; }

// Eight bytes per step. Each byte goes through its own table, chosen by how
// many bytes of the word come after it.
uint32_t Crc32cExtendPortable(uint32_t crc, const char* data, size_t n) {
  crc = ~crc;
  for (; n >= 8; data += 8, n -= 8) {
    const uint64_t word = LoadFixed64(data) ^ crc;
    crc = 0;
    for (size_t i = 0; i < 8; ++i) {
      crc ^= kSlices[7 - i][(word >> (8 * i)) & 0xff];
    }
  }
  for (; n > 0; ++data, --n) crc = Crc32cStep(crc, static_cast<uint8_t>(*data));
  return ~crc;
}

}  // namespace ashlar::internal
