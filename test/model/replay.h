// Explores every interleaving of a few threads' steps, in the code under test.
//
// A thread is a program that takes steps on shared contents. A program may
// depend only on the answers to its steps. So the explorer finds each point
// that a thread can reach only once: it runs the program from the start with
// the same answers as on the way to that point, and keeps the next step. That
// step serves every world in which the thread is at this point. A world is the
// contents and the point of each thread. The explorer visits each reachable
// world once.
#ifndef ASHLAR_TEST_MODEL_REPLAY_H_
#define ASHLAR_TEST_MODEL_REPLAY_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "test/model/world_set.h"

namespace ashlar::internal {

inline constexpr size_t kMostReplayThreads = 4;

// Contents is what the threads share. Two Contents are equal if their bytes
// are, so it must have no padding and no pointers. It has
// `std::string FaultAtEnd() const`.
template <typename Contents>
struct ReplayWorld {
  Contents contents;
  std::array<uint32_t, kMostReplayThreads> at{};  // the point of each thread
};

template <typename Contents>
using ReplayStep = std::function<uint64_t(Contents*)>;

struct NotYet {};  // thrown at a step that has no answer yet

// The contents as one thread sees them, for a program that got these answers.
template <typename Contents>
class ReplaySteps {
 public:
  explicit ReplaySteps(const std::vector<uint64_t>& answers)
      : answers_(answers) {}

  // The explorer keeps `step`, so `step` must own what it needs.
  template <typename Function>
  uint64_t Step(const Function& step) {
    if (next_ < answers_.size()) return answers_[next_++];
    next_step_ = step;
    throw NotYet();
  }
  static void Must(bool holds, const char* fault) {
    if (!holds) throw std::string(fault);
  }
  // Returns the step after the last answer, which is empty if the program has
  // ended.
  ReplayStep<Contents>& next_step() { return next_step_; }

 private:
  const std::vector<uint64_t>& answers_;
  size_t next_ = 0;
  ReplayStep<Contents> next_step_;
};

// Explore returns an empty string if every reachable world is correct, or else
// the first fault. Scene is the argument of a program, made from the answers so
// far.
template <typename Contents, typename Scene>
class ReplayExplorer {
 public:
  using Program = std::function<void(Scene*)>;

  explicit ReplayExplorer(std::vector<Program> threads)
      : threads_(std::move(threads)) {}

  // Must be called only once.
  std::string Explore(const Contents& start) {
    if (threads_.size() > kMostReplayThreads) return "too many threads";
    World world = {.contents = start};
    for (size_t t = 0; t < threads_.size(); ++t) {
      world.at[t] = Find(t, {});
    }
    if (fault_.empty()) Visit(world);
    return fault_;
  }
  size_t worlds() const { return seen_.size(); }

 private:
  using World = ReplayWorld<Contents>;

  // The state of a thread between two steps.
  struct Point {
    ReplayStep<Contents> step;  // empty: the thread has ended
    std::vector<uint64_t> answers;
    std::vector<std::pair<uint64_t, uint32_t>> next;  // by the step's answer
  };

  void Visit(const World& world) {
    if (!seen_.Insert(world)) return;
    bool all_done = true;
    for (size_t t = 0; t < threads_.size(); ++t) {
      const ReplayStep<Contents>& step = points_[world.at[t]].step;
      if (!step) continue;
      all_done = false;
      World next = world;
      const uint64_t answer = step(&next.contents);
      next.at[t] = After(t, world.at[t], answer);
      if (fault_.empty()) Visit(next);
      if (!fault_.empty()) return;
    }
    if (all_done) fault_ = world.contents.FaultAtEnd();
  }

  // Returns the point that `thread` reaches if its step at `point` gets this
  // answer.
  uint32_t After(size_t thread, uint32_t point, uint64_t answer) {
    for (const auto& [known, next] : points_[point].next) {
      if (known == answer) return next;
    }
    std::vector<uint64_t> answers = points_[point].answers;
    answers.push_back(answer);
    const uint32_t next = Find(thread, std::move(answers));
    points_[point].next.emplace_back(answer, next);
    return next;
  }

  // Adds a point: runs the program up to its next step.
  uint32_t Find(size_t thread, std::vector<uint64_t> answers) {
    Scene scene(answers);
    try {
      threads_[thread](&scene);
    } catch (const NotYet&) {  // the rest runs later
    } catch (const std::string& fault) {
      fault_ = fault;
    }
    ReplayStep<Contents> step = std::move(scene.next_step());
    points_.push_back({std::move(step), std::move(answers), {}});
    return static_cast<uint32_t>(points_.size() - 1);
  }

  const std::vector<Program> threads_;
  std::vector<Point> points_;
  model::WorldSet<World> seen_;
  std::string fault_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TEST_MODEL_REPLAY_H_
