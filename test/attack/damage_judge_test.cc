// Tests that the damage attack would notice a wrong answer.
#include "test/attack/damage_judge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "test/attack/damage_space.h"
#include "test/attack/damages.h"

namespace ashlar::testing {
namespace {

class DamageJudgeTest : public ::testing::Test {
 protected:
  std::string Build(const std::vector<Entry>& entries) const {
    return BuildTable(form_.options, entries);
  }

  const TableForm form_ = AllTableForms().front();
  DamageJudge judge_{form_.options, AttackedEntries()};
};

TEST_F(DamageJudgeTest, ASoundTableIsHarmless) {
  EXPECT_EQ(judge_.Of(Build(AttackedEntries())), Verdict::kHarmless)
      << judge_.reason();
}

TEST_F(DamageJudgeTest, AChangedByteIsDetected) {
  std::string bytes = Build(AttackedEntries());
  ++bytes[3];
  EXPECT_EQ(judge_.Of(bytes), Verdict::kDetected) << judge_.reason();
}

// Each of these is a sound table with other answers, as damage would be that
// nothing has noticed.
TEST_F(DamageJudgeTest, OtherAnswersAreWrong) {
  EXPECT_EQ(judge_.Of(Build(OlderEntries())), Verdict::kWrong);
  for (size_t i = 0; i < AttackedEntries().size(); ++i) {
    std::vector<Entry> fewer = AttackedEntries();
    fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(i));
    EXPECT_EQ(judge_.Of(Build(fewer)), Verdict::kWrong) << i;
  }
  std::vector<Entry> more = AttackedEntries();
  more.insert(more.begin(), Value("aa", 1, "new"));
  EXPECT_EQ(judge_.Of(Build(more)), Verdict::kWrong);
}

TEST(DamageSpace, HasAFormOfEachVersionAndEachIndex) {
  for (uint32_t version = 2; version <= 7; ++version) {
    for (int index = 0; index < 4; ++index) {
      const auto forms = AllTableForms();
      EXPECT_TRUE(std::any_of(forms.begin(), forms.end(),
                              [&](const TableForm& form) {
                                return form.options.format_version == version &&
                                       static_cast<int>(
                                           form.options.index_type) == index;
                              }))
          << version << ", " << index;
    }
  }
}

TEST(Damages, AreOfEachKindAndChangeTheFile) {
  const TableForm form = AllTableForms().back();
  const std::string sound = BuildTable(form.options, AttackedEntries());
  std::array<size_t, 4> tried = {};
  ForEachDamage(form, sound,
                [&](DamageKind kind, const std::string& bytes,
                    const std::function<std::string()>& name) {
                  ++tried[static_cast<size_t>(kind)];
                  ASSERT_NE(bytes, sound) << name();
                });
  EXPECT_EQ(tried[0], 8 * sound.size());
  EXPECT_EQ(tried[1], sound.size());
  EXPECT_GE(tried[2], 3u);
  EXPECT_GE(tried[3], sound.size() / 64);
}

}  // namespace
}  // namespace ashlar::testing
