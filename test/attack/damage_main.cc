// Damages small tables in every way (damages.h), and reads them
// (damage_judge.h).
//
//   damage_attack <first> <count>
//
// Takes `count` table forms from number `first` on (damage_space.h), and prints
// one line of JSON: how many forms there are, how many of each kind of damage
// were tried, and of these, how many were detected, harmless, beyond what the
// format can tell, or wrong. Exits with 1 if one was wrong, and says which on
// standard error.
//
// Before version 6 a checksum does not tell where a block belongs. There a
// sound block in a wrong place may give wrong answers: "untold". From version 6
// on that is wrong too. Changed bits and cut files must be told by all
// versions.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "test/attack/damage_judge.h"
#include "test/attack/damage_space.h"
#include "test/attack/damages.h"

namespace ashlar::testing {
namespace {

constexpr std::array kNames = {"flips", "truncations", "blocks", "sectors"};

struct Counts {
  std::array<uint64_t, kNames.size()> tried = {};
  uint64_t detected = 0;
  uint64_t harmless = 0;
  uint64_t untold = 0;
  uint64_t wrong = 0;
};

// Whether a file of this form may hold sound blocks in wrong places unseen.
bool MayMissPlaces(const TableForm& form, DamageKind kind) {
  return form.options.format_version < 6 &&
         (kind == DamageKind::kBlock || kind == DamageKind::kSector);
}

void Attack(const TableForm& form, Counts* counts) {
  const std::string sound = BuildTable(form.options, AttackedEntries());
  DamageJudge judge(form.options, AttackedEntries());
  if (judge.Of(sound) != Verdict::kHarmless) {
    ++counts->wrong;
    std::fprintf(stderr, "%s: the sound table: %s\n", form.name.c_str(),
                 judge.reason().c_str());
    return;
  }
  ForEachDamage(form, sound,
                [&](DamageKind kind, const std::string& bytes,
                    const std::function<std::string()>& name) {
                  ++counts->tried[static_cast<size_t>(kind)];
                  switch (judge.Of(bytes)) {
                    case Verdict::kDetected:
                      ++counts->detected;
                      return;
                    case Verdict::kHarmless:
                      ++counts->harmless;
                      return;
                    case Verdict::kWrong:
                      if (MayMissPlaces(form, kind)) {
                        ++counts->untold;
                        return;
                      }
                      ++counts->wrong;
                      std::fprintf(stderr, "%s: %s: %s\n", form.name.c_str(),
                                   name().c_str(), judge.reason().c_str());
                  }
                });
}

void Print(size_t forms, size_t begin, size_t end, const Counts& counts) {
  std::printf("{\"forms\": %zu, \"first\": %zu, \"count\": %zu", forms, begin,
              end - begin);
  for (size_t i = 0; i < kNames.size(); ++i) {
    std::printf(", \"%s\": %llu", kNames[i],
                static_cast<unsigned long long>(counts.tried[i]));
  }
  std::printf(
      ", \"detected\": %llu, \"harmless\": %llu, \"untold\": %llu, "
      "\"wrong\": %llu}\n",
      static_cast<unsigned long long>(counts.detected),
      static_cast<unsigned long long>(counts.harmless),
      static_cast<unsigned long long>(counts.untold),
      static_cast<unsigned long long>(counts.wrong));
}

bool Parse(const char* text, size_t* number) {
  const char* const end = text + std::strlen(text);
  const auto [at, error] = std::from_chars(text, end, *number);
  return error == std::errc() && at == end;
}

int Run(int argc, char** argv) {
  size_t first = 0;
  size_t count = 0;
  if (argc != 3 || !Parse(argv[1], &first) || !Parse(argv[2], &count)) {
    std::fprintf(stderr, "usage: damage_attack <first> <count>\n");
    return 2;
  }
  const std::vector<TableForm> forms = AllTableForms();
  const size_t begin = std::min(first, forms.size());
  const size_t end = begin + std::min(count, forms.size() - begin);
  Counts counts;
  for (size_t i = begin; i < end; ++i) Attack(forms[i], &counts);
  Print(forms.size(), begin, end, counts);
  return counts.wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace ashlar::testing

int main(int argc, char** argv) {
  try {
    return ashlar::testing::Run(argc, argv);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "damage_attack: %s\n", failure.what());
    return 2;
  }
}
