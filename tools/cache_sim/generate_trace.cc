#include "tools/cache_sim/generate_trace.h"

#include <charconv>
#include <sstream>
#include <string_view>

#include "tools/cache_sim/key_draw.h"
#include "tools/quantity.h"

namespace ashlar::sim {

namespace {

// Far more than is useful, and far less than what memory cannot hold.
constexpr uint64_t kMostAccesses = uint64_t{1} << 31;
constexpr uint64_t kMostKeys = uint64_t{1} << 28;

struct TraceParameters {
  uint64_t keys;
  uint64_t accesses;
  double skew = 0;
  uint64_t seed = 1;
  uint64_t every = 20000;
  uint64_t scan = 10000;
  uint64_t touches = 1;
  uint64_t scan_is_new = 1;
  uint64_t mixed = 0;
};

void AddZipf(const TraceParameters& p, TraceBuilder* builder) {
  KeyDraw draw(p.keys, p.skew, p.seed);
  for (uint64_t i = 0; i < p.accesses; ++i) builder->Add(draw.Next());
}

void AddLoop(const TraceParameters& p, TraceBuilder* builder) {
  for (uint64_t i = 0; i < p.accesses; ++i) builder->Add(i % p.keys);
}

void AddScan(const TraceParameters& p, TraceBuilder* builder) {
  for (uint64_t i = 0; i < p.accesses; ++i) builder->Add(i);
}

// The keys of scans have higher numbers than the hot keys.
void AddHotAndScans(const TraceParameters& p, TraceBuilder* builder) {
  KeyDraw draw(p.keys, p.skew, p.seed);
  uint64_t left = p.accesses;  // hot ones
  const auto add_hot = [&] {
    builder->Add(draw.Next(), true);
    --left;
  };
  uint64_t first = p.keys;  // of the next scan
  while (left > 0) {
    for (uint64_t i = 0; i < p.every && left > 0; ++i) add_hot();
    for (uint64_t i = 0; i < p.scan * p.touches; ++i) {
      builder->Add(first + i / p.touches, false);
      if (p.mixed != 0 && left > 0) add_hot();
    }
    if (p.scan_is_new != 0) first += p.scan;
  }
}

struct TraceKind {
  const char* name;
  TraceParameters defaults;
  void (*add)(const TraceParameters&, TraceBuilder*);
};

constexpr TraceKind kKinds[] = {
    {"zipf", {.keys = 1000000, .accesses = 3000000, .skew = 0.99}, AddZipf},
    {"loop", {.keys = 1100, .accesses = 100000}, AddLoop},
    {"scan", {.keys = 1, .accesses = 100000}, AddScan},
    {"hotscan", {.keys = 1000, .accesses = 300000}, AddHotAndScans},
};

const TraceKind* KindOf(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  for (const TraceKind& kind : kKinds) {
    if (name == kind.name) return &kind;
  }
  return nullptr;
}

struct Number {
  const char* name;
  uint64_t* value;
  uint64_t least;
  uint64_t most;
};

bool Parse(std::string_view text, double* value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *value);
  return error == std::errc() && stop == end;
}

// Returns what is wrong, or an empty string.
std::string SetOne(std::string_view setting, TraceParameters* p) {
  const size_t equals = setting.find('=');
  if (equals == std::string_view::npos) {
    return "no '=' in " + std::string(setting);
  }
  const std::string_view name = setting.substr(0, equals);
  const std::string_view text = setting.substr(equals + 1);
  if (name == "skew") {
    constexpr double kMostSkew = 10;
    const bool good =
        Parse(text, &p->skew) && p->skew >= 0 && p->skew <= kMostSkew;
    return good ? ""
                : "expected a skew from 0 to 10, found " + std::string(text);
  }
  const Number numbers[] = {
      {"keys", &p->keys, 1, kMostKeys},
      {"accesses", &p->accesses, 1, kMostAccesses},
      {"seed", &p->seed, 0, UINT64_MAX},
      {"every", &p->every, 1, kMostAccesses},
      {"scan", &p->scan, 0, kMostKeys},
      {"touches", &p->touches, 1, kMostKeys},
      {"new", &p->scan_is_new, 0, 1},
      {"mixed", &p->mixed, 0, 1},
  };
  for (const Number& number : numbers) {
    if (name != number.name) continue;
    const auto count = tool::ParseCount(text);
    const bool good = count && *count >= number.least && *count <= number.most;
    if (good) *number.value = *count;
    return good ? ""
                : std::string(name) + " is " + std::to_string(number.least) +
                      " to " + std::to_string(number.most) + ", not " +
                      std::string(text);
  }
  return "no parameter " + std::string(name);
}

}  // namespace

bool DescribesTrace(const std::string& text) {
  return text.find(':') != std::string::npos && KindOf(text) != nullptr;
}

Status GenerateTrace(const std::string& description, Trace* trace) {
  const TraceKind* const kind = KindOf(description);
  if (kind == nullptr) {
    return Status::InvalidArgument(description + ": no such kind of trace");
  }
  TraceParameters parameters = kind->defaults;
  const size_t colon = description.find(':');
  std::istringstream settings(
      colon == std::string::npos ? "" : description.substr(colon + 1));
  std::string setting;
  while (std::getline(settings, setting, ',')) {
    const std::string fault = SetOne(setting, &parameters);
    if (!fault.empty()) {
      std::string message = description;
      message += ": ";
      return Status::InvalidArgument(message += fault);
    }
  }
  TraceBuilder builder(UINT64_MAX);
  kind->add(parameters, &builder);
  return builder.Finish(description, trace);
}

}  // namespace ashlar::sim
