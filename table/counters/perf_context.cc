// PerfContext: the context of each thread, and its fields by name.

#include "ashlar/table/perf_context.h"

#include <array>

#include "table/counters/read_counters.h"

namespace ashlar {

namespace {

constinit thread_local PerfContext own_context;

struct Field {
  std::string_view name;
  uint64_t PerfContext::*value;
};

#define ASHLAR_FIELD(name) \
  Field { #name, &PerfContext::name }
constexpr std::array kFields = {
    ASHLAR_FIELD(get_count),
    ASHLAR_FIELD(get_read_bytes),
    ASHLAR_FIELD(multiget_count),
    ASHLAR_FIELD(multiget_key_count),
    ASHLAR_FIELD(multiget_read_bytes),
    ASHLAR_FIELD(bloom_sst_hit_count),
    ASHLAR_FIELD(bloom_sst_miss_count),
    ASHLAR_FIELD(block_cache_hit_count),
    ASHLAR_FIELD(block_cache_index_hit_count),
    ASHLAR_FIELD(block_cache_filter_hit_count),
    ASHLAR_FIELD(block_cache_miss_count),
    ASHLAR_FIELD(block_read_count),
    ASHLAR_FIELD(index_block_read_count),
    ASHLAR_FIELD(filter_block_read_count),
    ASHLAR_FIELD(block_read_byte),
    ASHLAR_FIELD(iter_seek_count),
    ASHLAR_FIELD(block_cache_read_byte),
    ASHLAR_FIELD(block_cache_index_read_byte),
    ASHLAR_FIELD(block_cache_filter_read_byte),
    ASHLAR_FIELD(block_cache_compression_dict_read_byte),
    ASHLAR_FIELD(data_block_read_byte),
    ASHLAR_FIELD(index_block_read_byte),
    ASHLAR_FIELD(filter_block_read_byte),
    ASHLAR_FIELD(compression_dict_block_read_byte),
    ASHLAR_FIELD(metadata_block_read_byte),
    ASHLAR_FIELD(secondary_cache_hit_count),
    ASHLAR_FIELD(block_read_time),
    ASHLAR_FIELD(block_checksum_time),
    ASHLAR_FIELD(block_decompress_time),
    ASHLAR_FIELD(filter_nanos),
    ASHLAR_FIELD(index_seek_nanos),
    ASHLAR_FIELD(block_load_nanos),
    ASHLAR_FIELD(block_seek_nanos),
};
#undef ASHLAR_FIELD
// Fails if a field is left out, unless the last cache line has room for it.
static_assert((kFields.size() + 7) / 8 * 64 == sizeof(PerfContext));

}  // namespace

void SetPerfLevel(PerfLevel level) {
  internal::counting_context =
      level == PerfLevel::kDisable ? nullptr : &own_context;
  internal::timing_context =
      level == PerfLevel::kEnableTime ? &own_context : nullptr;
}

PerfLevel GetPerfLevel() {
  if (internal::timing_context != nullptr) return PerfLevel::kEnableTime;
  return internal::counting_context != nullptr ? PerfLevel::kEnableCount
                                               : PerfLevel::kDisable;
}

PerfContext* GetPerfContext() { return &own_context; }

void PerfContext::ForEach(
    const std::function<void(std::string_view name, uint64_t value)>& visit)
    const {
  for (const Field& field : kFields) visit(field.name, this->*field.value);
}

std::string PerfContext::ToString(bool exclude_zero_counters) const {
  std::string text;
  ForEach([&](std::string_view name, uint64_t value) {
    if (exclude_zero_counters && value == 0) return;
    if (!text.empty()) text += ", ";
    text.append(name);
    text += " = " + std::to_string(value);
  });
  return text;
}

}  // namespace ashlar
