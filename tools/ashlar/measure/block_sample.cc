#include "tools/ashlar/measure/block_sample.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "ashlar/table/table_builder.h"
#include "ashlar/util/file.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/progress.h"
#include "tools/ashlar/rows/scratch_folder.h"
#include "tools/memory_limit.h"

namespace ashlar::tool {
namespace {

// The name of unknown types.
constexpr std::string_view kNoName = "Unknown";

// Reads the codecs from the properties. They have one name, or from format
// version 7 on a list of the types that occur, such as "BuiltinV2;0407;", or
// ";;" if there are none.
void ParseTypes(const std::string& name, StoredBlocks* stored) {
  for (size_t type = 0; type < stored->types.size(); ++type) {
    if (name == CompressionTypeName(static_cast<CompressionType>(type)) &&
        name != kNoName) {
      stored->types.set(type);
      stored->types_known = true;
      return;
    }
  }
  const std::string_view text = name;
  const size_t manager = std::min(text.find(';'), text.size());
  const size_t end = text.find(';', manager + 1);
  if (end == text.npos) return;
  if (manager != 0 && text.substr(0, manager) != "BuiltinV2") return;
  const auto types = FromHex(text.substr(manager + 1, end - manager - 1));
  if (!types) return;
  stored->types_known = true;
  for (const char type : *types) {
    stored->types.set(static_cast<unsigned char>(type));
  }
}

void AddBlock(const BlockInfo& block, StoredBlocks* stored) {
  stored->types.set(block.compression_type);
  stored->data_size += block.size + kBlockTrailerBytes;
  stored->uncompressed += block.raw_size;
  ++stored->blocks;
}

// Selects groups of a few neighbouring blocks.
std::vector<bool> PiecesOfBlocks(uint64_t wanted, uint64_t total) {
  constexpr uint64_t kMostTogether = 8;
  wanted = std::min(wanted, total);
  const uint64_t together = std::clamp<uint64_t>(wanted / 2, 1, kMostTogether);
  const uint64_t pieces = (total + together - 1) / together;
  const std::vector<bool> chosen =
      EvenlySpread((wanted + together - 1) / together, pieces);
  std::vector<bool> blocks(total);
  for (uint64_t i = 0; i < total; ++i) blocks[i] = chosen[i / together];
  return blocks;
}

class Sampler {
 public:
  Sampler(const std::string& path, const Comparator* order, uint64_t wanted)
      : path_(path), wanted_(wanted) {
    options_.comparator = order;
    options_.compression = CompressionType::kNoCompression;
    options_.filter = FilterType::kNone;
  }

  std::unique_ptr<TableReader> Run(Report* report, StoredBlocks* stored) {
    if (!Choose(report)) return nullptr;
    stored->of_blocks = chosen_.size();
    auto scratch = ScratchFile::Create(ScratchFolder());
    Status status = scratch.status();
    if (status.ok()) status = Write(scratch->get(), report, stored);
    if (!status.ok()) report->AddFault(status);
    if (!status.ok() || has_faults_) return nullptr;
    auto file = (*scratch)->NewReader();
    if (!file.ok()) {
      report->AddFault(file.status());
      return nullptr;
    }
    ReaderOptions options = ReaderOptionsFromFlags();
    options.comparator = options_.comparator;
    auto table = TableReader::Open(std::move(file).value(), options);
    if (table.ok()) return std::move(table).value();
    report->AddFault(table.status());
    return nullptr;
  }

 private:
  // Chooses the blocks, in a first pass that reads no data blocks.
  bool Choose(Report* report) {
    TableInspection listed;
    if (!InspectInto(path_,
                     InspectOptionsFromFlags(InspectOptions::DataBlocks::kList),
                     &listed, report)) {
      has_faults_ = true;
      return false;
    }
    chosen_ = PiecesOfBlocks(wanted_, CountDataBlocks(listed));
    return true;
  }

  Status Write(ScratchFile* scratch, Report* report, StoredBlocks* stored) {
    auto builder = TableBuilder::Create(options_, BuildOptions(), scratch);
    if (!builder.ok()) return builder.status();
    Status status;
    Progress progress(path_);
    InspectOptions options =
        InspectOptionsFromFlags(InspectOptions::DataBlocks::kRead);
    options.on_progress = [&progress](uint64_t done, uint64_t total) {
      return progress.Update(done, total);
    };
    options.decodes_block = [this](uint64_t index) {
      return index < chosen_.size() && chosen_[index];
    };
    stored->types_known = true;
    options.on_block = [&](const BlockInfo& block) {
      if (block.kind == BlockKind::kData &&
          options.decodes_block(block.index)) {
        AddBlock(block, stored);
      }
    };
    options.on_entry = [&](const BlockInfo& block, const Slice& key,
                           const Slice& value) {
      if (block.kind == BlockKind::kData && status.ok()) {
        status = (*builder)->Add(key, value);
      }
    };
    TableInspection inspection;
    has_faults_ = !InspectInto(path_, options, &inspection, report) ||
                  !inspection.faults.empty();
    for (const TableFault& fault : inspection.faults) report->AddFault(fault);
    if (has_faults_) return Status();
    return status.ok() ? (*builder)->Finish() : status;
  }

  const std::string& path_;
  const uint64_t wanted_;
  TableOptions options_;
  std::vector<bool> chosen_;  // of the data blocks
  bool has_faults_ = false;   // faults are in the report
};

}  // namespace

std::vector<bool> EvenlySpread(uint64_t wanted, uint64_t total) {
  std::vector<bool> chosen(total, wanted >= total);
  if (wanted >= total) return chosen;
  wanted = std::max<uint64_t>(wanted, 2);
  for (uint64_t i = 0; i < wanted; ++i) {
    const double share =
        static_cast<double>(i) / static_cast<double>(wanted - 1);
    chosen[static_cast<size_t>(share * static_cast<double>(total - 1))] = true;
  }
  return chosen;
}

uint64_t CountDataBlocks(const TableInspection& inspection) {
  return static_cast<uint64_t>(std::count_if(
      inspection.blocks.begin(), inspection.blocks.end(),
      [](const auto& block) { return block.kind == BlockKind::kData; }));
}

const Comparator* StoredOrder(const TableProperties& properties) {
  std::string name = properties.comparator_name;
  constexpr std::string_view kTimestamps = ".u64ts";
  if (properties.user_defined_timestamps_persisted == 0 &&
      name.ends_with(kTimestamps)) {
    name.resize(name.size() - kTimestamps.size());
  }
  return FindBuiltinComparator(name);
}

std::string StoredBlocks::CodecName(
    std::string_view (*name)(CompressionType)) const {
  if (!types_known) return "unknown";
  std::bitset<256> codecs = types;
  codecs.reset(static_cast<size_t>(CompressionType::kNoCompression));
  if (codecs.count() > 1) return "mixed";
  size_t type = codecs.size() - 1;
  while (type > 0 && !codecs.test(type)) --type;
  return std::string(name(static_cast<CompressionType>(type)));
}

StoredBlocks FindStoredBlocks(const std::string& path,
                              const TableProperties& properties) {
  StoredBlocks stored;
  ParseTypes(properties.compression_name, &stored);
  const auto file = OpenRandomAccessFile(path);
  if (!IsOkOrThrow(file.status())) return stored;
  TableInspection listed;
  // Faults of the file are reported elsewhere.
  static_cast<void>(IsOkOrThrow(InspectTable(
      **file, InspectOptionsFromFlags(InspectOptions::DataBlocks::kList),
      &listed)));
  for (const BlockInfo& block : listed.blocks) {
    if (block.kind != BlockKind::kData) continue;
    stored.data_size += block.size + kBlockTrailerBytes;
    ++stored.blocks;
  }
  stored.of_blocks = stored.blocks;
  return stored;
}

std::unique_ptr<TableReader> TakeBlockSample(const std::string& path,
                                             const Comparator* order,
                                             uint64_t wanted, Report* report,
                                             StoredBlocks* stored) {
  return Sampler(path, order, wanted).Run(report, stored);
}

}  // namespace ashlar::tool
