// DamageJudge: reads a damaged table in every way, and says whether it found
// the damage.
#ifndef ASHLAR_TEST_ATTACK_DAMAGE_JUDGE_H_
#define ASHLAR_TEST_ATTACK_DAMAGE_JUDGE_H_

#include <map>
#include <string>
#include <vector>

#include "ashlar/table/get_result.h"
#include "ashlar/table/table_reader.h"
#include "test/support/tables.h"

namespace ashlar::testing {

enum class Verdict : uint8_t {
  kDetected,  // some read failed, and what was read before was right
  kHarmless,  // nothing failed, and every answer was right
  // An answer was wrong, or an error does not say where the damage is.
  kWrong,
};

class DamageJudge {
 public:
  // `entries`: what the sound table was built from.
  DamageJudge(const TableOptions& options, std::vector<Entry> entries);

  Verdict Of(const std::string& bytes);
  // Of the last kWrong: what was wrong.
  const std::string& reason() const { return reason_; }

 private:
  // What a read of one user key returns in the sound table.
  struct Answer {
    GetResult::State state = GetResult::State::kNotFound;
    std::string value;
    size_t operands = 0;

    friend bool operator==(const Answer&, const Answer&) = default;
  };

  void ReadAll(const TableReader& reader);
  void Walk(const TableReader& reader, bool backward);
  void GetEach(const TableReader& reader);
  void GetAll(const TableReader& reader);
  void SeekEach(const TableReader& reader);
  void Take(const Status& status);
  void Blame(const std::string& reason);

  const ReaderOptions options_;
  const std::vector<Entry> points_;  // without range deletions
  const std::vector<Entry> range_deletions_;
  std::map<std::string, Answer> answers_;  // of every key that is asked for
  bool failed_ = false;
  std::string reason_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_ATTACK_DAMAGE_JUDGE_H_
