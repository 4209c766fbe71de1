// Options of the C interface: from text, and back.

#include <algorithm>
#include <chrono>
#include <limits>

#include "c_api/handles.h"

using ashlar::Status;
using ashlar::capi::FromC;
using ashlar::capi::Guarded;

ashlar_options* ashlar_options_new(void) {
  return ashlar::capi::NewOrNull<ashlar_options>();
}
void ashlar_options_free(ashlar_options* options) { delete options; }

ashlar_status* ashlar_options_set(ashlar_options* options, ashlar_slice text) {
  return Guarded([&] {
    return ashlar::OptionsFromString(FromC(text).ToStringView(), &options->set);
  });
}

ashlar_status* ashlar_options_load(ashlar_options* options, const char* path,
                                   const char* family, ashlar_bytes** ignored) {
  if (ignored != nullptr) *ignored = nullptr;
  return Guarded([&]() -> Status {
    std::vector<std::string> lines;
    Status status = ashlar::LoadOptionsFile(
        path, family, &options->set,
        {.ignore_unknown = ignored != nullptr, .ignored = &lines});
    if (!status.ok() || ignored == nullptr) return status;
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    *ignored = new ashlar_bytes{std::move(text)};
    return {};
  });
}

ashlar_status* ashlar_options_text(const ashlar_options* options,
                                   ashlar_bytes** text) {
  *text = nullptr;
  return Guarded([&]() -> Status {
    auto made = ashlar::StringFromOptions(options->set);
    if (!made.ok()) return made.status();
    *text = new ashlar_bytes{std::move(*made)};
    return {};
  });
}

void ashlar_options_set_cache(ashlar_options* options, ashlar_cache* cache) {
  options->set.reader.block_cache = cache == nullptr ? nullptr : cache->cache;
}

ashlar_read_options* ashlar_read_options_new(void) {
  return ashlar::capi::NewOrNull<ashlar_read_options>();
}
void ashlar_read_options_free(ashlar_read_options* options) { delete options; }
void ashlar_read_options_set_snapshot(ashlar_read_options* options,
                                      uint64_t sequence) {
  options->options.snapshot = sequence;
}
void ashlar_read_options_set_verify_checksums(ashlar_read_options* options,
                                              int verify) {
  options->options.verify_checksums = verify != 0;
}
void ashlar_read_options_set_fill_cache(ashlar_read_options* options,
                                        int fill) {
  options->options.fill_cache = fill != 0;
}
void ashlar_read_options_set_readahead(ashlar_read_options* options,
                                       uint64_t bytes) {
  options->options.readahead_size = bytes;
}
void ashlar_read_options_set_deadline(ashlar_read_options* options,
                                      uint64_t microseconds_since_epoch) {
  // What a signed number does not hold is the end of time.
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  options->options.deadline =
      std::chrono::microseconds(std::min(microseconds_since_epoch, kMost));
}
ashlar_status* ashlar_read_options_set_bounds(ashlar_read_options* options,
                                              const ashlar_slice* lower,
                                              const ashlar_slice* upper) {
  return Guarded([&]() -> Status {
    std::optional<std::string> from;
    std::optional<std::string> to;
    if (lower != nullptr) from = FromC(*lower).ToString();
    if (upper != nullptr) to = FromC(*upper).ToString();
    options->lower = std::move(from);
    options->upper = std::move(to);
    return {};
  });
}
