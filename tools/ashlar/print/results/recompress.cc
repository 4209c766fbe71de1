// The printers of `recompress`.
#include <cinttypes>
#include <cstdio>
#include <string>

#include "ashlar/util/compression.h"
#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/print/print_json.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

double RatioOf(const RecompressRun& run) {
  return Share(run.made.uncompressed_data_size, run.made.data_size);
}

uint64_t CompressedBlocks(const TableProperties& made) {
  return made.num_data_blocks - made.num_data_blocks_compression_rejected -
         made.num_data_blocks_compression_bypassed;
}

std::string BlockCount(const char* label, uint64_t count, uint64_t total) {
  const double percent = total == 0 ? 0.0
                                    : 100.0 * static_cast<double>(count) /
                                          static_cast<double>(total);
  char text[96];
  std::snprintf(text, sizeof text, " %s: %6" PRIu64 " (%5.1f%%)", label, count,
                percent);
  return text;
}

}  // namespace

void PrintText(const RecompressRun& run, Output* out) {
  char text[256];
  std::snprintf(text, sizeof text,
                "Cx level: %d Cx size: %10" PRIu64 " Uncx size: %10" PRIu64
                " Ratio: %10.6f Write usec: %10" PRIu64
                "  Read usec: %10" PRIu64 " ",
                run.level, run.made.data_size, run.made.uncompressed_data_size,
                RatioOf(run), run.write.wall_micros, run.read.wall_micros);
  out->Append(text);
  const TableProperties& made = run.made;
  const uint64_t total = made.num_data_blocks;
  out->Append(BlockCount("Cx count", CompressedBlocks(made), total));
  out->Append(BlockCount("Not cx for ratio",
                         made.num_data_blocks_compression_rejected, total));
  out->Append(BlockCount("Not cx otherwise",
                         made.num_data_blocks_compression_bypassed, total));
  if (!FLAGS_quiet) {
    out->Append("  Write cpu usec: " + std::to_string(run.write.cpu_micros) +
                "  Read cpu usec: " + std::to_string(run.read.cpu_micros));
  }
  out->Append("\n");
  out->Flush();  // the next may take long
}

void WriteJson(const RecompressRun& run, JsonWriter* json) {
  const TableProperties& made = run.made;
  json->BeginObject();
  json->Member("codec", CompressionTypeName(run.codec));
  json->IntegerMember("level", run.level);
  json->NumberMember("block_size", run.block_size);
  json->NumberMember("threads", run.threads);
  json->NumberMember("dict_bytes", run.max_dict_bytes);
  json->NumberMember("data_size", made.data_size);
  json->NumberMember("uncompressed_size", made.uncompressed_data_size);
  json->NumberMember("index_size", made.index_size);
  json->DecimalMember("ratio", RatioOf(run));
  json->NumberMember("write_us", run.write.wall_micros);
  json->NumberMember("write_cpu_us", run.write.cpu_micros);
  json->NumberMember("read_us", run.read.wall_micros);
  json->NumberMember("read_cpu_us", run.read.cpu_micros);
  json->NumberMember("blocks_compressed", CompressedBlocks(made));
  json->NumberMember("blocks_rejected",
                     made.num_data_blocks_compression_rejected);
  json->NumberMember("blocks_bypassed",
                     made.num_data_blocks_compression_bypassed);
  json->EndObject();
}

void PrintText(const RunsHeading& heading, Output* out) {
  char text[128];
  std::snprintf(text, sizeof text,
                "Compression: %-24s Block Size: %" PRIu64 "  Threads: %u\n",
                std::string(CompressionTypeEnumName(heading.codec)).c_str(),
                heading.block_size, heading.threads);
  out->Append(text);
}

void PrintText(const Baseline& baseline, Output* out) {
  if (FLAGS_quiet) return;
  const StoredBlocks& stored = baseline.stored;
  char text[256];
  std::snprintf(text, sizeof text,
                "Baseline: %-24s Cx size: %10" PRIu64 " Uncx size: %10" PRIu64
                " Ratio: %10.6f  Blocks: %" PRIu64,
                stored.CodecName(CompressionTypeEnumName).c_str(),
                stored.data_size, stored.uncompressed,
                Share(stored.uncompressed, stored.data_size), stored.blocks);
  out->Append(text);
  if (baseline.is_sample) {
    out->Append(" of " + std::to_string(stored.of_blocks));
  }
  out->Append("\n");
}

void WriteJson(const Baseline& baseline, JsonWriter* json) {
  const StoredBlocks& stored = baseline.stored;
  json->ObjectMember("baseline", [&] {
    json->Member("codec", stored.CodecName(CompressionTypeName));
    json->NumberMember("data_size", stored.data_size);
    json->NumberMember("uncompressed_size", stored.uncompressed);
    json->DecimalMember("ratio", Share(stored.uncompressed, stored.data_size));
    json->NumberMember("blocks", stored.blocks);
    json->NumberMember("file_blocks", stored.of_blocks);
  });
}

void PrintText(const UnsupportedCodec& refused, Output* out) {
  out->Append("Unsupported compression type: " +
              std::string(CompressionTypeEnumName(refused.codec)) + ".\n");
}

}  // namespace ashlar::tool
