// Random operations on mini_lsm, compared with a model of it in memory.
//
// What operation number i of a seed does depends on the seed, i, and what was
// written before. So two processes that know the same model do the same.
#ifndef ASHLAR_TEST_TOOLS_EXAMPLES_MINI_LSM_RUN_H_
#define ASHLAR_TEST_TOOLS_EXAMPLES_MINI_LSM_RUN_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "test/support/random.h"
#include "tools/examples/mini_lsm/db.h"

namespace ashlar::testing {

// What a user sees: keys and values.
using MiniModel = std::map<std::string, std::string>;

// Tables and memtables of a few KiB, so that there are many of them.
mini_lsm::Options SmallMiniOptions(bool sync_files);

// Does the writes of operation `number` to the model, and adds them to *batch
// if it is not null. Returns false, and does nothing, if the operation is none
// that writes.
bool ApplyMiniWrites(uint64_t seed, uint64_t number, MiniModel* model,
                     mini_lsm::WriteBatch* batch);

// Compares all keys, forward and backward. Returns a message; empty: equal.
std::string CompareMini(mini_lsm::Db* db, const MiniModel& model,
                        SequenceNumber snapshot = mini_lsm::Db::kNow);

// A database and its model.
class MiniRun {
 public:
  MiniRun(std::string folder, uint64_t seed, MiniModel model)
      : folder_(std::move(folder)), seed_(seed), model_(std::move(model)) {}

  // These return a message, empty if all went well and nothing differed.
  std::string Open();
  std::string Do(uint64_t number);
  // Finds out whether operation `number`, which was cut off, has happened.
  std::string Settle(uint64_t number, bool* happened);

  const MiniModel& model() const { return model_; }

 private:
  struct Snapshot {
    SequenceNumber sequence;
    MiniModel model;
  };
  std::string Read(Random* random);
  std::string ReadMany(Random* random);
  std::string Walk(Random* random);
  std::string Maintain(Random* random);
  // Now, or one of the snapshots.
  std::pair<SequenceNumber, const MiniModel*> Draw(Random* random) const;

  const std::string folder_;
  const uint64_t seed_;
  MiniModel model_;
  std::vector<Snapshot> snapshots_;
  std::unique_ptr<mini_lsm::Db> db_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_TOOLS_EXAMPLES_MINI_LSM_RUN_H_
