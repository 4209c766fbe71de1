// plugin/compaction_jobs/example_queue.py as a process beside a test.
#ifndef ASHLAR_TEST_PLUGIN_EXAMPLE_SERVER_H_
#define ASHLAR_TEST_PLUGIN_EXAMPLE_SERVER_H_

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>

#include "test/support/folder.h"

namespace ashlar_rocksdb {

// Runs the server until it is destroyed.
class ExampleServer {
 public:
  // `lease` is in seconds.
  explicit ExampleServer(const std::string& lease) {
    std::array<int, 2> ends = {};
    EXPECT_EQ(::pipe(ends.data()), 0);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_addclose(&actions, ends[0]);
    std::string script =
        ashlar::testing::SourcePath("plugin/compaction_jobs/example_queue.py");
    std::string python = "python3";
    std::string no_cache = "-B";
    std::string port = "--port=0";
    std::string lease_flag = "--lease=" + lease;
    std::array<char*, 6> arguments = {python.data(),     no_cache.data(),
                                      script.data(),     port.data(),
                                      lease_flag.data(), nullptr};
    EXPECT_EQ(::posix_spawnp(&process_, python.c_str(), &actions, nullptr,
                             arguments.data(), environ),
              0);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    char c = '\0';
    while (::read(ends[0], &c, 1) == 1 && c != '\n') url_ += c;
    ::close(ends[0]);
  }
  ~ExampleServer() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

  const std::string& url() const { return url_; }

 private:
  pid_t process_ = 0;
  std::string url_;
};

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_TEST_PLUGIN_EXAMPLE_SERVER_H_
