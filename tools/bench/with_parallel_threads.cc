// An engine that builds with a number of threads of its own, so that one run
// compares several numbers round by round.

#include "tools/bench/engine.h"

namespace ashlar::bench {

namespace {

class EngineWithParallelThreads final : public Engine {
 public:
  EngineWithParallelThreads(std::unique_ptr<Engine> engine, uint32_t threads)
      : engine_(std::move(engine)), threads_(threads) {}

  std::string Name() const override {
    return engine_->Name() + ":" + std::to_string(threads_);
  }
  std::string Describe(const BenchOptions& options) const override {
    return engine_->Describe(With(options));
  }
  bool Has(const std::string& benchmark) const override {
    return engine_->Has(benchmark);
  }
  std::string Run(const std::string& benchmark, const BenchOptions& options,
                  const Workload& workload, RunResult* result) override {
    return engine_->Run(benchmark, With(options), workload, result);
  }

 private:
  BenchOptions With(BenchOptions options) const {
    options.parallel_threads = threads_;
    options.workers = -1;
    return options;
  }

  const std::unique_ptr<Engine> engine_;
  const uint32_t threads_;
};

}  // namespace

std::unique_ptr<Engine> WithParallelThreads(std::unique_ptr<Engine> engine,
                                            uint32_t threads) {
  return std::make_unique<EngineWithParallelThreads>(std::move(engine),
                                                     threads);
}

}  // namespace ashlar::bench
