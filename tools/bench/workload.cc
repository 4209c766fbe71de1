#include "tools/bench/workload.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

namespace ashlar::bench {

namespace {

constexpr size_t kPoolBytes = size_t{1} << 20;
// In each piece of this size, one part is random and the rest repeats it.
constexpr size_t kPieceBytes = 100;

std::string MakePool(const WorkloadOptions& options) {
  Random random(options.seed);
  const auto fresh = std::max<size_t>(
      1, static_cast<size_t>(options.compression_ratio * kPieceBytes));
  const size_t wanted = kPoolBytes + static_cast<size_t>(options.value_size);
  std::string pool;
  std::string piece;
  while (pool.size() < wanted) {
    piece.clear();
    while (piece.size() < fresh) {
      piece.push_back(static_cast<char>(' ' + random.Below(95)));
    }
    for (size_t i = 0; i < kPieceBytes; ++i) pool.push_back(piece[i % fresh]);
  }
  return pool;
}

size_t ValueBytes(const WorkloadOptions& options) {
  return static_cast<size_t>(options.value_size);
}

// Returns an empty string if values are to be made.
std::string ReadPool(const WorkloadOptions& options) {
  std::ifstream file(options.values_from, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<char> MakeRandomKeys(const WorkloadOptions& options) {
  const auto size = static_cast<size_t>(options.key_size);
  Random random(options.seed + 1);
  std::vector<std::string> keys(options.num);
  for (std::string& key : keys) {
    key.resize(size);
    for (char& c : key) c = static_cast<char>(random.Next() >> 56);
    // Keys are even. The odd key after each is the absent key.
    if (size > 0) key.back() = static_cast<char>(key.back() & ~1);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<char> all;
  all.reserve(options.num * size);
  for (const std::string& key : keys) {
    all.insert(all.end(), key.begin(), key.end());
  }
  return all;
}

}  // namespace

Workload::Workload(const WorkloadOptions& options)
    : options_(options), pool_(ReadPool(options)), pool_range_(pool_.size()) {
  if (pool_range_ > 0) {
    // Values at the end of the pool continue at its beginning.
    while (pool_.size() < pool_range_ + ValueBytes(options)) pool_ += pool_;
  } else {
    pool_ = MakePool(options);
    pool_range_ = kPoolBytes;
  }
  if (options_.key_kind == "random") random_keys_ = MakeRandomKeys(options_);
}

void Workload::MakeKey(uint64_t i, int addend, char* to) const {
  const size_t size = key_size();
  if (!random_keys_.empty()) {
    std::memcpy(to, random_keys_.data() + i * size, size);
    to[size - 1] = static_cast<char>(to[size - 1] | addend);
    return;
  }
  uint64_t number = 2 * i + static_cast<uint64_t>(addend);
  for (size_t at = size; at > 0; --at) {
    to[at - 1] = static_cast<char>('0' + number % 10);
    number /= 10;
  }
}

namespace {

constexpr size_t kLowDigits = 4;
constexpr uint64_t kLowRange = 10000;

// "00" to "99", one after the other.
constexpr std::array<char, 200> kTwoDigits = [] {
  std::array<char, 200> digits{};
  for (size_t i = 0; i < 100; ++i) {
    digits[2 * i] = static_cast<char>('0' + i / 10);
    digits[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return digits;
}();

}  // namespace

Workload::Cursor::Cursor(const Workload& workload)
    : workload_(workload), batch_(kBatch * workload.key_size()) {
  Refill();
}

void Workload::Cursor::Refill() {
  const size_t size = workload_.key_size();
  // Copies an earlier key, but not the last one, whose last bytes have only
  // just been written.
  const char* same_beginning = nullptr;
  for (size_t i = 0; i < kBatch && i_ + i < workload_.num(); ++i) {
    char* const to = batch_.data() + i * size;
    const uint64_t low = 2 * (i_ + i) % kLowRange;
    if (i == 0 || low == 0 || size <= kLowDigits ||
        !workload_.random_keys_.empty()) {
      workload_.Key(i_ + i, to);
      same_beginning = to;
      continue;
    }
    // Only the low digits differ.
    std::memcpy(to, same_beginning, size - kLowDigits);
    std::memcpy(to + size - 4, &kTwoDigits[low / 100 * 2], 2);
    std::memcpy(to + size - 2, &kTwoDigits[low % 100 * 2], 2);
  }
}

}  // namespace ashlar::bench
