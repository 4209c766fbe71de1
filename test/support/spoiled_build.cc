#include "test/support/spoiled_build.h"

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

#include "table/filter/bloom.h"
#include "table/filter/ribbon.h"

namespace ashlar::testing {
namespace {

using internal::Buffer;
using internal::Compressor;
using internal::FilterDensity;
using internal::HashCollector;
using internal::WorkerCrew;

const Spoiler* spoiler = nullptr;
// True while a filter is built. BuildRibbon may call BuildBloom, and both
// together make one filter.
thread_local bool within_filter = false;

class SpoiledCompressor final : public Compressor {
 public:
  explicit SpoiledCompressor(std::unique_ptr<Compressor> codec)
      : codec_(std::move(codec)) {}
  size_t Compress(const Slice& raw, char* out, size_t capacity) override {
    return spoiler->compress(codec_.get(), raw, out, capacity);
  }

 private:
  std::unique_ptr<Compressor> codec_;
};

using Build = bool (*)(HashCollector*, const FilterDensity&, const WorkerCrew&,
                       Buffer*);

bool BuildSpoiled(Build build, HashCollector* hashes,
                  const FilterDensity& density, const WorkerCrew& crew,
                  Buffer* out) {
  if (spoiler == nullptr || within_filter) {
    return build(hashes, density, crew, out);
  }
  within_filter = true;
  if (spoiler->before_filter) spoiler->before_filter(*hashes);
  const size_t begin = out->size();
  const bool built = build(hashes, density, crew, out);
  if (built && spoiler->after_filter) {
    spoiler->after_filter(*hashes, out->data() + begin, out->size() - begin);
  }
  within_filter = false;
  return built;
}

}  // namespace

Spoiling::Spoiling(Spoiler wanted) : spoiler_(std::move(wanted)) {
  if (spoiler != nullptr) throw std::logic_error("two spoilers at once");
  spoiler = &spoiler_;
}

Spoiling::~Spoiling() { spoiler = nullptr; }

bool FlipHash(const HashCollector& hashes, uint64_t hash, uint64_t mask) {
  const uint64_t* found = nullptr;
  for (size_t part = 0; part < HashCollector::kParts && found == nullptr;
       ++part) {
    hashes.ForEachRun(part, [&](std::span<const uint64_t> run) {
      if (found != nullptr) return;
      const auto at = std::find(run.begin(), run.end(), hash);
      if (at != run.end()) found = &*at;
    });
  }
  if (found != nullptr) *const_cast<uint64_t*>(found) ^= mask;
  return found != nullptr;
}

}  // namespace ashlar::testing

// The linker's --wrap redirects internal::NewCompressor, BuildBloom and
// BuildRibbon to these.
#define ASHLAR_NEW_COMPRESSOR                           \
  "_ZN6ashlar8internal13NewCompressorENS_15Compression" \
  "TypeERKNS_18CompressionOptionsERKNS_5SliceE"
#define ASHLAR_BUILD_ARGUMENTS                           \
  "EPNS0_13HashCollectorERKNS0_13FilterDensityERKNS0_10" \
  "WorkerCrewEPNS0_6BufferE"
#define ASHLAR_BUILD_BLOOM \
  "_ZN6ashlar8internal10BuildBloom" ASHLAR_BUILD_ARGUMENTS
#define ASHLAR_BUILD_RIBBON \
  "_ZN6ashlar8internal11BuildRibbon" ASHLAR_BUILD_ARGUMENTS

namespace ashlar::internal {

using MadeCompressor = Result<std::unique_ptr<Compressor>>;

MadeCompressor RealNewCompressor(CompressionType type,
                                 const CompressionOptions& options,
                                 const Slice& dictionary)  //
    asm("__real_" ASHLAR_NEW_COMPRESSOR);
MadeCompressor WrappedNewCompressor(CompressionType type,
                                    const CompressionOptions& options,
                                    const Slice& dictionary)  //
    asm("__wrap_" ASHLAR_NEW_COMPRESSOR);
MadeCompressor WrappedNewCompressor(CompressionType type,
                                    const CompressionOptions& options,
                                    const Slice& dictionary) {
  MadeCompressor made = RealNewCompressor(type, options, dictionary);
  if (!made.ok() || testing::spoiler == nullptr ||
      !testing::spoiler->compress) {
    return made;
  }
  return MadeCompressor(
      std::make_unique<testing::SpoiledCompressor>(std::move(made).value()));
}

bool RealBuildBloom(HashCollector* hashes, const FilterDensity& density,
                    const WorkerCrew& crew, Buffer* out)  //
    asm("__real_" ASHLAR_BUILD_BLOOM);
bool WrappedBuildBloom(HashCollector* hashes, const FilterDensity& density,
                       const WorkerCrew& crew, Buffer* out)  //
    asm("__wrap_" ASHLAR_BUILD_BLOOM);
bool WrappedBuildBloom(HashCollector* hashes, const FilterDensity& density,
                       const WorkerCrew& crew, Buffer* out) {
  return testing::BuildSpoiled(RealBuildBloom, hashes, density, crew, out);
}

bool RealBuildRibbon(HashCollector* hashes, const FilterDensity& density,
                     const WorkerCrew& crew, Buffer* out)  //
    asm("__real_" ASHLAR_BUILD_RIBBON);
bool WrappedBuildRibbon(HashCollector* hashes, const FilterDensity& density,
                        const WorkerCrew& crew, Buffer* out)  //
    asm("__wrap_" ASHLAR_BUILD_RIBBON);
bool WrappedBuildRibbon(HashCollector* hashes, const FilterDensity& density,
                        const WorkerCrew& crew, Buffer* out) {
  return testing::BuildSpoiled(RealBuildRibbon, hashes, density, crew, out);
}

}  // namespace ashlar::internal
