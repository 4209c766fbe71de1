#include "tools/ashlar/measure/recompress_options.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "ashlar/util/compression.h"
#include "tools/ashlar/outputs/build_options.h"
#include "tools/ashlar/print/output.h"
#include "tools/memory_limit.h"

namespace ashlar::tool {
namespace {

using Codec = RecompressOptions::Codec;

std::string ParseCodecs(std::vector<Codec>* codecs) {
  if (FLAGS_compression_types.empty()) {
    for (const CompressionType type : SupportedCompressionTypes()) {
      codecs->push_back({type, {}});
    }
    return {};
  }
  std::string_view rest = FLAGS_compression_types;
  while (true) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const auto type = ParseCompressionType(rest.substr(0, comma));
    if (!IsOkOrThrow(type.status())) {
      return "--compression_types: '" + std::string(rest.substr(0, comma)) +
             "' is not the name of a codec";
    }
    const bool known =
        std::any_of(codecs->begin(), codecs->end(),
                    [&](const Codec& codec) { return codec.type == *type; });
    if (!known) codecs->push_back({*type, {}});
    if (comma == rest.size()) return {};
    rest.remove_prefix(comma + 1);
  }
}

// Reads the range of levels from --compression_level_from and _to, or from
// --compression_level.
std::string ParseLevels(const CommandLine& line, int* first, int* last) {
  *first = *last = FLAGS_compression_level;
  const bool from = line.Given("compression_level_from");
  const bool to = line.Given("compression_level_to");
  if (!from && !to) return {};
  if (line.Given("compression_level")) {
    return "--compression_level excludes --compression_level_from and "
           "--compression_level_to";
  }
  if (!from || !to) {
    return "--compression_level_from and --compression_level_to go together";
  }
  *first = FLAGS_compression_level_from;
  *last = FLAGS_compression_level_to;
  return *first <= *last ? std::string()
                         : "--compression_level_from is above "
                           "--compression_level_to";
}

// Chooses the wanted levels that the codec has, and warns of the others.
void ChooseLevels(int first, int last, Codec* codec) {
  constexpr int kDefault = CompressionOptions::kDefaultLevel;
  const CompressionLevelRange range = CompressionLevels(codec->type);
  if (!IsCompressionSupported(codec->type)) return;
  if (first == kDefault || (range.min == 0 && range.max == 0)) {
    codec->levels = {kDefault};
    return;
  }
  for (int level = std::max(first, range.min);
       level <= std::min(last, range.max); ++level) {
    codec->levels.push_back(level);
  }
  if (first >= range.min && last <= range.max) return;
  PrintWarning(std::string(CompressionTypeEnumName(codec->type)) +
               " has levels " + std::to_string(range.min) + " to " +
               std::to_string(range.max) + " only");
}

// Returns whether no codec has any of the levels, although at least one codec
// is built in.
bool NoneHasLevels(const std::vector<Codec>& codecs) {
  bool any_built_in = false;
  for (const Codec& codec : codecs) {
    if (!codec.levels.empty()) return false;
    any_built_in = any_built_in || IsCompressionSupported(codec.type);
  }
  return any_built_in;
}

uint32_t Processors() {
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? static_cast<uint32_t>(count) : 1;
}

void SetThreads(const CommandLine& line, RecompressOptions* options) {
  options->build.parallel_threads = FLAGS_compression_parallel_threads;
  if (line.Given("threads") && FLAGS_threads != 0 &&
      FLAGS_compression_parallel_threads == 0) {
    // A build has at most 31 workers, in addition to the thread that reads.
    constexpr uint32_t kMost = 32;
    options->threads = std::min<uint32_t>(FLAGS_threads, kMost);
    options->build.workers = options->threads - 1;
    return;
  }
  options->threads = FLAGS_compression_parallel_threads;
  if (options->threads == 0) {
    options->threads = Processors();
  }
}

}  // namespace

std::string RecompressOptionsFromFlags(const CommandLine& line,
                                       RecompressOptions* options) {
  int first = 0;
  int last = 0;
  std::string error =
      TableOptionsFromFlags(line, &options->table, Unnamed::kAreKept);
  if (error.empty()) error = ParseCodecs(&options->codecs);
  if (error.empty()) error = ParseLevels(line, &first, &last);
  if (!error.empty()) return error;
  for (Codec& codec : options->codecs) ChooseLevels(first, last, &codec);
  if (NoneHasLevels(options->codecs)) {
    return "none of the codecs has this compression level";
  }
  if (!line.Given("block_size")) {
    constexpr uint64_t kDefaultBlockSize = 16384;
    options->table.block_size = kDefaultBlockSize;
  }
  // The flag's default is for `report`.
  if (line.Given("sample")) options->sample = FLAGS_sample;
  // The output says nothing about the filter.
  options->table.filter = FilterType::kNone;
  SetThreads(line, options);
  return {};
}

}  // namespace ashlar::tool
