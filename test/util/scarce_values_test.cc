// Cleanups and AtomicFile without memory: nothing is lost, and nothing throws
// that is not declared to.

#include <gtest/gtest.h>
#include <unistd.h>

#include <new>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/util/cleanable.h"
#include "ashlar/util/file.h"
#include "test/support/folder.h"
#include "test/support/scarcity.h"

namespace ashlar::testing {
namespace {

// Counts the cleanups that were registered and those that ran.
class Cleanups {
 public:
  void Register(Cleanable* cleanable) {
    cleanable->RegisterCleanup(
        [](void* ran, void*) { ++*static_cast<int*>(ran); }, &ran_, nullptr);
    ++registered_;
  }
  void ExpectThatEachRanOnce() const { EXPECT_EQ(ran_, registered_); }

 private:
  int registered_ = 0;
  int ran_ = 0;
};

Status DelegateAndShare(Cleanups* cleanups) {
  try {
    Cleanable target;
    cleanups->Register(&target);
    Cleanable source;
    for (int i = 0; i < 4; ++i) cleanups->Register(&source);
    source.DelegateCleanupsTo(&target);
    EXPECT_FALSE(source.HasCleanups());
    Cleanable kept;
    cleanups->Register(&kept);
    SharedCleanable shared(std::move(kept));
    shared.ShareWith(&target);
    shared.MoveTo(&target);
    EXPECT_FALSE(shared);
    return {};
  } catch (const std::bad_alloc&) {
    return Status::OutOfMemory();
  }
}

TEST(ScarceValues, EachCleanupRunsOnce) {
  ScarcityCounts counts = ForEachFailure(
      [] {
        Cleanups cleanups;
        Status status = DelegateAndShare(&cleanups);
        cleanups.ExpectThatEachRanOnce();
        return status;
      },
      [] {});
  EXPECT_GT(counts.failures, 9U);
}

TEST(ScarceValues, AtomicFiles) {
  const TestFolder folder;
  // Too long to be kept in a string without an allocation.
  const std::string path = folder / std::string(100, 'f');
  ForEachFailure(
      [&] {
        auto file = AtomicFile::Create(path, {.overwrite = true});
        if (!file.ok()) return file.status();
        Status status = (*file)->file()->Append("bytes");
        return status.ok() ? (*file)->Commit() : status;
      },
      [&] { EXPECT_EQ(folder.Names().size(), 1U); });
  EXPECT_EQ(folder.Names().size(), 1U);
}

// The error itself must not need memory.
TEST(ScarceValues, DirectReads) {
  const TestFolder folder;
  const std::string path = folder / "file";
  constexpr size_t kBytes = size_t{1} << 20;
  WriteFile(path, std::string(3 * kBytes, 'x'));
  const auto file = OpenDirectFile(path);
  if (!file.ok()) GTEST_SKIP() << file.status().ToString();
  std::string memory(3 * kBytes, '\0');
  std::vector<ReadRequest> requests(3);
  const ScarcityCounts counts = ForEachFailure(
      [&] {
        for (size_t i = 0; i < requests.size(); ++i) {
          requests[i] = {.offset = i * kBytes,
                         .size = kBytes,
                         .scratch = memory.data() + i * kBytes};
        }
        (*file)->MultiRead(requests);
        for (const ReadRequest& request : requests) {
          if (!request.status.ok()) return request.status;
        }
        return Status();
      },
      [&] {
        for (const ReadRequest& request : requests) {
          EXPECT_EQ(request.data, Slice(std::string(kBytes, 'x')));
        }
      });
  EXPECT_GT(counts.failures, 0U);
}

TEST(ScarceValues, DirectWrites) {
  const TestFolder folder;
  const std::string path = folder / std::string(100, 'f');
  const auto write = [&] {
    auto file = OpenWritableFile(path, {.use_direct_writes = true});
    if (!file.ok()) return file.status();
    Status status = (*file)->Append("bytes");
    return status.ok() ? (*file)->Close() : status;
  };
  if (const Status status = write(); status.IsNotSupported()) {
    GTEST_SKIP() << status.ToString();
  }
  const ScarcityCounts counts =
      ForEachFailure(write, [&] { EXPECT_EQ(ReadFile(path), "bytes"); });
  EXPECT_GT(counts.failures, 0U);
}

TEST(ScarceValues, AtomicFilesWhoseNameIsTaken) {
  const TestFolder folder;
  const std::string path = folder / std::string(100, 'f');
  ForEachFailure(
      [&] {
        ::unlink(path.c_str());
        auto file = AtomicFile::Create(path, {.overwrite = false});
        if (!file.ok()) return file.status();
        // Commit allocates, to name the file that another one has put there.
        auto other = AtomicFile::Create(path, {.overwrite = false});
        if (!other.ok()) return other.status();
        Status status = (*other)->Commit();
        if (!status.ok()) return status;
        status = (*file)->Commit();
        EXPECT_FALSE(status.ok());
        return status.IsInvalidArgument() ? Status() : status;
      },
      [&] { EXPECT_EQ(folder.Names().size(), 1U); });
}

}  // namespace
}  // namespace ashlar::testing
