// Attacks the library's threads by choosing their schedules.
//
//   schedule_attack [--scenarios=<names>] [--seconds=<n>] [--schedules=<n>]
//                   [--seed=<n>] [--preemptions=<n>] [--weak] [--orders]
//                   [--list]
//
// The scenarios share the seconds. Each ends earlier if it has run the number
// of schedules that --schedules gives. With --preemptions=n, it runs all
// schedules of form 0 that have at most n preemptions. With --weak, loads may
// see older values of words (weak_memory.h). With --orders, it prints for each
// memory order of the code what shows that a weaker one is wrong
// (order_audit.h); --schedules are those of each scenario.
// Prints one line of JSON. Exits with 1 if there was a fault, and says how to
// find it again on standard error.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "test/schedules/campaign.h"
#include "test/schedules/order_audit.h"

namespace ashlar::testing {
namespace {

struct Settings {
  std::string scenarios;
  uint64_t seconds = 60;
  uint64_t schedules = uint64_t{1} << 24;
  uint64_t seed = 1;
  std::optional<uint64_t> preemptions;
  bool weak = false;
  bool orders = false;
  bool list = false;
};

bool Take(std::string_view argument, Settings* settings) {
  if (argument == "--list") {
    settings->list = true;
    return true;
  }
  if (argument == "--orders") {
    settings->orders = true;
    return true;
  }
  if (argument == "--weak") {
    settings->weak = true;
    return true;
  }
  const size_t equals = argument.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = argument.substr(0, equals);
  const std::string_view text = argument.substr(equals + 1);
  if (name == "--scenarios") {
    settings->scenarios = text;
    return true;
  }
  uint64_t value = 0;
  const auto parsed =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
    return false;
  }
  if (name == "--seconds") settings->seconds = value;
  if (name == "--schedules") settings->schedules = value;
  if (name == "--seed") settings->seed = value;
  if (name == "--preemptions") settings->preemptions = value;
  return name == "--seconds" || name == "--schedules" || name == "--seed" ||
         name == "--preemptions";
}

std::vector<Scenario> Chosen(const std::string& names) {
  std::vector<Scenario> chosen;
  const std::string list = "," + names + ",";
  for (const auto scenarios :
       {SyncScenarios(), PoolScenarios(), CacheScenarios(), TableScenarios()}) {
    for (const Scenario& scenario : scenarios) {
      const std::string name = "," + std::string(scenario.name) + ",";
      if (names.empty() || list.find(name) != std::string::npos) {
        chosen.push_back(scenario);
      }
    }
  }
  return chosen;
}

void Report(const Scenario& scenario, const FoundFault& fault) {
  std::fprintf(stderr, "%s: %s\n  seed %llu%s",
               std::string(scenario.name).c_str(), fault.text.c_str(),
               static_cast<unsigned long long>(fault.seed),
               fault.replays ? "; the shortest trace, point:thread:"
                             : "; it needs the seeds before it in its child");
  if (fault.replays) {
    for (const Deviation& deviation : fault.deviations) {
      std::fprintf(stderr, " %llu:%u",
                   static_cast<unsigned long long>(deviation.point),
                   deviation.thread);
    }
  }
  std::fprintf(stderr, "\n");
}

int Attack(const Settings& settings) {
  const std::vector<Scenario> scenarios = Chosen(settings.scenarios);
  const double share = static_cast<double>(settings.seconds) /
                       static_cast<double>(scenarios.size());
  bool found = scenarios.empty();
  uint64_t executions = 0;
  uint64_t distinct = 0;
  std::string parts;
  for (const Scenario& scenario : scenarios) {
    Campaign campaign(scenario, settings.schedules, settings.weak);
    if (settings.preemptions) {
      campaign.RunAll(0, static_cast<uint32_t>(*settings.preemptions), share);
    } else {
      campaign.RunSeeds(settings.seed, settings.schedules, share);
    }
    const CampaignResult& result = campaign.result();
    executions += result.executions;
    distinct += result.distinct;
    parts += ", \"" + std::string(scenario.name) +
             "\": " + std::to_string(result.distinct);
    std::fprintf(
        stderr, "%-18s %9llu schedules, %9llu distinct, %6.0f points%s\n",
        std::string(scenario.name).c_str(),
        static_cast<unsigned long long>(result.executions),
        static_cast<unsigned long long>(result.distinct),
        static_cast<double>(result.points) /
            static_cast<double>(std::max<uint64_t>(result.executions, 1)),
        result.complete ? ", complete" : "");
    for (const FoundFault& fault : result.faults) {
      Report(scenario, fault);
      found = true;
    }
  }
  std::printf("{\"seed\": %llu, \"schedules\": %llu, \"distinct\": %llu%s}\n",
              static_cast<unsigned long long>(settings.seed),
              static_cast<unsigned long long>(executions),
              static_cast<unsigned long long>(distinct), parts.c_str());
  return found ? 1 : 0;
}

void PrintOrders(const Settings& settings) {
  constexpr uint64_t kSchedules = 2000;
  const std::vector<AuditedOrder> orders =
      AuditOrders(Chosen(settings.scenarios), settings.seed,
                  std::min(settings.schedules, kSchedules));
  size_t needed = 0;
  for (const AuditedOrder& order : orders) {
    needed += order.shown_by.empty() ? 0 : 1;
    std::printf("%s -> %s: %s\n", order.site.c_str(), order.weaker.c_str(),
                order.shown_by.empty() ? "nothing shows that it is needed"
                                       : order.shown_by.c_str());
  }
  std::printf("%zu of %zu orders are shown to be needed\n", needed,
              orders.size());
}

}  // namespace
}  // namespace ashlar::testing

int main(int argc, char** argv) {
  ashlar::testing::Settings settings;
  for (int i = 1; i < argc; ++i) {
    if (ashlar::testing::Take(argv[i], &settings)) continue;
    std::fprintf(stderr, "schedule_attack: cannot read %s\n", argv[i]);
    return 2;
  }
  if (settings.list) {
    for (const auto& scenario : ashlar::testing::Chosen("")) {
      std::printf("%s\n", std::string(scenario.name).c_str());
    }
    return 0;
  }
  if (settings.orders) {
    ashlar::testing::PrintOrders(settings);
    return 0;
  }
  return ashlar::testing::Attack(settings);
}
