// Random words from the system, from a given source, and without either.

#include "port/random_word.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <set>

namespace ashlar::port {
namespace {

constexpr size_t kWords = 1000;

size_t DifferentWords() {
  std::set<uint64_t> words;
  for (size_t i = 0; i < kWords; ++i) words.insert(RandomWord());
  return words.size();
}

class RandomWordTest : public ::testing::Test {
 protected:
  ~RandomWordTest() override { SetRandomWordSource(of_tests_); }

 private:
  // Other tests get words that a seed repeats (test/support/random_words.cc).
  const RandomWordSource of_tests_ = SetRandomWordSource(nullptr);
};

TEST_F(RandomWordTest, WordsOfTheSystemDiffer) {
  EXPECT_EQ(DifferentWords(), kWords);
}

TEST_F(RandomWordTest, ASourceIsAskedUntilItIsTakenAway) {
  static uint64_t last = 0;
  EXPECT_EQ(SetRandomWordSource([] { return ++last; }), nullptr);
  EXPECT_EQ(RandomWord(), 1u);
  EXPECT_EQ(RandomWord(), 2u);
  EXPECT_NE(SetRandomWordSource(nullptr), nullptr);
  EXPECT_EQ(DifferentWords(), kWords);
  EXPECT_EQ(last, 2u);
  last = 0;
}

// A sandbox may forbid the system call.
bool ForbidGetRandom() {
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program = {.len = std::size(steps), .filter = steps};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_F(RandomWordTest, WordsDifferWithoutTheSystemCall) {
  const auto draw_without = [] {
    if (!ForbidGetRandom()) std::_Exit(3);
    std::_Exit(DifferentWords() == kWords ? 0 : 1);
  };
  EXPECT_EXIT(draw_without(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace ashlar::port
