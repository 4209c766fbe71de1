// The bytes for a walk over a damaged device: what cannot be read is zeros, and
// what is around it is there.

#include "table/walk/walk_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace ashlar::testing {
namespace {

using internal::WalkBytes;

constexpr uint64_t kBytes = 1'000'000;
constexpr uint64_t kWindow = 300'000;
constexpr uint64_t kBad = 123'456;

// Fails each read of one byte, or answers it with what comes before the byte.
class BadByteFile final : public RandomAccessFile {
 public:
  BadByteFile(std::string bytes, bool ends_there)
      : file_(NewMemoryFile("bad", std::move(bytes))),
        ends_there_(ends_there) {}
  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    const bool has_it = offset <= kBad && kBad - offset < n;
    if (has_it && !ends_there_) return Status::IOError("injected");
    return file_->Read(offset, has_it ? kBad - offset : n, scratch, data);
  }
  uint64_t Size() const override { return file_->Size(); }
  std::string name() const override { return file_->name(); }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  const bool ends_there_;
};

TEST(WalkBytes, AreZerosOnlyAroundWhatCannotBeRead) {
  constexpr uint64_t kMostLost = 4096;  // what is read again at once
  const std::string sound(kBytes, 'x');
  for (const bool ends_there : {false, true}) {
    const BadByteFile file(sound, ends_there);
    WalkBytes bytes(&file, kWindow);
    const Slice got = bytes.Get(0, kWindow);
    ASSERT_EQ(got.size(), kWindow);
    uint64_t first = kWindow;
    uint64_t last = 0;
    for (uint64_t i = 0; i < kWindow; ++i) {
      if (got[i] == 'x') continue;
      ASSERT_EQ(got[i], '\0');
      first = std::min(first, i);
      last = i;
    }
    EXPECT_LE(first, kBad);
    EXPECT_GE(last, kBad);
    EXPECT_LT(last - first, kMostLost);
    if (ends_there) {
      EXPECT_EQ(first, kBad);
    }
    // Looks ahead, and the end of the file.
    EXPECT_EQ(bytes.Peek(kBytes - 10, 100), Slice(sound.data(), 10));
    EXPECT_TRUE(bytes.Get(kBytes, 1).empty());
    EXPECT_TRUE(bytes.Peek(kBytes, 1).empty());
  }
}

}  // namespace
}  // namespace ashlar::testing
