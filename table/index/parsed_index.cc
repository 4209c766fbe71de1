#include "table/index/parsed_index.h"

#include <new>
#include <string>

#include "port/new_pages.h"
#include "table/index/index_entries.h"
#include "table/index/index_words.h"
#include "table/index/separator_packer.h"
#include "util/mem/thread_spare.h"

namespace ashlar::internal {

namespace {

// What a parse needs, and a thread keeps for the next one.
struct ParseMemory {
  IndexWords words;
  IndexEntries entries;
  SeparatorGroups groups;
};

// Empties it, also after an exception.
struct ClearAtEnd {
  ParseMemory* memory;

  ~ClearAtEnd() {
    memory->words.Clear();
    memory->entries.Clear();
    memory->groups.Clear();
  }
};

// For an entry that the walk refused, though nothing is wrong with it.
Status UnknownFault(const BlockPlace& place) {
  return place.Corruption("bad index entry", "its fault was not found again");
}

}  // namespace

template <typename PlanParts>
void ParsedIndex::Pack(size_t num_entries, const PlanParts& plan_parts) {
  const auto plan_all = [&](MemoryPlan* plan) {
    // The hints first: a search needs their pointers.
    hints_.Plan(num_entries, plan);
    plan_parts(plan);
  };
  MemoryPlan measured;
  plan_all(&measured);
  memory_bytes_ =
      (measured.bytes() / MemoryPlan::kAlignment + 1) * MemoryPlan::kAlignment;
  memory_.reset(static_cast<char*>(
      std::aligned_alloc(MemoryPlan::kAlignment, memory_bytes_)));
  if (memory_ == nullptr) throw std::bad_alloc();
  port::TouchNewPages(memory_.get(), memory_bytes_);
  MemoryPlan plan(memory_.get());
  plan_all(&plan);
}

void ParsedIndex::PackWords(const IndexWords& words) {
  Pack(words.size(), [&](MemoryPlan* plan) {
    words.PlanSeparators(plan, &separators_);
    words.PlanHandles(plan, &handles_);
  });
}

void ParsedIndex::PackEntries(const IndexEntries& entries,
                              const SeparatorPacker& packer) {
  const bool packs_handles = PackedHandles::CanPack(entries.handles());
  Pack(entries.size(), [&](MemoryPlan* plan) {
    packer.Plan(plan, &separators_);
    handles_.Plan(entries.handles(), packs_handles, plan);
    if (!form_.first_keys) return;
    first_keys_.Plan(entries.size(), entries.first_key_bytes(), plan);
    if (!plan->has_memory()) return;
    for (size_t i = 0; i < entries.size(); ++i) {
      first_keys_.Append(entries.first_key(i));
    }
  });
}

Status ParsedIndex::Parse(const Slice& contents, const BlockPlace& place,
                          uint64_t file_limit) {
  BlockView view;
  Status status = ParseBlock(contents, place, &view);
  if (!status.ok()) return status;
  const IndexChecks checks = {.order = order_,
                              .form = form_,
                              .file_limit = file_limit,
                              .allows_equal = place.kind == BlockKind::kFilter};
  ThreadSpare<ParseMemory, ParsedIndex> memory;
  const ClearAtEnd clear{memory.get()};
  if (memory->words.Walk(view, checks)) {
    PackWords(memory->words);
    return {};
  }
  IndexEntries& entries = memory->entries;
  SeparatorPacker packer(&entries, &checks);
  const bool sound = entries.Walk(view, checks) &&
                     packer.Begin(&memory->groups) &&
                     (!form_.first_keys || !order_.known() ||
                      entries.FirstKeysAreBetween(checks));
  if (sound) {
    PackEntries(entries, packer);
  } else {
    status = FindFault(view, place, checks);
    if (status.ok()) status = UnknownFault(place);
  }
  return status;
}

void ParsedIndex::FindBatch(std::span<const Slice> user_keys, uint64_t tail,
                            uint32_t* places) const {
  separators_.FindBatch(user_keys, tail, places);
  for (size_t k = 0; k < user_keys.size(); ++k) {
    if (places[k] < size()) Prefetch(places[k]);
  }
}

}  // namespace ashlar::internal
