#include "table/inspect/found_table.h"

#include <algorithm>
#include <utility>

#include "table/inspect/found_kinds.h"

namespace ashlar::internal {

namespace {

constexpr uint32_t kNewestPlainVersion = 5;
constexpr uint32_t kFirstContextVersion = 6;
constexpr uint32_t kOldestVersion = 1;

// What the last bytes of the file seem to say.
FooterHint ReadHint(const RandomAccessFile& file) {
  if (file.Size() < kFooterSize) return {};
  WalkBytes bytes(&file, kFooterSize);
  return GuessFooter(bytes.Get(file.Size() - kFooterSize, kFooterSize));
}

uint32_t VersionOf(const ChecksumRule& rule, int compress_format,
                   uint32_t hint) {
  if (rule.base != 0) {
    return hint >= kFirstContextVersion ? hint : kFirstContextVersion;
  }
  if (compress_format == 1) return kOldestVersion;
  return hint != 0 && hint <= kNewestPlainVersion ? hint : kNewestPlainVersion;
}

// Returns false if the walk was given up.
bool WalkOver(const std::vector<ByteRange>& parts, const Findings& findings,
              BlockWalk* walk) {
  const RestoredFile* const restored = findings.restored();
  for (const ByteRange& part : parts) {
    if (restored == nullptr) {
      if (!walk->Run(part)) return false;
      continue;
    }
    for (const ByteRange& proven : restored->ProvenParts(part)) {
      if (!walk->Run(proven)) return false;
    }
  }
  return true;
}

// Returns what the walk found and the bytes of [0, end) over which it did not
// walk, which are where they were written.
std::vector<FoundBlock> AllBlocks(const BlockWalk& walk,
                                  const std::vector<ByteRange>& parts,
                                  uint64_t end) {
  std::vector<FoundBlock> blocks;
  auto next = walk.blocks().begin();
  uint64_t at = 0;
  const auto take_known = [&](uint64_t known_end) {
    if (known_end < at + kBlockTrailerSize) return;
    blocks.push_back({{at, known_end - at - kBlockTrailerSize}, 0, true, 0});
  };
  for (const ByteRange& part : parts) {
    take_known(part.begin);
    for (; next != walk.blocks().end() && next->handle.offset < part.end;
         ++next) {
      blocks.push_back(*next);
    }
    at = part.end;
  }
  take_known(end);
  return blocks;
}

bool WereMoved(const std::vector<FoundBlock>& blocks) {
  return std::any_of(blocks.begin(), blocks.end(),
                     [](const FoundBlock& block) { return block.move != 0; });
}

// Sets the rule by which blocks are proven, in *walk and the footer of *table:
// from the footer, from the file that was restored, or learned from the blocks.
// Returns false if there is none, and if the walk was given up.
bool UseRule(const RandomAccessFile& file, const Footer* footer,
             const RestoredFile* restored, BlockWalk* walk, FoundTable* table,
             FooterHint* hint) {
  if (footer != nullptr) {
    table->footer = *footer;
    walk->Use({footer->checksum, footer->base_context_checksum},
              footer->traits().compress_format);
    return true;
  }
  *hint = ReadHint(file);
  ChecksumRule used;
  if (restored != nullptr) {
    used = restored->rule();
    table->proven = true;
  } else {
    std::optional<ChecksumRule> hinted;
    if (hint->checksum.has_value()) {
      hinted = {*hint->checksum, hint->base_context_checksum};
    }
    const auto learned = walk->Learn(hinted);
    if (walk->given_up() || !learned.has_value()) return false;
    table->proven = learned->proven;
    used = learned->rule;
  }
  table->footer.checksum = used.type;
  table->footer.base_context_checksum = used.base;
  table->footer.offset = file.Size();
  walk->Use(used, 0);
  return true;
}

WalkOptions OptionsOfWalk(Findings* findings) {
  const InspectOptions& options = findings->options();
  WalkOptions walk;
  // A compressed block is not larger than what it holds.
  walk.most_block_bytes = options.max_uncompressed_block_bytes;
  walk.custom_types = !options.codecs.empty();
  walk.on_progress = [findings](uint64_t done) {
    return findings->ReportProgress(done);
  };
  return walk;
}

}  // namespace

Status HaveChecksums(const RandomAccessFile& file, Findings* findings,
                     bool* have) {
  BlockWalk walk(&file, OptionsOfWalk(findings));
  const std::optional<Learned> learned = walk.Learn(std::nullopt);
  if (walk.given_up()) return findings->GivenUp();
  *have = learned.has_value() && learned->proven &&
          learned->rule.type != ChecksumType::kNoChecksum;
  return {};
}

Status FindTable(const RandomAccessFile& file, const Footer* footer,
                 const std::vector<ByteRange>& parts, Places places,
                 Findings* findings, std::optional<FoundTable>* found) {
  found->reset();
  const RestoredFile* const restored = findings->restored();
  WalkOptions walk_options = OptionsOfWalk(findings);
  walk_options.finds_moved =
      places == Places::kRestoredToo && restored == nullptr;
  BlockWalk walk(&file, walk_options);
  FoundTable table;
  FooterHint hint;
  const bool has_rule = UseRule(file, footer, restored, &walk, &table, &hint);
  if (walk.given_up()) return findings->GivenUp();
  if (!has_rule) return {};
  if (!WalkOver(parts, *findings, &walk)) return findings->GivenUp();
  if (walk.blocks().empty()) return {};
  if (WereMoved(walk.blocks())) {
    const uint64_t end = footer == nullptr ? file.Size() : footer->offset;
    table.restored = std::make_unique<RestoredFile>(
        &file,
        ChecksumRule{table.footer.checksum, table.footer.base_context_checksum},
        AllBlocks(walk, parts, end), walk.alone());
    // Only copies were found: the file is as it was written, but for what they
    // were written over.
    if (!table.restored->HasMovedPieces()) {
      return FindTable(file, footer, parts, Places::kAsTheyAre, findings,
                       found);
    }
    *found = std::move(table);
    return {};
  }
  if (footer == nullptr) {
    table.footer.format_version =
        VersionOf({table.footer.checksum, table.footer.base_context_checksum},
                  walk.compress_format(), hint.format_version);
  }
  // A base that was found out can be wrong by as much as all blocks were moved.
  const bool has_contexts =
      footer != nullptr && footer->base_context_checksum != 0;
  FindKinds(file, has_contexts, walk, findings, &table);
  table.guesses_index =
      table.footer.traits().has_context_checksums
          ? table.footer.metaindex.IsNull() || footer != nullptr
          : footer == nullptr;
  if (footer != nullptr) table.footer = *footer;
  table.lost = walk.lost();
  // What is left of the footer has a fault of its own.
  if (footer == nullptr && !table.lost.empty() &&
      table.lost.back().begin + kFooterSize >= file.Size()) {
    table.lost.pop_back();
  }
  *found = std::move(table);
  return {};
}

}  // namespace ashlar::internal
