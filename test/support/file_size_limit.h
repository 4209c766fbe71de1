// Makes real writes fail: while a FileSizeLimit exists, files of this process
// cannot grow beyond the given number of bytes. Print nothing meanwhile,
// because standard output may be a file. One object at a time.
#ifndef ASHLAR_TEST_SUPPORT_FILE_SIZE_LIMIT_H_
#define ASHLAR_TEST_SUPPORT_FILE_SIZE_LIMIT_H_

#include <sys/resource.h>

#include <csignal>

namespace ashlar::testing {

class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes)
      : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit lower{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &lower);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  void (*old_handler_)(int);
  rlimit old_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_FILE_SIZE_LIMIT_H_
