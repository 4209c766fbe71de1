// FaultScenario: a piece of work that a campaign of faults repeats, each time
// with another fault.
//
// A scenario works in a folder of its own, which has two folders: in/ has what
// it reads, and out/ what it writes, and what that replaces.
#ifndef ASHLAR_TEST_ATTACK_FAULT_SCENARIOS_H_
#define ASHLAR_TEST_ATTACK_FAULT_SCENARIOS_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/options.h"
#include "ashlar/util/status.h"

namespace ashlar::testing {

struct FaultScenario {
  std::string name;
  // Faults of each run, whatever else fails (faulty_calls.h): a file system
  // that cannot do something, say. Empty: none.
  std::string base_plan;
  // Writes the inputs, and what the outputs replace. Throws if it cannot.
  std::function<void(const std::string& folder)> prepare;
  // Does the work. Adds what it has read to *answer: the same in each run that
  // returns ok.
  std::function<Status(const std::string& folder, std::string* answer)> run;
  // Whether it refuses to replace its output.
  bool keeps_existing = false;
  // Returns what is the same of an output in each run. Empty: all of it, and
  // the name. Threads that race for the number of a file give it another name,
  // and the number is in its properties.
  std::function<std::string(const std::string& bytes)> shape = {};
};

// What the work of a scenario has warned of. It takes no memory to warn.
class Warnings {
 public:
  static void Clear();
  static void Add(std::string_view text);
  static std::string_view Text();
};

// All scenarios, in an order that is the same in every run.
std::vector<FaultScenario> AllFaultScenarios();

// The parts of that list.
void AddWritingScenarios(std::vector<FaultScenario>* scenarios);
void AddCompactionScenarios(std::vector<FaultScenario>* scenarios);
void AddReadingScenarios(std::vector<FaultScenario>* scenarios);

// Forms of tables, of which each scenario takes some.
struct FaultedTable {
  std::string name;
  TableOptions options;
};
const std::vector<FaultedTable>& FaultedTables();

// A name for the values of a scenario's choices: "a, b".
std::string Joined(const std::vector<std::string>& words);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_ATTACK_FAULT_SCENARIOS_H_
