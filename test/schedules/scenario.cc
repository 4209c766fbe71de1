#include "test/schedules/scenario.h"

#include <utility>

#include "port/threads.h"
#include "test/schedules/controlled_threads.h"

namespace ashlar::testing {

void ScenarioThreads::Start(std::function<void()> work) {
  threads_.push_back(std::make_unique<Started>());
  Started* const started = threads_.back().get();
  started->work = std::move(work);
  const int error = port::StartThread(
      [](void* argument) -> void* {
        static_cast<Started*>(argument)->work();
        return nullptr;
      },
      started, &started->handle);
  Expect(error == 0, "no thread could be started");
}

void ScenarioThreads::Join() {
  for (const auto& started : threads_) port::JoinThread(started->handle);
  threads_.clear();
}

}  // namespace ashlar::testing
