#include "test/attack/damage_judge.h"

#include <algorithm>
#include <utility>

#include "ashlar/table/internal_key.h"

namespace ashlar::testing {

namespace {

bool IsRangeDeletion(const Entry& entry) {
  return (TailOf(entry.key) & 0xff) ==
         static_cast<uint8_t>(ValueType::kTypeRangeDeletion);
}

std::vector<Entry> Those(std::vector<Entry> entries, bool range_deletions) {
  std::erase_if(entries, [&](const Entry& entry) {
    return IsRangeDeletion(entry) != range_deletions;
  });
  return entries;
}

ReaderOptions OptionsOf(const TableOptions& options) {
  ReaderOptions reader;
  reader.prefix_extractor = options.prefix_extractor;
  // No sound block is larger, so that a hostile size allocates no more.
  reader.max_uncompressed_block_bytes = uint64_t{1} << 20;
  return reader;
}

// The judge asks for these too. Most are absent keys, before, between and
// behind the keys of the entries. The range deletion covers two of them.
constexpr const char* kOthers[] = {"aardvark", "b",     "cherries", "dz",
                                   "grape",    "mango", "mangrove", "zz"};

}  // namespace

DamageJudge::DamageJudge(const TableOptions& options,
                         std::vector<Entry> entries)
    : options_(OptionsOf(options)),
      points_(Those(entries, false)),
      range_deletions_(Those(std::move(entries), true)) {
  for (const char* key : kOthers) answers_[key];
  for (const Entry& entry : range_deletions_) {
    for (auto& [key, answer] : answers_) {
      if (key >= UserKeyOf(entry.key).ToString() && key < entry.value) {
        answer.state = GetResult::State::kDeleted;
      }
    }
  }
  for (const Entry& entry : points_) {
    Answer& answer = answers_[UserKeyOf(entry.key).ToString()];
    // The newest base value or deletion decides, after any operands.
    if (answer.state == GetResult::State::kFound ||
        answer.state == GetResult::State::kDeleted) {
      continue;
    }
    switch (static_cast<ValueType>(TailOf(entry.key) & 0xff)) {
      case ValueType::kTypeMerge:
        ++answer.operands;
        break;
      case ValueType::kTypeDeletion:
        answer.state = GetResult::State::kDeleted;
        break;
      default:
        answer.state = GetResult::State::kFound;
        answer.value = entry.value;
    }
  }
}

Verdict DamageJudge::Of(const std::string& bytes) {
  failed_ = false;
  reason_.clear();
  auto opened = OpenBytes(bytes, options_);
  Take(opened.status());
  if (opened.ok()) ReadAll(**opened);
  if (!reason_.empty()) return Verdict::kWrong;
  return failed_ ? Verdict::kDetected : Verdict::kHarmless;
}

void DamageJudge::ReadAll(const TableReader& reader) {
  Walk(reader, false);
  Walk(reader, true);
  GetEach(reader);
  GetAll(reader);
  SeekEach(reader);
  if (RangeDeletionsOf(reader) != range_deletions_) Blame("range deletions");
  Take(reader.VerifyChecksum());
}

void DamageJudge::Walk(const TableReader& reader, bool backward) {
  const char* const name = backward ? "walk backward" : "walk forward";
  const size_t size = points_.size();
  size_t n = 0;
  Iterator it = reader.NewIterator({});
  backward ? it.SeekToLast() : it.SeekToFirst();
  for (; it.Valid(); backward ? it.Prev() : it.Next()) {
    if (n == size) return Blame(std::string(name) + ": too many entries");
    const Entry& expected = points_[backward ? size - 1 - n : n];
    if (it.key() != Slice(expected.key) || it.value() != Slice(expected.value))
      return Blame(std::string(name) + ": entry " + std::to_string(n));
    ++n;
  }
  Take(it.status());
  if (it.status().ok() && n != size)
    Blame(std::string(name) + ": too few entries");
}

void DamageJudge::GetEach(const TableReader& reader) {
  GetResult result;
  for (const auto& [key, expected] : answers_) {
    Answer answer;
    const Status status = reader.Get({}, key, kMaxSequenceNumber, &result,
                                     [&answer](const Slice&, uint64_t) {
                                       ++answer.operands;
                                       return true;
                                     });
    Take(status);
    if (!status.ok()) continue;
    answer.state = result.state;
    answer.value = result.value.slice().ToString();
    if (answer != expected) Blame("Get of " + key);
  }
}

void DamageJudge::GetAll(const TableReader& reader) {
  const size_t count = answers_.size();
  std::vector<Slice> keys;
  keys.reserve(count);
  for (const auto& [key, expected] : answers_) keys.emplace_back(key);
  std::vector<GetResult> results(count);
  std::vector<Status> statuses(count);
  std::vector<size_t> operands(count);
  reader.MultiGet({}, keys, kMaxSequenceNumber, results, statuses,
                  [&operands](size_t key, const Slice&, uint64_t) {
                    ++operands[key];
                    return true;
                  });
  size_t i = 0;
  for (const auto& [key, expected] : answers_) {
    Take(statuses[i]);
    if (statuses[i].ok() &&
        expected != Answer{results[i].state,
                           results[i].value.slice().ToString(), operands[i]}) {
      Blame("MultiGet of " + key);
    }
    ++i;
  }
}

void DamageJudge::SeekEach(const TableReader& reader) {
  Iterator it = reader.NewIterator({});
  for (const auto& [key, expected] : answers_) {
    it.Seek(key);
    Take(it.status());
    if (!it.status().ok()) continue;
    const auto found = std::find_if(
        points_.begin(), points_.end(), [&key](const Entry& entry) {
          return UserKeyOf(entry.key).ToString() >= key;
        });
    const bool right = found == points_.end()
                           ? !it.Valid()
                           : it.Valid() && it.key() == Slice(found->key) &&
                                 it.value() == Slice(found->value);
    if (!right) Blame("Seek to " + key);
  }
}

// An error must say which file is damaged, and where.
void DamageJudge::Take(const Status& status) {
  if (status.ok()) return;
  failed_ = true;
  const std::string_view message = status.message();
  const bool is_located = (status.IsCorruption() || status.IsNotSupported()) &&
                          message.starts_with("test.sst: ") &&
                          message.find(" offset ") != std::string_view::npos;
  if (!is_located) Blame("no place in: " + status.ToString());
}

void DamageJudge::Blame(const std::string& reason) {
  if (reason_.empty()) reason_ = reason;
}

}  // namespace ashlar::testing
