// Iterators over sources of an application: what they show and promise, and
// what a source may do wrong. merged_sources_test.cc compares walks at random.

#include "ashlar/table/entry_source.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/merging_iterator.h"
#include "test/support/map_source.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

template <typename AnyIterator>
std::string Walked(AnyIterator* it) {
  std::string seen;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    seen += it->user_key().ToString();
  }
  return seen;
}

template <typename AnyIterator>
std::string WalkedBackward(AnyIterator* it) {
  std::string seen;
  for (it->SeekToLast(); it->Valid(); it->Prev()) {
    seen += it->user_key().ToString();
  }
  return seen;
}

Iterator OverMap(const EntryMap* map, const ReadOptions& options = {}) {
  return NewSourceIterator(BytewiseComparator(),
                           std::make_unique<MapSource>(map), options);
}

// Each move of a walk fails in turn, with a status or for want of memory.
TEST(EntrySource, EveryMoveMayFail) {
  const EntryMap map = MapOf(SomeEntries(20));
  for (const auto kind :
       {SourceFaults::Kind::kStatus, SourceFaults::Kind::kNoMemory}) {
    for (const bool forward : {true, false}) {
      for (uint64_t fail_at = 1; fail_at <= map.size() + 1; ++fail_at) {
        SourceFaults faults;
        faults.fail_at = fail_at;
        faults.kind = kind;
        Iterator it = NewSourceIterator(
            BytewiseComparator(), std::make_unique<MapSource>(&map, &faults));
        size_t shown = 0;
        for (forward ? it.SeekToFirst() : it.SeekToLast(); it.Valid();
             forward ? it.Next() : it.Prev()) {
          ++shown;
        }
        EXPECT_EQ(shown, fail_at - 1);
        EXPECT_EQ(it.status().ToString(),
                  kind == SourceFaults::Kind::kStatus
                      ? "IO error: the map has failed"
                      : Status::OutOfMemory().ToString());
        it.SeekForPrev("key00007");
        ASSERT_TRUE(it.Valid());
        EXPECT_EQ(it.user_key(), Slice("key00007"));
        Require(it.status());
      }
    }
  }
}

// Goes over the entries in the order that the test gives.
class ListedSource : public EntrySource {
 public:
  explicit ListedSource(std::vector<testing::Entry> entries, size_t sought = 0)
      : entries_(std::move(entries)), sought_(sought) {}
  bool SeekToFirst(EntrySource::Entry* entry) override { return To(0, entry); }
  bool SeekToLast(EntrySource::Entry* entry) override {
    return To(entries_.size() - 1, entry);
  }
  bool Seek(const Slice& /*target*/, EntrySource::Entry* entry) override {
    return To(sought_, entry);
  }
  bool Next(EntrySource::Entry* entry) override { return To(at_ + 1, entry); }
  bool Prev(EntrySource::Entry* entry) override { return To(at_ - 1, entry); }
  std::string_view Name() const override { return "list 7"; }

 private:
  bool To(size_t at, EntrySource::Entry* entry) {
    at_ = at;
    if (at_ >= entries_.size()) return false;
    *entry = {entries_[at_].key, entries_[at_].value};
    return true;
  }

  const std::vector<testing::Entry> entries_;
  const size_t sought_;
  size_t at_ = 0;
};

struct WrongCase {
  std::vector<Entry> entries;
  std::string shown;  // before the error
  std::string message;
  Status::SubCode subcode = Status::SubCode::kNone;
};

std::vector<WrongCase> WrongForward() {
  const Entry good = Value("b", 5, "");
  const auto of_type = [](int type) {
    return testing::Entry{MakeInternalKey("c", 5, static_cast<ValueType>(type)),
                          ""};
  };
  using enum Status::SubCode;
  return {
      {{good, Value("a", 5, "")},
       "b",
       "key 'a' seq:5, type:1 is out of order: Next moved to it from "
       "'b' seq:5, type:1",
       kKeyOutOfOrder},
      {{good, Value("b", 6, "")},
       "b",
       "key 'b' seq:6, type:1 is out of order: Next moved to it from "
       "'b' seq:5, type:1",
       kKeyOutOfOrder},
      {{good, good},
       "b",
       "key 'b' seq:5, type:1 comes twice: Next moved from it to it",
       kDuplicateKey},
      {{{"", ""}},
       "",
       "key (0 bytes, no tail) is shorter than its tail of 8 bytes"},
      {{good, {"c234567", ""}},
       "b",
       "key (7 bytes, no tail) is shorter than its tail of 8 bytes"},
      {{good, RangeDeleted("c", 5, "d")},
       "b",
       "key 'c' seq:5, type:15 is a range deletion, which a source must not "
       "have"},
      {{good, of_type(0x33)},
       "b",
       "key 'c' seq:5, type:51 has an unknown type"},
      {{of_type(0xff)}, "", "key 'c' seq:5, type:255 has an unknown type"},
  };
}

void ExpectWrong(const Status& status, const WrongCase& wrong) {
  EXPECT_EQ(status.ToString(), "Invalid argument: list 7: " + wrong.message);
  EXPECT_EQ(status.subcode(), wrong.subcode);
}

TEST(EntrySource, WhatIsWrongEndsAWalkForward) {
  for (const WrongCase& wrong : WrongForward()) {
    const auto over = [&] {
      return NewSourceIterator(BytewiseComparator(),
                               std::make_unique<ListedSource>(wrong.entries));
    };
    Iterator it = over();
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(Walked(&it), wrong.shown);
      ExpectWrong(it.status(), wrong);
    }
    // Merged with a good source, which is not in the way.
    const EntryMap map = MapOf({Value("aa", 3, ""), Value("bb", 3, "")});
    std::vector<Iterator> children;
    children.push_back(over());
    children.push_back(OverMap(&map));
    MergingIterator merged(BytewiseComparator(), std::move(children));
    EXPECT_EQ(Walked(&merged), wrong.shown.empty() ? "" : "aab");
    ExpectWrong(merged.status(), wrong);
  }
}

TEST(EntrySource, WhatIsWrongEndsAWalkBackward) {
  const WrongCase unordered{{Value("c", 5, ""), Value("b", 5, "")},
                            "b",
                            "key 'c' seq:5, type:1 is out of order: Prev moved "
                            "to it from 'b' seq:5, type:1",
                            Status::SubCode::kKeyOutOfOrder};
  const WrongCase twice{
      {Value("b", 5, ""), Value("b", 5, "")},
      "b",
      "key 'b' seq:5, type:1 comes twice: Prev moved from it to it",
      Status::SubCode::kDuplicateKey};
  const WrongCase tiny{
      {{"1234567", ""}, Value("b", 5, "")},
      "b",
      "key (7 bytes, no tail) is shorter than its tail of 8 bytes"};
  for (const WrongCase& wrong : {unordered, twice, tiny}) {
    Iterator it = NewSourceIterator(
        BytewiseComparator(), std::make_unique<ListedSource>(wrong.entries));
    EXPECT_EQ(WalkedBackward(&it), wrong.shown);
    ExpectWrong(it.status(), wrong);
  }
}

TEST(EntrySource, ASeekMustNotComeToAKeyBeforeItsTarget) {
  Iterator it = NewSourceIterator(
      BytewiseComparator(), std::make_unique<ListedSource>(std::vector<Entry>{
                                Value("a", 5, ""), Value("b", 5, "")}));
  const std::string start =
      "Invalid argument: list 7: key 'a' seq:5, type:1 is before the target of "
      "Seek, 'b' seq:";
  it.Seek("b");
  EXPECT_FALSE(it.Valid());
  EXPECT_EQ(it.status().ToString().substr(0, start.size()), start);
  EXPECT_EQ(it.status().subcode(), Status::SubCode::kKeyOutOfOrder);
  it.SeekForPrev("b", 3);
  EXPECT_FALSE(it.Valid());
  EXPECT_EQ(it.status().subcode(), Status::SubCode::kKeyOutOfOrder);
  EXPECT_EQ(Walked(&it), "ab");
  Require(it.status());
}

// Moves that say that they gave an entry, and gave none. What the move before
// gave must not take its place.
TEST(EntrySource, AnEntryThatIsNotSetIsAnError) {
  class Forgetful : public MapSource {
   public:
    using MapSource::MapSource;
    bool SeekToLast(EntrySource::Entry* entry) override {
      EntrySource::Entry forgotten;
      MapSource::SeekToLast(&forgotten);
      static_cast<void>(entry);
      return true;
    }
    bool Seek(const Slice& /*target*/, EntrySource::Entry* entry) override {
      return SeekToLast(entry);
    }
    bool Next(EntrySource::Entry* entry) override { return SeekToLast(entry); }
    bool Prev(EntrySource::Entry* entry) override { return SeekToLast(entry); }
  };
  const EntryMap map = MapOf(SomeEntries(2));
  Iterator it = NewSourceIterator(BytewiseComparator(),
                                  std::make_unique<Forgetful>(&map));
  const std::vector<std::function<void()>> moves = {
      [&] { it.SeekToLast(); }, [&] { it.Seek("a"); },
      [&] { it.SeekForPrev("z"); }, [&] { it.Next(); }, [&] { it.Prev(); }};
  for (const auto& move : moves) {
    it.SeekToFirst();
    ASSERT_TRUE(it.Valid()) << it.status().ToString();
    move();
    EXPECT_FALSE(it.Valid());
    EXPECT_EQ(it.status().ToString(),
              "Invalid argument: map: key (0 bytes, no tail) is shorter than "
              "its tail of 8 bytes");
  }
}

TEST(EntrySource, ImpossibleOptionsAreAnErrorThatStays) {
  const EntryMap map = MapOf(SomeEntries(3));
  ReadOptions pinning;
  pinning.pin_data = true;
  ReadOptions prefix;
  prefix.prefix_same_as_start = true;
  ReadOptions timed;
  timed.timestamp = "12345678";
  std::vector<Iterator> wrong;
  wrong.push_back(OverMap(&map, pinning));
  wrong.push_back(OverMap(&map, prefix));
  wrong.push_back(OverMap(&map, timed));
  wrong.push_back(NewSourceIterator(BytewiseComparator(), nullptr));
  wrong.push_back(
      NewSourceIterator(nullptr, std::make_unique<MapSource>(&map)));
  for (Iterator& it : wrong) {
    for (int i = 0; i < 2; ++i) {
      EXPECT_TRUE(it.status().IsInvalidArgument()) << it.status().ToString();
      EXPECT_EQ(Walked(&it), "");
      EXPECT_EQ(WalkedBackward(&it), "");
      it.Seek("key");
      EXPECT_FALSE(it.Valid());
      it.SeekForPrev("zzz");
      EXPECT_FALSE(it.Valid());
    }
  }
  prefix.total_order_seek = true;
  Iterator right = OverMap(&map, prefix);
  EXPECT_EQ(Walked(&right), "key00000key00001key00002");
  right = NewSourceIterator(BytewiseComparator(),
                            std::make_unique<MapSource>(&map, nullptr, true),
                            pinning);
  EXPECT_EQ(WalkedBackward(&right), "key00002key00001key00000");
}

TEST(EntrySource, TimestampsArePartOfTheKey) {
  const Comparator* const order = BytewiseComparatorWithU64Ts();
  const auto timed = [](const std::string& key, uint64_t time,
                        SequenceNumber sequence) {
    return Value(key + EncodeU64Ts(time), sequence, std::to_string(time));
  };
  const EntryMap map = MapOf({timed("a", 30, 9), timed("a", 20, 8),
                              timed("a", 10, 7), timed("b", 40, 10)},
                             order);
  const std::string at = EncodeU64Ts(25);
  ReadOptions options;
  options.timestamp = at;
  const auto over = [&](const ReadOptions& read) {
    return NewSourceIterator(order, std::make_unique<MapSource>(&map), read);
  };
  const auto values = [](Iterator* it, bool forward) {
    std::string seen;
    for (; it->Valid(); forward ? it->Next() : it->Prev()) {
      seen += it->value().ToString() + " ";
    }
    Require(it->status());
    return seen;
  };
  Iterator it = over(options);
  it.Seek("a");
  EXPECT_EQ(values(&it, true), "20 10 ");
  it.SeekToLast();
  EXPECT_EQ(values(&it, false), "10 20 ");
  it.SeekForPrev("z");
  EXPECT_EQ(values(&it, false), "10 20 ");
  it = over({});
  it.Seek("a");
  EXPECT_EQ(values(&it, true), "30 20 10 40 ");
  it.SeekForPrev("a");
  EXPECT_EQ(values(&it, false), "10 20 30 ");
  it = NewSourceIterator(order,
                         std::make_unique<ListedSource>(
                             std::vector<Entry>{{std::string(15, 'x'), ""}}));
  it.SeekToFirst();
  EXPECT_EQ(it.status().message().substr(0, 12), "list 7: key ");
  EXPECT_TRUE(it.status().IsInvalidArgument());
}

// A value outlives iterator and source: copied, or shared by the source.
TEST(EntrySource, BoundsMayChangeBetweenWalks) {
  const EntryMap map = MapOf({Value("a", 1, "1"), Value("b", 1, "2"),
                              Value("c", 1, "3"), Value("d", 1, "4")});
  Iterator it = OverMap(&map);
  EXPECT_EQ(Walked(&it), "abcd");
  EXPECT_FALSE(it.AtUpperBound());
  const Slice b("b");
  const Slice d("d");
  Require(it.SetBounds(&b, &d));
  EXPECT_EQ(Walked(&it), "bc");
  EXPECT_TRUE(it.AtUpperBound());
  EXPECT_EQ(WalkedBackward(&it), "cb");
  EXPECT_FALSE(it.AtUpperBound());
  it.Seek("a");
  Require(it.SetBounds(nullptr, &b));
  EXPECT_FALSE(it.Valid());
  EXPECT_EQ(Walked(&it), "a");
  EXPECT_TRUE(it.AtUpperBound());
  Require(it.SetBounds(nullptr, nullptr));
  EXPECT_EQ(WalkedBackward(&it), "dcba");
}

TEST(EntrySource, PinnedValuesOutliveTheSource) {
  class SharingSource : public MapSource {
   public:
    explicit SharingSource(std::shared_ptr<const EntryMap> map)
        : MapSource(map.get(), nullptr, true), map_(std::move(map)) {}
    bool ShareValue(Cleanable* pin) override {
      pin->RegisterCleanup(
          [](void* map, void*) {
            delete static_cast<std::shared_ptr<const EntryMap>*>(map);
          },
          new std::shared_ptr<const EntryMap>(map_), nullptr);
      return true;
    }

   private:
    std::shared_ptr<const EntryMap> map_;
  };
  auto map = std::make_shared<const EntryMap>(MapOf(SomeEntries(3)));
  const char* const stored = map->begin()->second.data();
  for (const bool shares : {true, false}) {
    std::unique_ptr<EntrySource> source;
    if (shares) {
      source = std::make_unique<SharingSource>(map);
    } else {
      source = std::make_unique<MapSource>(map.get());
    }
    PinnableSlice value;
    {
      Iterator it = NewSourceIterator(BytewiseComparator(), std::move(source));
      it.SeekToFirst();
      ASSERT_TRUE(it.Valid());
      EXPECT_EQ(it.IsValuePinned(), shares);
      EXPECT_EQ(it.IsKeyPinned(), shares);
      Require(it.PinValue(&value));
    }
    EXPECT_EQ(value.ToStringView(), "value0");
    EXPECT_EQ(value.data() == stored, shares);
    EXPECT_EQ(map.use_count(), shares ? 2 : 1);
    value.Reset();
    EXPECT_EQ(map.use_count(), 1);
  }
}

TEST(EntrySource, AMemtableMayGrowDuringAWalk) {
  EntryMap map = MapOf({Value("b", 1, ""), Value("d", 1, "")});
  const auto add = [&](const char* key, SequenceNumber sequence) {
    map[Value(key, sequence, "").key] = "";
  };
  const auto table = OpenTable(BuildTable(
      {}, {Value("a", 1, ""), Value("c", 2, ""), Value("e", 1, "")}));
  std::vector<Iterator> children;
  children.push_back(OverMap(&map));
  children.push_back(table->NewIterator());
  MergingIterator it(BytewiseComparator(), std::move(children));
  it.Seek("c");
  ASSERT_TRUE(it.Valid());
  // Between the table's entry and the one that the map's child has come to.
  add("c5", 1);
  add("c", 1);
  add("bb", 1);
  it.Prev();
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ(it.user_key(), Slice("bb"));
  add("b5", 1);
  add("bc", 1);
  it.Next();
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ(it.user_key(), Slice("bc"));
  // A child at its end, when the walk turns around.
  it.Seek("e");
  ASSERT_TRUE(it.Valid());
  add("e", 0);
  add("f", 0);
  it.Prev();
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ(it.user_key(), Slice("d"));
  it.SeekForPrev("a");
  ASSERT_TRUE(it.Valid());
  add("a", 3);
  it.Next();
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ(it.user_key(), Slice("b"));
  EXPECT_EQ(Walked(&it), "aabb5bbbcccc5deef");
  Require(it.status());
}

// Entries that come between the two moves of which SeekForPrev is made.
TEST(EntrySource, ASeekForPrevPassesByWhatWasAddedMeanwhile) {
  class Growing : public MapSource {
   public:
    explicit Growing(EntryMap* map) : MapSource(map), map_(*map) {}
    bool Prev(EntrySource::Entry* entry) override {
      Grow();
      return MapSource::Prev(entry);
    }
    bool SeekToLast(EntrySource::Entry* entry) override {
      Grow();
      return MapSource::SeekToLast(entry);
    }

   private:
    void Grow() {
      for (const char* const key : {"c5", "x", "y"}) {
        map_[Value(key, 1, "").key] = "";
      }
    }
    EntryMap& map_;
  };
  for (const char* const last : {"d", "b"}) {
    EntryMap map = MapOf({Value("b", 1, ""), Value(last, 1, "")});
    Iterator it = NewSourceIterator(BytewiseComparator(),
                                    std::make_unique<Growing>(&map));
    it.SeekForPrev("c");
    ASSERT_TRUE(it.Valid());
    EXPECT_EQ(it.user_key(), Slice("b"));
    it.Next();
    ASSERT_TRUE(it.Valid());
    EXPECT_EQ(it.user_key(), Slice("c5"));
    Require(it.status());
  }
}

TEST(EntrySource, OtherExceptionsPassThrough) {
  class Throwing : public MapSource {
   public:
    using MapSource::MapSource;
    bool Next(EntrySource::Entry* /*entry*/) override {
      throw std::runtime_error("not mine");
    }
  };
  const EntryMap map = MapOf(SomeEntries(3));
  Iterator it =
      NewSourceIterator(BytewiseComparator(), std::make_unique<Throwing>(&map));
  it.SeekToFirst();
  ASSERT_TRUE(it.Valid());
  EXPECT_THROW(it.Next(), std::runtime_error);
  EXPECT_EQ(WalkedBackward(&it), "key00002key00001key00000");
}

// A source that walks forward only says so.
TEST(EntrySource, ASourceNeedNotWalkBackward) {
  class ForwardSource : public MapSource {
   public:
    using MapSource::MapSource;
    bool SeekToLast(EntrySource::Entry* /*entry*/) override { return Refuse(); }
    bool Prev(EntrySource::Entry* /*entry*/) override { return Refuse(); }
    Status status() const override {
      return refused_ ? Status::NotSupported("forward only") : Status();
    }

   private:
    bool Refuse() {
      refused_ = true;
      return false;
    }
    bool refused_ = false;
  };
  const EntryMap map = MapOf(SomeEntries(2));
  Iterator it = NewSourceIterator(BytewiseComparator(),
                                  std::make_unique<ForwardSource>(&map));
  EXPECT_EQ(Walked(&it), "key00000key00001");
  Require(it.status());
  EXPECT_EQ(WalkedBackward(&it), "");
  EXPECT_TRUE(it.status().IsNotSupported());
}

}  // namespace
}  // namespace ashlar::testing
