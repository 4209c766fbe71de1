// Which histories of a cache some order explains.

#include "test/schedules/history.h"

#include <gtest/gtest.h>

namespace ashlar::testing {
namespace {

using Kind = CacheCall::Kind;

CacheCall Insert(int value, uint64_t begin, uint64_t end) {
  return {Kind::kInsert, 0, value, begin, end};
}
CacheCall Found(int value, uint64_t begin, uint64_t end) {
  return {Kind::kLookup, 0, value, begin, end};
}
CacheCall Missed(uint64_t begin, uint64_t end) {
  return {Kind::kLookup, 0, -1, begin, end};
}
CacheCall Erase(uint64_t begin, uint64_t end) {
  return {Kind::kErase, 0, -1, begin, end};
}

TEST(History, CallsInTurn) {
  EXPECT_EQ(Unexplained({Missed(1, 2), Insert(0, 3, 4), Found(0, 5, 6),
                         Erase(7, 8), Missed(9, 10)}),
            "");
  EXPECT_NE(Unexplained({Insert(0, 1, 2), Missed(3, 4)}), "");
  EXPECT_NE(Unexplained({Insert(0, 1, 2), Erase(3, 4), Found(0, 5, 6)}), "");
  EXPECT_NE(Unexplained({Found(0, 1, 2), Insert(0, 3, 4)}), "");
}

TEST(History, CallsThatOverlapTakeEffectInAnyOrder) {
  EXPECT_EQ(Unexplained({Insert(0, 1, 4), Missed(2, 3)}), "");
  EXPECT_EQ(Unexplained({Insert(0, 1, 4), Found(0, 2, 3)}), "");
  // One that has seen it says so to all later ones.
  EXPECT_NE(Unexplained({Insert(0, 1, 8), Found(0, 2, 3), Missed(4, 5)}), "");
}

TEST(History, AnInsertReplacesNothing) {
  EXPECT_EQ(Unexplained({Insert(0, 1, 2), Insert(1, 3, 4), Found(0, 5, 6)}),
            "");
  EXPECT_NE(Unexplained({Insert(0, 1, 2), Insert(1, 3, 4), Found(1, 5, 6)}),
            "");
}

TEST(History, TwoInsertsAtOnceMayBothSucceed) {
  EXPECT_EQ(Unexplained({Insert(0, 1, 4), Insert(1, 2, 3), Found(0, 5, 6),
                         Found(1, 7, 8)}),
            "");
  EXPECT_NE(Unexplained({Insert(0, 1, 4), Insert(1, 2, 3), Erase(5, 6),
                         Found(1, 7, 8)}),
            "");
}

TEST(History, AnEraseMayLeaveWhatIsInsertedMeanwhile) {
  EXPECT_EQ(Unexplained({Insert(2, 2, 3), Insert(0, 1, 5), Found(2, 6, 7),
                         Erase(4, 8), Found(0, 9, 10)}),
            "");
  EXPECT_NE(Unexplained({Insert(2, 2, 3), Insert(0, 1, 5), Found(2, 6, 7),
                         Erase(6, 8), Found(0, 9, 10)}),
            "");
}

TEST(History, AnEraseMayRemoveWhatIsInsertedMeanwhileAtAnyMoment) {
  // It has removed 1 before the lookup missed it, and removes 0 later.
  EXPECT_EQ(Unexplained({Insert(1, 1, 2), Insert(0, 3, 8), Missed(5, 6),
                         Found(0, 9, 10), Erase(4, 12), Missed(13, 14)}),
            "");
  EXPECT_NE(Unexplained({Insert(1, 1, 2), Erase(3, 4), Insert(0, 5, 6),
                         Found(0, 7, 8), Missed(9, 10)}),
            "");
  // Not after it has ended, and not what was inserted before it began.
  EXPECT_NE(Unexplained({Insert(1, 1, 2), Insert(0, 3, 8), Missed(5, 6),
                         Erase(4, 10), Found(0, 11, 12), Missed(13, 14)}),
            "");
  EXPECT_NE(
      Unexplained({Insert(1, 1, 2), Erase(3, 8), Missed(4, 5), Found(1, 6, 7)}),
      "");
}

TEST(History, KeysAreIndependent) {
  CacheCall other = Missed(3, 4);
  other.key = 1;
  EXPECT_EQ(Unexplained({Insert(0, 1, 2), other}), "");
}

}  // namespace
}  // namespace ashlar::testing
