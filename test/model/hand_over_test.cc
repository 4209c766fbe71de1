// Every interleaving of writers and flushers on one write buffer, with the same
// steps as in the buffer (cache/fifo/hand_over.h).

#include "ashlar/cache/fifo/hand_over.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "test/model/hand_over_world.h"

namespace ashlar::internal {
namespace {

// --- What threads do ---

void WriteAndCommit(BufferScene* scene, const hand_over::Place& place,
                    uint32_t entry) {
  scene->Write(place, entry);
  const bool drains = hand_over::Commit(scene, place.block, 1);
  scene->HasRecorded(entry);
  if (drains) hand_over::Drain(scene);
}

void RecordOrDrop(BufferScene* scene, uint32_t entry) {
  hand_over::Place place;
  if (!hand_over::Reserve(scene, 0, &place)) return;
  WriteAndCommit(scene, place, entry);
}

void RecordOrWait(BufferScene* scene, uint32_t entry) {
  hand_over::Place place;
  if (!hand_over::Reserve(scene, 0, &place)) {
    scene->Await([&] { return hand_over::Reserve(scene, 0, &place); });
  }
  WriteAndCommit(scene, place, entry);
}

void Flush(BufferScene* scene) {
  if (hand_over::Close(scene, 0)) hand_over::Drain(scene);
}

using Record = void (*)(BufferScene*, uint32_t);

// 'r' is a record, 'f' is a flush. Each entry has its own number.
BufferProgram Doing(const std::string& what, uint32_t thread, Record record) {
  return [=](BufferScene* scene) {
    uint32_t entry = 1 + 8 * thread;
    for (const char c : what) {
      if (c == 'r') {
        record(scene, entry++);
      } else {
        Flush(scene);
      }
    }
    scene->End();
  };
}

std::string Explore(const std::vector<std::string>& threads, uint32_t blocks,
                    Record record, size_t* worlds) {
  std::vector<BufferProgram> programs;
  for (size_t t = 0; t < threads.size(); ++t) {
    programs.push_back(Doing(threads[t], static_cast<uint32_t>(t), record));
  }
  BufferExplorer explorer(programs);
  std::string fault = explorer.Explore(blocks);
  *worlds += explorer.worlds();
  return fault;
}

struct Doings {
  std::vector<std::string> threads;
  uint32_t blocks;
};

void ExploreAll(const std::vector<Doings>& all, Record record) {
  size_t worlds = 0;
  for (const Doings& doings : all) {
    EXPECT_EQ(Explore(doings.threads, doings.blocks, record, &worlds), "")
        << testing::PrintToString(doings.threads) << " " << doings.blocks;
  }
  std::printf("%zu worlds\n", worlds);
}

TEST(HandOver, EveryEntryComesOnceInEveryOrder) {
  ExploreAll(
      {
          {{"r", "r"}, 1},
          {{"rr", "rr"}, 1},
          {{"rr", "rr"}, 2},
          {{"rr", "rr"}, 3},
          {{"rrr", "f"}, 2},
          {{"rf", "rr"}, 2},
          {{"rf", "rr"}, 3},
          {{"rr", "ff"}, 3},
          {{"r", "r", "r"}, 1},
          {{"r", "f", "f"}, 2},
          {{"r", "r", "f"}, 1},
      },
      RecordOrDrop);
}

// No thread sleeps with a place reserved, so a block always becomes free.
TEST(HandOver, ThereIsRoomForThoseThatWaitInEveryOrder) {
  ExploreAll(
      {
          {{"rr", "r"}, 1},
          {{"rr", "rr"}, 2},
          {{"rf", "rr"}, 2},
          {{"rrr", "f"}, 1},
      },
      RecordOrWait);
}

// --- Seeded defects: each must be found ---

std::string FaultOf(const BufferProgram& defect, const std::string& other,
                    Record record = RecordOrDrop) {
  const BufferProgram defective = [&](BufferScene* scene) {
    defect(scene);
    scene->End();
  };
  BufferExplorer explorer({defective, Doing(other, 1, record)});
  return explorer.Explore(2);
}

TEST(HandOver, FindsAWriterThatFillsABlockAndDoesNotWaitForTheOthers) {
  EXPECT_EQ(FaultOf(
                [](BufferScene* scene) {
                  hand_over::Place place;
                  if (!hand_over::Reserve(scene, 0, &place)) return;
                  scene->Write(place, 1);
                  scene->HasRecorded(1);
                  scene->Committed(place.block).FetchAddBoth(1);
                  if (place.index == kModelEntries - 1 &&
                      hand_over::Pass(scene, place.block)) {
                    hand_over::Drain(scene);
                  }
                },
                "r"),
            "the sink gets what is not written");
}

TEST(HandOver, FindsACommitBeforeTheWrite) {
  EXPECT_NE(FaultOf(
                [](BufferScene* scene) {
                  hand_over::Place place;
                  if (!hand_over::Reserve(scene, 0, &place)) return;
                  if (hand_over::Commit(scene, place.block, 1)) {
                    hand_over::Drain(scene);
                  }
                  scene->Write(place, 1);
                  scene->HasRecorded(1);
                },
                "rr"),
            "");
}

TEST(HandOver, FindsAFlushThatCommitsNothingForThoseThatNeverCome) {
  EXPECT_NE(FaultOf(
                [](BufferScene* scene) {
                  uint64_t seen = scene->Open(0).LoadRelaxed();
                  if (hand_over::IsClosed(seen, kModelEntries)) return;
                  static_cast<void>(scene->Open(0).CompareExchangeBoth(
                      &seen,
                      hand_over::OpenWord(hand_over::kNoBlock, kModelEntries)));
                },
                "r"),
            "");
}

TEST(HandOver, FindsAFlushThatPassesABlockThatIsStillWritten) {
  EXPECT_NE(FaultOf(
                [](BufferScene* scene) {
                  uint64_t seen = scene->Open(0).LoadRelaxed();
                  if (hand_over::IsClosed(seen, kModelEntries)) return;
                  if (!scene->Open(0).CompareExchangeBoth(
                          &seen, hand_over::OpenWord(hand_over::kNoBlock,
                                                     kModelEntries))) {
                    return;
                  }
                  const uint32_t block = hand_over::BlockOf(seen);
                  scene->SetSize(block, hand_over::IndexOf(seen));
                  if (hand_over::Pass(scene, block)) hand_over::Drain(scene);
                },
                "r"),
            "");
}

TEST(HandOver, FindsADrainerThatLooksAndThenLeaves) {
  EXPECT_EQ(FaultOf(
                [](BufferScene* scene) {
                  hand_over::Place place;
                  for (uint32_t entry = 1; entry < 3; ++entry) {
                    if (!hand_over::Reserve(scene, 0, &place)) return;
                    scene->Write(place, entry);
                    scene->HasRecorded(entry);
                    if (!hand_over::Commit(scene, place.block, 1)) continue;
                    scene->GiveToSink(place.block);
                    scene->Reset(place.block);
                    hand_over::SetFree(scene, place.block);
                    // The defect: forgets blocks that were passed to it
                    // meanwhile.
                    uint32_t seen = scene->Pending().LoadRelaxed();
                    while (!scene->Pending().CompareExchangeBoth(
                        &seen, hand_over::kNothingPending)) {
                    }
                  }
                },
                "rrr"),
            "an entry is lost");
}

TEST(HandOver, FindsADrainerThatKeepsABlock) {
  EXPECT_NE(FaultOf(
                [](BufferScene* scene) {
                  static_cast<void>(hand_over::ClaimFree(scene));
                  static_cast<void>(hand_over::ClaimFree(scene));
                },
                "r", RecordOrWait),
            "");
}

}  // namespace
}  // namespace ashlar::internal
