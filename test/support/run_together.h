// RunTogether: does the same work in many threads at once, for tests of shared
// objects.
#ifndef ASHLAR_TEST_SUPPORT_RUN_TOGETHER_H_
#define ASHLAR_TEST_SUPPORT_RUN_TOGETHER_H_

#include <gtest/gtest.h>

#include <barrier>
#include <string>
#include <thread>
#include <vector>

namespace ashlar::testing {

// Calls work(thread) in each thread, all started together. Each call returns a
// complaint, or an empty string.
template <typename Work>
void RunTogether(int num_threads, Work work) {
  std::barrier start(num_threads);
  std::vector<std::string> complaints(static_cast<size_t>(num_threads));
  std::vector<std::thread> threads;
  threads.reserve(complaints.size());
  for (int t = 0; t < num_threads; ++t) {
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      complaints[static_cast<size_t>(t)] = work(t);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& complaint : complaints) EXPECT_EQ(complaint, "");
}

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_RUN_TOGETHER_H_
