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
