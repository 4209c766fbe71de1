#include "tools/cache_sim/read_trace.h"

#include <memory>
#include <string_view>
#include <vector>

#include "ashlar/cache/block_cache_trace_reader.h"
#include "tools/cache_sim/csv_trace.h"
#include "tools/replay/byte_source.h"
#include "tools/replay/trace_accesses.h"
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

Status ReadBlockTrace(const std::string& path, TraceBuilder* builder) {
  auto trace = TraceAccesses::Open(path);
  if (!trace.ok()) return trace.status();
  TraceAccess access;
  bool found = true;
  while (!builder->full()) {
    Status status = (*trace)->Next(&access, &found);
    if (!found) return status;
    builder->Add(access.block);
  }
  return {};
}

// Returns whether a file of another name is a trace of a block cache, too.
bool IsBlockTrace(const std::string& path) {
  auto source = ByteSource::Open(path);
  if (!source.ok()) return false;
  char bytes[BlockCacheTraceReader::kProbeBytes];
  size_t got = 0;
  return (*source)->Read(bytes, sizeof bytes, &got).ok() &&
         BlockCacheTraceReader::IsTrace(Slice(bytes, got));
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
  std::string_view format = options.format.empty()
                                ? FormatOf(path)
                                : std::string_view(options.format);
  const RecordForm* const form = FormOf(format);
  if (form == nullptr && format != "csv" && options.format.empty() &&
      IsBlockTrace(path)) {
    format = kBlockTrace;
  }
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
                 ? ReadBlockTrace(path, &builder)
                 : ReadCsv(path, options, source->get(), &builder);
  if (!s.ok()) return s;
  return builder.Finish(path, trace);
}

}  // namespace ashlar::sim
