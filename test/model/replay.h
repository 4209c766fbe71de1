// Every interleaving of a few threads' steps, run on the code that is tested.
//
// A thread is a program that makes its steps on what the threads share. To take
// a thread one step on, its program runs again from the start: the steps that
// it has taken answer as they did then, the next one is taken, and the rest is
// left for another time. So the world is what is shared and what each thread
// was answered, and all worlds that can be reached are visited once.
#ifndef ASHLAR_TEST_MODEL_REPLAY_H_
#define ASHLAR_TEST_MODEL_REPLAY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::internal {

// Contents: what the threads share; ordered, with `std::string FaultAtEnd()`.
template <typename Contents>
struct ReplayWorld {
  Contents contents;
  std::vector<std::vector<uint64_t>> answers;  // of each thread
  auto operator<=>(const ReplayWorld&) const = default;
};

struct NotYet {};  // a step that is left for another time

// The world as one thread sees it.
template <typename Contents>
class ReplaySteps {
 public:
  using World = ReplayWorld<Contents>;

  ReplaySteps(World* world, size_t thread) : world_(world), thread_(thread) {}

  uint64_t Step(const std::function<uint64_t(Contents*)>& step) {
    std::vector<uint64_t>& answers = world_->answers[thread_];
    if (next_ < answers.size()) return answers[next_++];
    if (taken_) throw NotYet();
    taken_ = true;
    answers.push_back(step(&world_->contents));
    return answers[next_++];
  }
  static void Must(bool holds, const char* fault) {
    if (!holds) throw std::string(fault);
  }

 private:
  World* const world_;
  const size_t thread_;
  size_t next_ = 0;
  bool taken_ = false;
};

// Explore: empty when every world that can be reached is as it must be. Scene:
// what a program is given, made of a world and a thread's number.
template <typename Contents, typename Scene>
class ReplayExplorer {
 public:
  using Program = std::function<void(Scene*)>;

  explicit ReplayExplorer(std::vector<Program> threads)
      : threads_(std::move(threads)) {}

  std::string Explore(const Contents& start) {
    World world;
    world.contents = start;
    world.answers.resize(threads_.size());
    fault_.clear();
    Visit(world);
    return fault_;
  }
  size_t worlds() const { return seen_.size(); }

 private:
  using World = ReplayWorld<Contents>;

  void Visit(const World& world) {
    if (!fault_.empty() || !seen_.insert(world).second) return;
    bool all_done = true;
    for (size_t t = 0; t < threads_.size() && fault_.empty(); ++t) {
      World next = world;
      TakeStep(&next, t);
      if (next == world) continue;  // the thread has come to its end
      all_done = false;
      Visit(next);
    }
    if (all_done && fault_.empty()) fault_ = world.contents.FaultAtEnd();
  }

  void TakeStep(World* world, size_t thread) {
    Scene scene(world, thread);
    try {
      threads_[thread](&scene);
    } catch (const NotYet&) {  // the rest of it, another time
    } catch (const std::string& fault) {
      fault_ = fault;
    }
  }

  std::vector<Program> threads_;
  std::set<World> seen_;
  std::string fault_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TEST_MODEL_REPLAY_H_
