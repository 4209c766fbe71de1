#include "test/support/verdict_check.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/entry/timed_value.h"
#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/prefix_extractor.h"
#include "test/support/tables.h"

namespace ashlar::testing {

namespace {

class BrokenPromise : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The broken promise: a text, or a function that makes the text when needed.
std::string Text(const char* what) { return what; }
template <typename Function>
std::string Text(const Function& what) {
  return what();
}

template <typename What>
void Promised(bool kept, const What& what) {
  if (!kept) throw BrokenPromise(Text(what));
}
template <typename What>
void Promised(const Status& status, const What& what) {
  if (!status.ok()) throw BrokenPromise(Text(what) + ": " + status.ToString());
}

// The expected result of a Get.
struct Answer {
  GetResult::State state = GetResult::State::kNotFound;
  SequenceNumber sequence = 0;
  std::string value;
  std::vector<std::string> operands;  // newest first

  friend bool operator==(const Answer&, const Answer&) = default;
};

std::string ValueOf(const Entry& entry) {
  if (TypeOf(entry.key) == ValueType::kTypeValuePreferredSeqno) {
    TimedValue timed;
    Promised(DecodeTimedValue(entry.value, &timed), "a timed value");
    return timed.value.ToString();
  }
  if (TypeOf(entry.key) == ValueType::kTypeWideColumnEntity) {
    std::optional<WideColumn> column;
    Promised(FindDefaultColumn(entry.value, &column), "an entity");
    return column ? column->value.ToString() : std::string();
  }
  return entry.value;
}

bool IsDeletion(ValueType type) {
  return type == ValueType::kTypeDeletion ||
         type == ValueType::kTypeSingleDeletion ||
         type == ValueType::kTypeDeletionWithTimestamp;
}

Answer AnswerOf(GetResult* result, std::vector<std::string> operands) {
  Answer answer{result->state, result->sequence, {}, std::move(operands)};
  if (result->state == GetResult::State::kFound) {
    answer.value = result->value.slice().ToString();
  }
  return answer;
}

// The readers of one table, and the entries that all of them must agree with.
class Readings {
 public:
  Readings(const std::string& table, const TableInspection& found,
           const VerdictLimits& limits)
      : table_(table), found_(found) {
    options_.allow_unknown_comparator = true;
    options_.max_uncompressed_block_bytes = limits.max_uncompressed_block_bytes;
  }

  void Check() {
    CheckReader("without a cache", options_, 1);
    options_.block_cache = NewLruCache({.capacity = size_t{1} << 22}).value();
    // The third round uses the entry words of cached blocks: they are computed
    // when a lookup finds a block again.
    CheckReader("with a cache", options_, 3);
    options_.block_cache = NewLruCache({.capacity = size_t{1} << 22}).value();
    options_.cache_index_and_filter_blocks = true;
    CheckReader("with index and filter in the cache", options_, 2);
  }

 private:
  void CheckReader(const std::string& name, const ReaderOptions& options,
                   int rounds) {
    try {
      auto opened = OpenBytes(table_, options);
      Promised(opened.status(), "opening");
      for (int i = 0; i < rounds; ++i) CheckRound(**opened);
    } catch (const BrokenPromise& broken) {
      throw BrokenPromise(name + ": " + broken.what());
    }
  }

  void CheckRound(const TableReader& reader) {
    std::vector<Entry> forward;
    std::vector<Entry> backward;
    Promised(ReadForward(reader, all_, &forward), "a walk forward");
    Promised(ReadBackward(reader, all_, &backward), "a walk backward");
    std::reverse(backward.begin(), backward.end());
    Promised(forward == backward, [&] {
      return "a walk backward shows other entries: " +
             std::to_string(backward.size()) + ", not " +
             std::to_string(forward.size());
    });
    if (!read_) {
      read_ = true;
      entries_ = std::move(forward);
      CountVersions(reader);
    } else {
      Promised(forward == entries_, "another reader's walk shows others");
    }
    if (!found_.knows_order) return;
    for (size_t i = 0; i < entries_.size(); ++i) {
      CheckSeek(reader, i);
      CheckGet(reader, i);
    }
    CheckMultiGet(reader);
    CheckPrefixes(reader);
  }

  // Records where the versions of each entry's key begin.
  void CountVersions(const TableReader& reader) {
    timestamp_ = reader.comparator()->timestamp_size();
    for (size_t i = 0; i < entries_.size(); ++i) {
      const bool same = i > 0 && UserKeyAt(i) == UserKeyAt(i - 1);
      first_version_.push_back(same ? first_version_[i - 1] : i);
    }
  }

  // Returns the user key without its timestamp.
  Slice UserKeyAt(size_t i) const {
    return WithoutTimestamp(UserKeyOf(entries_[i].key), timestamp_);
  }
  SequenceNumber SequenceAt(size_t i) const {
    return SequenceOf(entries_[i].key);
  }
  std::string Name(size_t i) const {
    return "entry " + std::to_string(i) + " of " +
           std::to_string(entries_.size()) + ", " +
           DescribeInternalKey(entries_[i].key);
  }

  // Returns the entry where a seek to entry i's key must be positioned. With
  // timestamps it is the first version of the key; otherwise the first entry
  // with the same sequence number.
  size_t Sought(size_t i) const {
    if (timestamp_ != 0) return first_version_[i];
    while (i > first_version_[i] && SequenceAt(i - 1) == SequenceAt(i)) --i;
    return i;
  }

  void CheckSeek(const TableReader& reader, size_t i) const {
    Iterator it = reader.NewIterator(all_);
    it.Seek(UserKeyAt(i), SequenceAt(i));
    Promised(it.status(), [&] { return "a seek to " + Name(i); });
    Promised(it.Valid() && it.key() == Slice(entries_[Sought(i)].key),
             [&] { return "a seek does not stand on " + Name(Sought(i)); });
    Promised(it.value() == Slice(entries_[Sought(i)].value),
             [&] { return "a seek finds another value at " + Name(i); });
    if (timestamp_ != 0) return;
    // Then seek backward, across a restart point or into another block.
    it.SeekForPrev(UserKeyAt(i), SequenceAt(i));
    Promised(it.status(), [&] { return "a seek backward to " + Name(i); });
    Promised(it.Valid() && UserKeyOf(it.key()) == UserKeyAt(i) &&
                 SequenceOf(it.key()) == SequenceAt(i),
             [&] { return "a seek backward does not stand on " + Name(i); });
  }

  // Returns the newest version that is visible in this snapshot.
  Answer Expected(size_t i, SequenceNumber snapshot) const {
    Answer answer;
    for (size_t at = first_version_[i];
         at < entries_.size() && first_version_[at] == first_version_[i];
         ++at) {
      if (SequenceAt(at) > snapshot) continue;
      const ValueType type = TypeOf(entries_[at].key);
      answer.sequence = SequenceAt(at);
      if (type == ValueType::kTypeMerge) {
        answer.state = GetResult::State::kMerged;
        answer.operands.push_back(entries_[at].value);
        continue;
      }
      answer.state = IsDeletion(type) ? GetResult::State::kDeleted
                                      : GetResult::State::kFound;
      if (!IsDeletion(type)) answer.value = ValueOf(entries_[at]);
      return answer;
    }
    return answer;
  }

  void CheckGet(const TableReader& reader, size_t i) const {
    for (const SequenceNumber snapshot : {kMaxSequenceNumber, SequenceAt(i)}) {
      GetResult result;
      std::vector<std::string> operands;
      Promised(reader.Get(all_, UserKeyAt(i), snapshot, &result,
                          [&](const Slice& operand, SequenceNumber) {
                            operands.push_back(operand.ToString());
                            return true;
                          }),
               [&] { return "a Get of " + Name(i); });
      Promised(AnswerOf(&result, operands) == Expected(i, snapshot), [&] {
        return "a Get at " + std::to_string(snapshot) + " finds another " +
               Name(i);
      });
    }
  }

  void CheckMultiGet(const TableReader& reader) const {
    std::vector<Slice> keys;
    for (size_t i = 0; i < entries_.size(); ++i) keys.push_back(UserKeyAt(i));
    std::vector<GetResult> results(keys.size());
    std::vector<Status> statuses(keys.size());
    std::vector<std::vector<std::string>> operands(keys.size());
    reader.MultiGet(all_, keys, kMaxSequenceNumber, results, statuses,
                    [&](size_t key, const Slice& operand, SequenceNumber) {
                      operands[key].push_back(operand.ToString());
                      return true;
                    });
    for (size_t i = 0; i < keys.size(); ++i) {
      Promised(statuses[i], [&] { return "a MultiGet of " + Name(i); });
      Promised(
          AnswerOf(&results[i], operands[i]) == Expected(i, kMaxSequenceNumber),
          [&] { return "a MultiGet finds another " + Name(i); });
    }
  }

  // Seeks to each key, and to its prefix alone.
  void CheckPrefixes(const TableReader& reader) const {
    const auto prefixes =
        FindBuiltinPrefixExtractor(reader.properties().prefix_extractor_name);
    if (prefixes == nullptr) return;
    ReadOptions options = all_;
    options.prefix_same_as_start = true;
    Iterator it = reader.NewIterator(options);
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (first_version_[i] != i || !prefixes->InDomain(UserKeyAt(i))) continue;
      it.Seek(UserKeyAt(i), kMaxSequenceNumber);
      Promised(it.status(), [&] { return "a prefix seek to " + Name(i); });
      Promised(it.Valid() && it.key() == Slice(entries_[i].key),
               [&] { return "a prefix seek does not stand on " + Name(i); });
      const Slice prefix = prefixes->Transform(UserKeyAt(i));
      if (!prefixes->InDomain(prefix) ||
          prefixes->Transform(prefix) != prefix) {
        continue;
      }
      it.Seek(prefix, kMaxSequenceNumber);
      Promised(it.status(),
               [&] { return "a seek to the prefix of " + Name(i); });
      const Comparator& comparator = *reader.comparator();
      if (comparator.CompareWithoutTimestamp(UserKeyAt(i), prefix) < 0)
        continue;
      Promised(it.Valid() && prefixes->Transform(WithoutTimestamp(
                                 UserKeyOf(it.key()), timestamp_)) == prefix,
               [&] { return "a seek to its prefix does not find " + Name(i); });
    }
  }

  const std::string& table_;
  const TableInspection& found_;
  ReaderOptions options_;
  const ReadOptions all_ = {.ignore_range_deletions = true};
  bool read_ = false;
  size_t timestamp_ = 0;
  std::vector<Entry> entries_;
  std::vector<size_t> first_version_;
};

}  // namespace

VerdictCheck CheckVerdict(const std::string& table,
                          const VerdictLimits& limits) {
  VerdictCheck check;
  TableInspection found;
  InspectOptions options;
  options.max_uncompressed_block_bytes = limits.max_uncompressed_block_bytes;
  const Status status =
      InspectTable(*NewMemoryFile("judged.sst", table), options, &found);
  if (!status.ok()) {
    check.fault = status.ToString();
    return check;
  }
  if (!found.faults.empty()) {
    check.fault = found.faults[0].status.ToString();
    return check;
  }
  check.passes = true;
  uint64_t entries = 0;
  for (const BlockInfo& block : found.blocks) entries += block.num_entries;
  if (entries > limits.most_entries) return check;
  try {
    Readings(table, found, limits).Check();
  } catch (const BrokenPromise& broken) {
    check.broken_promise = broken.what();
  }
  return check;
}

}  // namespace ashlar::testing
