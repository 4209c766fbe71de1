// Tables for CRC-32C, computed by the compiler.
//
// For crc32c*.cc only. All work on the raw register, without the inversions at
// the start and the end that a finished CRC has. Constants: thread-safe.

#ifndef ASHLAR_UTIL_HASH_CRC32C_TABLES_H_
#define ASHLAR_UTIL_HASH_CRC32C_TABLES_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace ashlar::internal {

using CrcByteTable = std::array<uint32_t, 256>;

// The register after byte b has gone through it, for each b.
constexpr CrcByteTable MakeCrc32cByteTable() {
  constexpr uint32_t kReflectedPolynomial = 0x82F63B78;
  CrcByteTable table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? kReflectedPolynomial : 0);
    }
    table[byte] = crc;
  }
  return table;
}

inline constexpr CrcByteTable kCrc32cByteTable = MakeCrc32cByteTable();

constexpr uint32_t Crc32cStep(uint32_t crc, uint8_t byte) {
  return (crc >> 8) ^ kCrc32cByteTable[(crc ^ byte) & 0xff];
}

// Row k, entry b: the register for byte b followed by k zero bytes.
constexpr std::array<CrcByteTable, 8> MakeCrc32cSlices() {
  std::array<CrcByteTable, 8> slices{};
  for (size_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = kCrc32cByteTable[byte];
    for (size_t zeros = 0; zeros < 8; ++zeros) {
      slices[zeros][byte] = crc;
      crc = Crc32cStep(crc, 0);
    }
  }
  return slices;
}

// Sends a whole register through `zeros` zero bytes: the XOR of one table entry
// for each of its bytes. That joins the CRCs of neighbouring runs.
struct CrcShift {
  std::array<CrcByteTable, 4> by_byte;

  constexpr uint32_t operator()(uint32_t crc) const {
    return by_byte[0][crc & 0xff] ^ by_byte[1][(crc >> 8) & 0xff] ^
           by_byte[2][(crc >> 16) & 0xff] ^ by_byte[3][crc >> 24];
  }
};

constexpr CrcShift MakeCrcShift(size_t zeros) {
  CrcShift shift{};
  for (size_t position = 0; position < 4; ++position) {
    CrcByteTable& table = shift.by_byte[position];
    // A CRC register is linear: first the entries of single bits, then that of
    // every byte from its bits.
    for (size_t bit = 0; bit < 8; ++bit) {
      uint32_t crc = uint32_t{1} << (8 * position + bit);
      for (size_t i = 0; i < zeros; ++i) crc = Crc32cStep(crc, 0);
      table[size_t{1} << bit] = crc;
    }
    for (size_t byte = 1; byte < 256; ++byte) {
      const size_t lowest_bit = byte & (~byte + 1);
      table[byte] = table[byte ^ lowest_bit] ^ table[lowest_bit];
    }
  }
  return shift;
}

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_HASH_CRC32C_TABLES_H_
