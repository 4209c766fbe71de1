#include "table/index/index.h"

#include <utility>

#include "util/mem/thread_spare.h"

namespace ashlar::internal {

namespace {

Status LoadAndParse(const LoadIndexBlock& load, const BlockPlace& place,
                    uint64_t file_limit, ParsedIndex* parsed) {
  // Touching this memory for the first time takes longer than decompressing.
  ThreadSpare<Buffer, ParsedIndex> owned;
  Slice contents;
  Status status = load(place, owned.get(), &contents);
  if (status.ok()) status = parsed->Parse(contents, place, file_limit);
  // The thread must not keep the memory of one huge index for ever.
  constexpr size_t kMostKept = size_t{1} << 20;
  if (owned->capacity() > kMostKept) *owned.get() = Buffer();
  return status;
}

}  // namespace

Status IndexReader::TakeRoot(const BlockPlace& place, const IndexForm& form,
                             const LoadIndexBlock& load) {
  root_place_ = place;
  if (source_.store != nullptr) {
    return is_partitioned_ || source_.pin_root
               ? HoldRootOfForm(form, load, &root_)
               : Status();
  }
  auto parsed = std::make_unique<ParsedIndex>(source_.order, form);
  Status status = LoadAndParse(load, place, source_.file_limit, parsed.get());
  if (!status.ok()) return status;
  kept_root_ = std::move(parsed);
  root_ = IndexHold(kept_root_.get());
  return {};
}

Status IndexReader::HoldRoot(IndexHold* root) const {
  return HoldRootOfForm(source_.form, source_.load, root);
}

Status IndexReader::HoldRootOfForm(const IndexForm& form,
                                   const LoadIndexBlock& load,
                                   IndexHold* root) const {
  const Cache::SlotHint expected = root_slot_.Load();
  Cache::SlotHint slot = expected;
  *root = source_.store->Find(root_place_, source_.order, form, &slot);
  // Threads must not write what other threads read all the time.
  if (slot != expected) root_slot_.Store(slot);
  if (*root) [[likely]]
    return {};
  return source_.store->Load(
      root_place_, source_.order, form,
      [&](ParsedIndex* parsed) {
        return LoadAndParse(load, root_place_, source_.file_limit, parsed);
      },
      root);
}

Status IndexReader::LoadBlock(const BlockPlace& place,
                              ParsedIndex* parsed) const {
  return LoadAndParse(source_.load, place, source_.file_limit, parsed);
}

}  // namespace ashlar::internal
