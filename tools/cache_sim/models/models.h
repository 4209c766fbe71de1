// Models of policies, each as it was published, for entries of equal size.
//
// Each model has its own file, whose first lines describe its rules and
// constants.
#ifndef ASHLAR_TOOLS_CACHE_SIM_MODELS_MODELS_H_
#define ASHLAR_TOOLS_CACHE_SIM_MODELS_MODELS_H_

#include <memory>

#include "ashlar/util/result.h"
#include "tools/cache_sim/policy.h"
#include "tools/cache_sim/trace.h"

namespace ashlar::sim {

using MadePolicy = Result<std::unique_ptr<Policy>>;

MadePolicy MakeArcModel(const PolicyOptions& options, const Trace& trace);
MadePolicy MakeClockModel(const PolicyOptions& options, const Trace& trace);
MadePolicy MakeFifoModel(const PolicyOptions& options, const Trace& trace);
MadePolicy MakeLirsModel(const PolicyOptions& options, const Trace& trace);
MadePolicy MakeLruModel(const PolicyOptions& options, const Trace& trace);
MadePolicy MakeOptModel(const PolicyOptions& options, const Trace& trace);
MadePolicy MakeS3FifoModel(const PolicyOptions& options, const Trace& trace);
MadePolicy MakeSieveModel(const PolicyOptions& options, const Trace& trace);
MadePolicy MakeTwoQModel(const PolicyOptions& options, const Trace& trace);
MadePolicy MakeWTinyLfuModel(const PolicyOptions& options, const Trace& trace);

template <typename Model>
MadePolicy MakeModel(const PolicyOptions& options, const Trace& trace) {
  return std::unique_ptr<Policy>(std::make_unique<Model>(options, trace));
}

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_MODELS_MODELS_H_
