#include "test/tools/examples/mini_lsm_run.h"

#include <optional>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/merge_operator.h"

namespace ashlar::testing {

namespace {

constexpr uint64_t kKeys = 2000;
constexpr uint64_t kOnceKeys = 200;  // those of puts and single deletions

// What an operation does, in thousandths.
constexpr uint64_t kWrites = 700;
constexpr uint64_t kReads = 900;
constexpr uint64_t kReadsOfMany = 950;
constexpr uint64_t kWalks = 985;

std::string Numbered(char prefix, uint64_t number) {
  std::string digits = std::to_string(number);
  return prefix + std::string(5 - digits.size(), '0') + digits;
}
std::string DrawKey(Random* random) {
  return random->OneIn(10) ? Numbered('s', random->Below(kOnceKeys))
                           : Numbered('k', random->Below(kKeys));
}

Random RandomOf(uint64_t seed, uint64_t number) {
  Random random(seed ^ (number * 0xD1B54A32D192ED03));
  random.Next();
  return random;
}

std::optional<std::string> Find(const MiniModel& model,
                                const std::string& key) {
  const auto at = model.find(key);
  return at == model.end() ? std::nullopt : std::optional(at->second);
}

std::string Differ(const std::string& key, const Status& status,
                   const std::string& value,
                   const std::optional<std::string>& expected) {
  if (expected.has_value() ? status.ok() && value == *expected
                           : status.IsNotFound()) {
    return {};
  }
  return key + " is " + status.ToString() + " '" + value + "', expected " +
         expected.value_or("nothing");
}

void ApplyOne(Random* random, const std::string& value, MiniModel* model,
              mini_lsm::WriteBatch* batch) {
  const std::string key = Numbered('k', random->Below(kKeys));
  const uint64_t what = random->Below(100);
  if (what < 60) {
    (*model)[key] = value;
    batch->Put(key, value);
  } else if (what < 80) {
    std::string& merged = (*model)[key];
    const std::string operand = value.substr(0, 10);
    merged += (merged.empty() ? "" : ",") + operand;
    batch->Merge(key, operand);
  } else if (what < 96) {
    model->erase(key);
    batch->Delete(key);
  } else {
    const std::string end =
        Numbered('k', random->Below(kKeys) % 30 + std::stoul(key.substr(1)));
    if (key < end) {
      model->erase(model->lower_bound(key), model->lower_bound(end));
    }
    batch->DeleteRange(key, end);
  }
}

}  // namespace

mini_lsm::Options SmallMiniOptions(bool sync_files) {
  mini_lsm::Options options;
  options.write_buffer_size = size_t{48} << 10;
  options.max_bytes_for_level_base = uint64_t{24} << 10;
  options.target_file_size_base = uint64_t{8} << 10;
  options.max_open_files = 20;
  options.block_cache = NewHyperClockCache({}).value();
  options.merge_operator = NewStringAppendOperator();
  options.table.block_size = 1024;
  options.sync_files = sync_files;
  return options;
}

bool ApplyMiniWrites(uint64_t seed, uint64_t number, MiniModel* model,
                     mini_lsm::WriteBatch* batch) {
  Random random = RandomOf(seed, number);
  if (random.Below(1000) >= kWrites) return false;
  mini_lsm::WriteBatch unused;
  if (batch == nullptr) batch = &unused;
  const std::string value =
      std::to_string(number) + ":" + random.Text(random.Below(60));
  const uint64_t writes = random.OneIn(3) ? random.Between(2, 8) : 1;
  for (uint64_t i = 0; i < writes; ++i) {
    ApplyOne(&random, value + std::to_string(i), model, batch);
  }
  if (random.OneIn(4)) {
    const std::string key = Numbered('s', random.Below(kOnceKeys));
    if (model->erase(key) == 1) {
      batch->SingleDelete(key);
    } else {
      (*model)[key] = value;
      batch->Put(key, value);
    }
  }
  return true;
}

std::string CompareMini(mini_lsm::Db* db, const MiniModel& model,
                        SequenceNumber snapshot) {
  auto it = db->NewIterator(snapshot);
  if (!it.ok()) return it.status().ToString();
  UserIterator& walk = (*it)->it;
  auto expected = model.begin();
  for (walk.SeekToFirst(); walk.Valid(); walk.Next(), ++expected) {
    if (expected == model.end() || walk.key() != Slice(expected->first) ||
        walk.value() != Slice(expected->second)) {
      return "forward: " + walk.key().ToString() + " is " +
             walk.value().ToString() + ", expected " +
             (expected == model.end()
                  ? "the end"
                  : expected->first + " is " + expected->second);
    }
  }
  if (!walk.status().ok()) return walk.status().ToString();
  if (expected != model.end()) return "missing: " + expected->first;
  auto backward = model.rbegin();
  for (walk.SeekToLast(); walk.Valid(); walk.Prev(), ++backward) {
    if (backward == model.rend() || walk.key() != Slice(backward->first) ||
        walk.value() != Slice(backward->second)) {
      return "backward: " + walk.key().ToString() + " is wrong";
    }
  }
  if (!walk.status().ok()) return walk.status().ToString();
  return backward == model.rend() ? "" : "backward: keys are missing";
}

std::string MiniRun::Open() {
  snapshots_.clear();
  db_.reset();
  auto db = mini_lsm::Db::Open(folder_, SmallMiniOptions(seed_ % 2 == 0));
  if (!db.ok()) return db.status().ToString();
  db_ = std::move(db).value();
  return {};
}

std::string MiniRun::Settle(uint64_t number, bool* happened) {
  *happened = false;
  const std::string without = CompareMini(db_.get(), model_);
  if (without.empty()) return {};
  *happened = true;
  ApplyMiniWrites(seed_, number, &model_, nullptr);
  const std::string with = CompareMini(db_.get(), model_);
  if (with.empty()) return {};
  return "without operation " + std::to_string(number) + ": " + without +
         "; with it: " + with;
}

std::string MiniRun::Do(uint64_t number) {
  mini_lsm::WriteBatch batch;
  std::string problem;
  Random random = RandomOf(~seed_, number);
  if (ApplyMiniWrites(seed_, number, &model_, &batch)) {
    const Status status = db_->Write(batch, /*sync=*/random.OneIn(50));
    if (!status.ok()) problem = status.ToString();
  } else {
    const uint64_t what = random.Between(kWrites, 999);
    problem = what < kReads         ? Read(&random)
              : what < kReadsOfMany ? ReadMany(&random)
              : what < kWalks       ? Walk(&random)
                                    : Maintain(&random);
  }
  if (problem.empty()) return {};
  return "operation " + std::to_string(number) + ": " + problem;
}

std::pair<SequenceNumber, const MiniModel*> MiniRun::Draw(
    Random* random) const {
  const uint64_t at = random->Below(snapshots_.size() * 2 + 1);
  if (at >= snapshots_.size()) return {mini_lsm::Db::kNow, &model_};
  return {snapshots_[at].sequence, &snapshots_[at].model};
}

std::string MiniRun::Read(Random* random) {
  const auto [snapshot, model] = Draw(random);
  const std::string key = DrawKey(random);
  std::string value;
  const Status status = db_->Get(key, &value, snapshot);
  return Differ(key, status, value, Find(*model, key));
}

std::string MiniRun::ReadMany(Random* random) {
  const auto [snapshot, model] = Draw(random);
  std::vector<std::string> keys(random->Between(1, 40));
  for (std::string& key : keys) key = DrawKey(random);
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<std::string> values(keys.size());
  std::vector<Status> statuses(keys.size());
  db_->MultiGet(slices, values, statuses, snapshot);
  for (size_t i = 0; i < keys.size(); ++i) {
    std::string problem =
        Differ(keys[i], statuses[i], values[i], Find(*model, keys[i]));
    if (!problem.empty()) return "MultiGet: " + problem;
  }
  return {};
}

std::string MiniRun::Walk(Random* random) {
  const auto [snapshot, model] = Draw(random);
  auto it = db_->NewIterator(snapshot);
  if (!it.ok()) return it.status().ToString();
  UserIterator& walk = (*it)->it;
  const std::string key = DrawKey(random);
  walk.Seek(key);
  auto expected = model->lower_bound(key);
  for (int i = 0; i < 20; ++i) {
    if (walk.Valid() != (expected != model->end())) {
      return "a walk from " + key + " ends: " + walk.status().ToString();
    }
    if (!walk.Valid()) return {};
    if (walk.key() != Slice(expected->first) ||
        walk.value() != Slice(expected->second)) {
      return "a walk from " + key + " has " + walk.key().ToString();
    }
    if (random->OneIn(3) && expected != model->begin()) {
      walk.Prev();
      --expected;
    } else {
      walk.Next();
      ++expected;
    }
  }
  return {};
}

std::string MiniRun::Maintain(Random* random) {
  const uint64_t what = random->Below(100);
  if (what < 60) {  // snapshots
    if (snapshots_.size() < 3) {
      snapshots_.push_back({db_->GetSnapshot(), model_});
    } else {
      const size_t at = random->Below(snapshots_.size());
      std::string problem =
          CompareMini(db_.get(), snapshots_[at].model, snapshots_[at].sequence);
      if (!problem.empty()) return "at a snapshot: " + problem;
      db_->ReleaseSnapshot(snapshots_[at].sequence);
      snapshots_.erase(snapshots_.begin() + static_cast<ptrdiff_t>(at));
    }
    return {};
  }
  if (what < 75) return CompareMini(db_.get(), model_);
  if (what < 97) {
    const Status status = what < 93 ? db_->Flush() : db_->Compact();
    return status.ok() ? "" : status.ToString();
  }
  std::string problem = Open();
  if (problem.empty()) problem = CompareMini(db_.get(), model_);
  return problem;
}

}  // namespace ashlar::testing
