// Typed front ends: values as unique_ptr, and handles that release themselves.

#include "ashlar/cache/typed_cache.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "test/cache/cache_makers.h"
#include "test/cache/counted_values.h"

namespace ashlar::testing {
namespace {

// Counts the live objects.
struct Text {
  explicit Text(std::string its_text) : text(std::move(its_text)) { ++alive; }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  ~Text() { --alive; }
  size_t ApproximateMemoryUsage() const { return 1000 + text.size(); }

  static inline int alive = 0;
  const std::string text;
};
struct Number {
  uint64_t number = 0;
};

using Texts = TypedCache<Text, CacheEntryRole::kDataBlock>;
using Numbers = TypedCache<Number>;

static_assert(!std::is_copy_constructible_v<Texts::Handle>);
static_assert(std::is_nothrow_move_constructible_v<Texts::Handle>);

class TypedCacheTest : public ::testing::TestWithParam<CacheMaker> {
 protected:
  void MakeCache(const CacheConfig& config = {}) {
    cache_ = GetParam()(config);
  }
  void TearDown() override {
    EXPECT_EQ(cache_->GetPinnedUsage(), 0u);
    cache_.reset();
    EXPECT_EQ(Text::alive, 0);
  }
  static std::unique_ptr<Text> MakeText(const std::string& text) {
    return std::make_unique<Text>(text);
  }

  std::shared_ptr<Cache> cache_;
};

TEST_P(TypedCacheTest, ValuesComeBack) {
  MakeCache();
  Texts texts(cache_);
  EXPECT_TRUE(texts.Insert(TestKey(1), MakeText("one")).ok());
  Texts::Handle two;
  EXPECT_TRUE(texts.Insert(TestKey(2), MakeText("two"), &two).ok());
  EXPECT_EQ(two->text, "two");
  const Texts::Handle one = texts.Lookup(TestKey(1));
  ASSERT_TRUE(one);
  EXPECT_EQ(one->text, "one");
  EXPECT_EQ((*one).text, "one");
  EXPECT_EQ(one.get(), texts.Lookup(TestKey(1)).get());
  const Texts::Handle none = texts.Lookup(TestKey(3));
  EXPECT_FALSE(none);
  EXPECT_EQ(none.get(), nullptr);
  Cache::SlotHint hint = Cache::kNoSlotHint;
  EXPECT_TRUE(texts.Lookup(TestKey(1), &hint));
  EXPECT_TRUE(texts.Lookup(TestKey(1), &hint));
  EXPECT_EQ(texts.cache(), cache_);
}

TEST_P(TypedCacheTest, HandlesGiveBackWhatTheyHold) {
  MakeCache();
  Texts texts(cache_);
  {
    Texts::Handle one = texts.InsertAndHold(TestKey(1), MakeText("one"));
    texts.Erase(TestKey(1));
    EXPECT_FALSE(texts.Lookup(TestKey(1)));
    Texts::Handle moved = std::move(one);
    EXPECT_FALSE(one);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(moved->text, "one");
    const Texts::Handle shared = moved.Share();
    EXPECT_EQ(shared.get(), moved.get());
    // Assignment releases the old handle.
    moved = texts.InsertAndHold(TestKey(2), MakeText("two"));
    EXPECT_EQ(Text::alive, 2);
    Texts::Handle& same = moved;
    moved = std::move(same);
    EXPECT_EQ(moved->text, "two");
    EXPECT_EQ(shared->text, "one");
  }
  EXPECT_EQ(Text::alive, 1);  // "one" was erased, "two" is in the cache
  EXPECT_EQ(cache_->GetPinnedUsage(), 0u);
  EXPECT_FALSE(Texts::Handle().Share());
}

TEST_P(TypedCacheTest, TheLastHandleMayErase) {
  MakeCache();
  Texts texts(cache_);
  Texts::Handle one = texts.InsertAndHold(TestKey(1), MakeText("one"));
  Texts::Handle other = texts.Lookup(TestKey(1));
  EXPECT_FALSE(one.ResetAndEraseIfLast());
  EXPECT_FALSE(one);
  EXPECT_TRUE(texts.Lookup(TestKey(1)));
  EXPECT_TRUE(other.ResetAndEraseIfLast());
  EXPECT_FALSE(other.ResetAndEraseIfLast());
  EXPECT_FALSE(texts.Lookup(TestKey(1)));
  EXPECT_EQ(Text::alive, 0);
}

TEST_P(TypedCacheTest, ChargesAreWhatTheTypeSays) {
  MakeCache();
  Texts texts(cache_);
  Numbers numbers(cache_);
  EXPECT_TRUE(texts.Insert(TestKey(1), MakeText("12345")).ok());
  EXPECT_EQ(cache_->GetUsage(), 1005u);
  EXPECT_TRUE(numbers.Insert(TestKey(2), std::make_unique<Number>()).ok());
  EXPECT_EQ(cache_->GetUsage(), 1005u + sizeof(Number));
  const CacheEntryStats stats = cache_->CollectEntryStats();
  EXPECT_EQ(stats.of(CacheEntryRole::kDataBlock).bytes, 1005u);
  EXPECT_EQ(stats.of(CacheEntryRole::kDataBlock).charge, 1005u);
  EXPECT_EQ(stats.of(CacheEntryRole::kMisc).bytes, sizeof(Number));
}

TEST_P(TypedCacheTest, AValueOfAnotherTypeIsNotFound) {
  MakeCache();
  Texts texts(cache_);
  Numbers numbers(cache_);
  EXPECT_TRUE(texts.Insert(TestKey(1), MakeText("one")).ok());
  EXPECT_FALSE(numbers.Lookup(TestKey(1)));
  std::array<Numbers::Handle, 1> found;
  const std::array<CacheKey, 1> keys = {TestKey(1)};
  numbers.LookupBatch(keys, found.data());
  EXPECT_FALSE(found[0]);
  EXPECT_EQ(cache_->GetPinnedUsage(), 0u);
  EXPECT_TRUE(texts.Lookup(TestKey(1)));
}

TEST_P(TypedCacheTest, Batches) {
  MakeCache();
  Numbers numbers(cache_);
  for (uint64_t n = 0; n < 100; n += 2) {
    EXPECT_TRUE(
        numbers.Insert(TestKey(n), std::make_unique<Number>(Number{n})).ok());
  }
  for (const size_t count : {0, 1, 31, 32, 33, 100}) {
    std::vector<CacheKey> keys;
    for (uint64_t n = 0; n < count; ++n) keys.push_back(TestKey(n));
    std::vector<Numbers::Handle> found(count);
    std::vector<Cache::SlotHint> hints(count, Cache::kNoSlotHint);
    // The third pass overwrites full handles and uses the hints of the second.
    for (Cache::SlotHint* const h :
         {static_cast<Cache::SlotHint*>(nullptr), hints.data(), hints.data()}) {
      numbers.LookupBatch(keys, found.data(), h);
      for (uint64_t n = 0; n < count; ++n) {
        ASSERT_EQ(found[n].get() != nullptr, n % 2 == 0) << n;
        if (found[n]) {
          EXPECT_EQ(found[n]->number, n);
        }
        // Each key's hint is the one that a single lookup stores.
        Cache::SlotHint hint = Cache::kNoSlotHint;
        numbers.Lookup(keys[n], &hint);
        if (h != nullptr) {
          EXPECT_EQ(h[n], hint) << n;
        }
      }
    }
  }
}

// The caller gets a handle even if the key is present or there is no room.
TEST_P(TypedCacheTest, InsertAndHoldAlwaysHolds) {
  MakeCache({.capacity = 10000, .strict = true});
  Texts texts(cache_);
  std::vector<Texts::Handle> held;
  for (uint64_t n = 0; n < 100; ++n) {
    held.push_back(texts.InsertAndHold(TestKey(n), MakeText("text")));
    ASSERT_TRUE(held.back());
    EXPECT_EQ(held.back()->text, "text");
    EXPECT_LE(cache_->GetUsage(), 10000u);
  }
  const Texts::Handle again = texts.InsertAndHold(TestKey(0), MakeText("own"));
  EXPECT_EQ(again->text, "own");
  EXPECT_EQ(Text::alive, 101);
}

TEST_P(TypedCacheTest, InsertFailsOnlyWhereAHandleIsAskedFor) {
  MakeCache({.capacity = 100, .strict = true});
  Texts texts(cache_);
  Texts::Handle handle;
  EXPECT_TRUE(
      texts.Insert(TestKey(1), MakeText("one"), &handle).IsMemoryLimit());
  EXPECT_FALSE(handle);
  EXPECT_EQ(Text::alive, 0);
  EXPECT_TRUE(texts.Insert(TestKey(1), MakeText("one")).ok());
  EXPECT_EQ(Text::alive, 0);
}

// The LRU cache has a pool for each priority.
TEST(TypedLruCache, PrioritiesAreHandedOn) {
  Numbers numbers(MakeLru({.capacity = 10 * sizeof(Number)}, 0).value());
  for (uint64_t n = 0; n < 20; ++n) {
    const CachePriority priority =
        n < 2 ? CachePriority::kHigh : CachePriority::kBottom;
    if (n % 2 == 0) {
      numbers.InsertAndHold(TestKey(n), std::make_unique<Number>(), priority);
    } else {
      EXPECT_TRUE(
          numbers
              .Insert(TestKey(n), std::make_unique<Number>(), nullptr, priority)
              .ok());
    }
  }
  EXPECT_TRUE(numbers.Lookup(TestKey(0)));
  EXPECT_TRUE(numbers.Lookup(TestKey(1)));
  EXPECT_FALSE(numbers.Lookup(TestKey(2)));
}

INSTANTIATE_TEST_SUITE_P(Each, TypedCacheTest,
                         ::testing::ValuesIn(AllCacheMakers()), CacheMakerName);

}  // namespace
}  // namespace ashlar::testing
