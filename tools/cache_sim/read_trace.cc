#include "tools/cache_sim/read_trace.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "ashlar/cache/hash/key_hash.h"
#include "cache/trace/trace_format.h"
#include "tools/cache_sim/byte_source.h"
#include "tools/cache_sim/csv_trace.h"
#include "util/coding/coding.h"

namespace ashlar::sim {

namespace {

constexpr std::string_view kBlockTrace = "blocktrace";

// A format with records of a fixed length, each with a key of 8 bytes at the
// same offset.
struct RecordForm {
  const char* name;
  size_t bytes;
  size_t key_offset;
};

constexpr RecordForm kRecordForms[] = {
    {"u64", 8, 0},
    // Time (4 bytes), key (8), size (4), number of the next access (8).
    {"oracleGeneral", 24, 4},
};

Status ReadRecords(const std::string& path, const RecordForm& form,
                   ByteSource* source, TraceBuilder* builder) {
  constexpr size_t kRecordsOfPiece = size_t{1} << 13;
  std::vector<char> piece(form.bytes * kRecordsOfPiece);
  uint64_t offset = 0;
  while (!builder->full()) {
    size_t got = 0;
    Status s = source->Read(piece.data(), piece.size(), &got);
    if (!s.ok()) return s;
    const size_t whole = got / form.bytes * form.bytes;
    for (size_t i = 0; i < whole && !builder->full(); i += form.bytes) {
      builder->Add(internal::LoadFixed64(piece.data() + i + form.key_offset));
    }
    if (whole < got && !builder->full()) {
      return Status::Corruption(
          path + ": " + std::to_string(got - whole) + " bytes at byte " +
          std::to_string(offset + whole) + " are not a whole record of " +
          std::to_string(form.bytes));
    }
    if (got < piece.size()) break;
    offset += got;
  }
  return Status::OK();
}

// The seed is arbitrary, but fixed, so that a key has the same number in all
// traces.
uint64_t NumberOf(const CacheKey& key) {
  constexpr internal::HashSeed kSeed = {0x9216d5d98979fb1b, 0xd1310ba698dfb5ac};
  return internal::KeyHash(key, kSeed);
}

Status ReadBlockTrace(const std::string& path, ByteSource* source,
                      TraceBuilder* builder) {
  internal::TraceFileReader reader(path, [&](char* out, size_t n, size_t* got) {
    return source->Read(out, n, got);
  });
  internal::TraceHeader header;
  Status status = reader.ReadHeader(&header);
  std::vector<internal::TracedAccess> accesses;
  internal::TraceEnd end;
  // Sorts the records by time: those of a thread that rarely reads come much
  // later in the file than their time.
  std::vector<std::pair<uint64_t, uint64_t>> by_time;
  while (status.ok()) {
    status = reader.ReadChunk(&accesses, &end);
    if (accesses.empty()) break;
    for (const internal::TracedAccess& each : accesses) {
      by_time.emplace_back(each.micros, NumberOf(each.key));
    }
  }
  if (!status.ok()) return status;
  std::ranges::stable_sort(by_time, {}, &std::pair<uint64_t, uint64_t>::first);
  for (const auto& [micros, number] : by_time) {
    if (builder->full()) break;
    builder->Add(number);
  }
  return {};
}

const RecordForm* FormOf(std::string_view format) {
  for (const RecordForm& form : kRecordForms) {
    if (format == form.name) return &form;
  }
  return nullptr;
}

// Returns the last suffix of the name, without suffixes that say nothing about
// the format.
std::string_view FormatOf(std::string_view path) {
  for (const std::string_view other : {".zst", ".bin"}) {
    if (path.ends_with(other)) path.remove_suffix(other.size());
  }
  const size_t dot = path.find_last_of("./");
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

}  // namespace

Status ReadTrace(const std::string& path, const ReadTraceOptions& options,
                 Trace* trace) {
  const std::string_view format = options.format.empty()
                                      ? FormatOf(path)
                                      : std::string_view(options.format);
  const RecordForm* const form = FormOf(format);
  if (form == nullptr && format != "csv" && format != kBlockTrace) {
    return Status::InvalidArgument(
        path +
        ": unknown format; name it with --format, or end the name with .u64, "
        ".oracleGeneral, .csv or .blocktrace, with or without .zst after it");
  }
  auto source = ByteSource::Open(path);
  if (!source.ok()) return source.status();
  TraceBuilder builder(options.most_accesses);
  Status s = form != nullptr ? ReadRecords(path, *form, source->get(), &builder)
             : format == kBlockTrace
                 ? ReadBlockTrace(path, source->get(), &builder)
                 : ReadCsv(path, options, source->get(), &builder);
  if (!s.ok()) return s;
  return builder.Finish(path, trace);
}

}  // namespace ashlar::sim
