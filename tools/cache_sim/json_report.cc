#include "tools/cache_sim/json_report.h"

#include "third-party/json_lib.h"
#include "tools/cache_sim/comparison.h"

namespace ashlar::sim {

namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const MissRatio& miss, bool has_hot_keys) {
  Json out = {{"mean", miss.mean}, {"least", miss.least}, {"most", miss.most}};
  if (has_hot_keys) out["mean_of_hot"] = miss.mean_of_hot;
  if (miss.mean_saved != 0) out["mean_saved"] = miss.mean_saved;
  return out;
}

Json ToJson(const ExperimentOptions& options, const TraceResult& result) {
  Json out = {{"name", result.name},
              {"accesses", result.accesses},
              {"distinct_keys", result.distinct_keys},
              {"sizes", Json::array()}};
  for (const Pair& pair : result.pairs) {
    Json at_size = {{"size", pair.size}, {"entries", pair.entries}};
    for (size_t i = 0; i < pair.misses.size(); ++i) {
      at_size["miss_ratio"][options.policies[i]->name] =
          ToJson(pair.misses[i], result.has_hot_keys);
    }
    out["sizes"].push_back(std::move(at_size));
  }
  return out;
}

}  // namespace

std::string ToJson(const ExperimentOptions& options,
                   const std::vector<TraceResult>& results, size_t reference) {
  Json document = {{"schema", "ashlar-cache-sim/1"},
                   {"seeds", options.seeds},
                   {"first_seed", options.first_seed},
                   {"num_shard_bits", options.num_shard_bits},
                   {"reference", options.policies[reference]->name},
                   {"traces", Json::array()}};
  for (const TraceResult& result : results) {
    document["traces"].push_back(ToJson(options, result));
  }
  const std::vector<Standing> standings = Compare(results, reference);
  for (size_t i = 0; i < standings.size(); ++i) {
    const Standing& s = standings[i];
    document["over_all"][options.policies[i]->name] = {
        {"mean_miss_ratio", s.mean_miss},
        {"mean_gain", s.mean_gain},
        {"worst_gain", s.worst_gain},
        {"worst_at", s.worst_pair},
        {"worse_pairs", s.worse_pairs}};
  }
  // The names of traces come from users, so they may not be UTF-8.
  return document.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ashlar::sim
