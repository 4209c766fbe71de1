// All states that threads on one write buffer can reach: every interleaving of
// their steps, in the code that the buffer runs (cache/fifo/hand_over.h).
//
// To take one step of a thread, the explorer runs the thread's program again
// from its start. The steps that it has already taken return the same answers,
// and then it takes the next one. A change of things that the thread owns is
// part of the step before. Blocks have two entries, so that two writers fill
// one.
#ifndef ASHLAR_TEST_MODEL_HAND_OVER_WORLD_H_
#define ASHLAR_TEST_MODEL_HAND_OVER_WORLD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/cache/fifo/hand_over.h"
#include "ashlar/cache/hash/key_hash.h"
#include "test/model/world_set.h"

namespace ashlar::internal {

inline constexpr uint32_t kModelEntries = 2;
inline constexpr uint32_t kModelBlocks = 3;

struct BufferContents {
  uint64_t open = hand_over::OpenWord(hand_over::kNoBlock, kModelEntries);
  uint64_t free = 0;
  uint32_t pending = hand_over::kNothingPending;
  struct Block {
    uint32_t committed = 0;
    uint32_t size = kModelEntries;
    uint32_t next = hand_over::kNoBlock;
    std::array<uint32_t, kModelEntries> entries{};  // 0: not written
    auto operator<=>(const Block&) const = default;
  };
  std::array<Block, kModelBlocks> blocks{};
  bool in_sink = false;
  uint64_t recorded = 0;   // a bit for each entry whose Record returned
  uint64_t delivered = 0;  // a bit for each entry that the sink got
  uint32_t ended = 0;      // number of threads
  auto operator<=>(const BufferContents&) const = default;
};

struct BufferWorld {
  BufferContents buffer;
  std::vector<std::vector<uint64_t>> answers;  // of each thread
  bool operator==(const BufferWorld&) const = default;

  // A 128-bit hash of the world: two worlds with the same key are not expected.
  model::WorldKey Key() const {
    model::WorldKey key;
    const auto put = [&key](uint64_t value) {
      key.a = MultiplyFold(key.a ^ value, 0x9e3779b97f4a7c15) + 1;
      key.b = MultiplyFold(key.b + value, 0xd6e8feb86659fd93) ^ key.a;
    };
    put(buffer.open);
    put(buffer.free);
    put(buffer.pending);
    for (const BufferContents::Block& block : buffer.blocks) {
      put(uint64_t{block.committed} << 32 | block.size);
      put(block.next);
      for (const uint32_t entry : block.entries) put(entry);
    }
    put(buffer.in_sink ? 1 : 0);
    put(buffer.recorded);
    put(buffer.delivered);
    put(buffer.ended);
    for (const std::vector<uint64_t>& thread : answers) {
      put(thread.size());
      for (const uint64_t answer : thread) put(answer);
    }
    return key;
  }
};

// The buffer as one thread sees it, with the operations that the protocol
// needs.
class BufferScene {
 public:
  BufferScene(BufferWorld* world, size_t thread)
      : world_(world), thread_(thread) {}

  struct NotYet {};  // thrown at a step that is not taken in this run

  // One word. Each operation on it is a single step.
  template <typename T>
  class Place {
   public:
    Place(BufferScene* scene, std::function<T*(BufferContents*)> at)
        : scene_(scene), at_(std::move(at)) {}
    T LoadRelaxed() {
      return Change([](T word) { return word; });
    }
    T FetchAddAcquire(T n) {
      return Change([n](T word) { return word + n; });
    }
    T FetchAddBoth(T n) { return FetchAddAcquire(n); }
    T FetchOrRelease(T bits) {
      return Change([bits](T word) { return word | bits; });
    }
    bool CompareExchangeBoth(T* expected, T desired) {
      const T wanted = *expected;
      *expected = Change([wanted, desired](T word) {
        return word == wanted ? desired : word;
      });
      return *expected == wanted;
    }

   private:
    T Change(const std::function<T(T)>& change) {
      return static_cast<T>(scene_->Step([&](BufferContents* b) {
        T* const word = at_(b);
        return uint64_t{std::exchange(*word, change(*word))};
      }));
    }
    BufferScene* const scene_;
    const std::function<T*(BufferContents*)> at_;
  };

  static constexpr uint32_t entries() { return kModelEntries; }
  Place<uint64_t> Open(size_t /*shard*/) {
    return {this, [](BufferContents* b) { return &b->open; }};
  }
  Place<uint64_t> Free() {
    return {this, [](BufferContents* b) { return &b->free; }};
  }
  Place<uint32_t> Pending() {
    return {this, [](BufferContents* b) { return &b->pending; }};
  }
  Place<uint32_t> Committed(uint32_t block) {
    return {this,
            [block](BufferContents* b) { return &b->blocks[block].committed; }};
  }
  void SetSize(uint32_t block, uint32_t size) {
    DoAlong([=](BufferContents* b) { b->blocks[block].size = size; });
  }
  void SetNext(uint32_t block, uint32_t next) {
    DoAlong([=](BufferContents* b) { b->blocks[block].next = next; });
  }
  uint32_t Next(uint32_t block) {
    return static_cast<uint32_t>(Along(
        [=](BufferContents* b) { return uint64_t{b->blocks[block].next}; }));
  }
  void GiveToSink(uint32_t block) {
    Do([block](BufferContents* b) {
      Must(!b->in_sink, "two threads in the sink");
      b->in_sink = true;
      for (uint32_t i = 0; i < b->blocks[block].size; ++i) {
        const uint32_t entry = b->blocks[block].entries[i];
        Must(entry != 0, "the sink gets what is not written");
        Must((b->delivered >> entry & 1) == 0, "the sink gets an entry twice");
        b->delivered |= uint64_t{1} << entry;
      }
    });
    Do([](BufferContents* b) { b->in_sink = false; });
  }
  void Reset(uint32_t block) {
    DoAlong([block](BufferContents* b) {
      b->blocks[block] = BufferContents::Block();
    });
  }
  void ThereIsRoom() {}

  void Write(const hand_over::Place& place, uint32_t entry) {
    Do([place, entry](BufferContents* b) {
      uint32_t& to = b->blocks[place.block].entries[place.index];
      Must(to == 0, "two entries in one place");
      to = entry;
    });
  }
  void HasRecorded(uint32_t entry) {
    DoAlong(
        [entry](BufferContents* b) { b->recorded |= uint64_t{1} << entry; });
  }
  void End() {
    DoAlong([](BufferContents* b) { ++b->ended; });
  }
  // A sleeper wakes up by itself, but only when it can make progress.
  void Await(const std::function<bool()>& ready) {
    while (!ready()) {
      Do([](BufferContents* b) {
        if (b->free == 0 && hand_over::IsClosed(b->open, kModelEntries)) {
          throw NotYet();
        }
      });
    }
  }
  static void Must(bool holds, const char* fault) {
    if (!holds) throw std::string(fault);
  }

 private:
  uint64_t Step(const std::function<uint64_t(BufferContents*)>& step) {
    std::vector<uint64_t>& answers = world_->answers[thread_];
    if (next_ < answers.size()) return answers[next_++];
    if (taken_) throw NotYet();
    taken_ = true;
    const uint64_t answer = step(&world_->buffer);
    answers.push_back(answer);
    return answers[next_++];
  }
  // Is part of the step before.
  uint64_t Along(const std::function<uint64_t(BufferContents*)>& step) {
    std::vector<uint64_t>& answers = world_->answers[thread_];
    if (next_ == answers.size()) answers.push_back(step(&world_->buffer));
    return answers[next_++];
  }
  void DoAlong(const std::function<void(BufferContents*)>& step) {
    Along([&](BufferContents* b) {
      step(b);
      return uint64_t{0};
    });
  }
  void Do(const std::function<void(BufferContents*)>& step) {
    Step([&](BufferContents* b) {
      step(b);
      return uint64_t{0};
    });
  }

  BufferWorld* const world_;
  const size_t thread_;
  size_t next_ = 0;
  bool taken_ = false;
};

using BufferProgram = std::function<void(BufferScene*)>;

// Explore returns an empty string if every reachable world is correct.
class BufferExplorer {
 public:
  explicit BufferExplorer(std::vector<BufferProgram> threads)
      : threads_(std::move(threads)) {}

  std::string Explore(uint32_t blocks) {
    BufferWorld world;
    blocks_ = (uint64_t{1} << blocks) - 1;
    world.buffer.free = blocks_;
    world.answers.resize(threads_.size());
    std::vector<BufferWorld> open = {world};
    while (!open.empty() && fault_.empty()) {
      const BufferWorld at = std::move(open.back());
      open.pop_back();
      if (!seen_.Insert(at.Key())) continue;
      ++worlds_;
      Visit(at, &open);
    }
    return fault_;
  }
  size_t worlds() const { return worlds_; }

 private:
  void Visit(const BufferWorld& world, std::vector<BufferWorld>* open) {
    bool moved = false;
    for (size_t t = 0; t < threads_.size(); ++t) {
      BufferWorld next = world;
      BufferScene scene(&next, t);
      try {
        threads_[t](&scene);
      } catch (const BufferScene::NotYet&) {  // not taken in this run
      } catch (const std::string& fault) {
        fault_ = fault;
      }
      if (next == world) continue;  // ended, or asleep
      moved = true;
      open->push_back(std::move(next));
    }
    if (!moved) CheckEnd(world.buffer);
  }

  void Require(bool holds, const char* fault) {
    if (!holds && fault_.empty()) fault_ = fault;
  }
  // Every entry is either delivered or in the open block.
  void CheckEnd(const BufferContents& b) {
    Require(b.ended == threads_.size(), "a writer sleeps for ever");
    Require(b.pending == hand_over::kNothingPending, "a block is left pending");
    uint64_t there = b.delivered;
    uint64_t owned = b.free;
    if (!hand_over::IsClosed(b.open, kModelEntries)) {
      const uint32_t number = hand_over::BlockOf(b.open);
      const BufferContents::Block& block = b.blocks[number];
      Require(block.committed == hand_over::IndexOf(b.open),
              "an open block has an index that nobody committed");
      for (const uint32_t entry : block.entries) {
        if (entry != 0) there |= uint64_t{1} << entry;
      }
      owned |= uint64_t{1} << number;
    }
    Require(there == b.recorded, "an entry is lost");
    Require(owned == blocks_, "a block is lost");
  }

  const std::vector<BufferProgram> threads_;
  model::WorldSet<model::WorldKey> seen_;
  size_t worlds_ = 0;
  std::string fault_;
  uint64_t blocks_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TEST_MODEL_HAND_OVER_WORLD_H_
