// SharedData: data of a scenario that threads hand to each other. With a
// WeakMemory, two accesses are a fault if one of them changes the data and no
// order keeps them apart.
#ifndef ASHLAR_TEST_SCHEDULES_SHARED_DATA_H_
#define ASHLAR_TEST_SCHEDULES_SHARED_DATA_H_

#include <utility>

#include "test/schedules/controlled_threads.h"

namespace ashlar::testing {

template <typename T>
class SharedData {
 public:
  explicit SharedData(T value) : value_(std::move(value)) {
    BeginWord(&value_);
    ChangesData(&value_);
  }
  SharedData(const SharedData&) = delete;
  SharedData& operator=(const SharedData&) = delete;

  T Get() const {
    ReadsData(&value_);
    return value_;
  }
  void Set(T value) {
    ChangesData(&value_);
    value_ = std::move(value);
  }

 private:
  T value_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SCHEDULES_SHARED_DATA_H_
