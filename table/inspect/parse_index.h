// IndexParser: parses index blocks in a given form, or, for files without
// properties that say one, in a form that fits.
//
// A plain value. Thread-safe to use.
#ifndef ASHLAR_TABLE_INSPECT_PARSE_INDEX_H_
#define ASHLAR_TABLE_INSPECT_PARSE_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "table/block/block.h"
#include "table/format/footer.h"
#include "table/index/index_block.h"
#include "table/inspect/index_items.h"
#include "table/inspect/inspected_file.h"
#include "table/inspect/restart_points.h"

namespace ashlar::internal {

class IndexParser {
 public:
  // timestamp_size: of the keys of the table. Requires: the footer outlives
  // this.
  IndexParser(const Footer& footer, size_t timestamp_size)
      : footer_(footer), timestamp_size_(timestamp_size) {}

  // Adds the entries of the block to *items, up to the first fault.
  Status Parse(const IndexForm& form, const BlockView& view,
               const BlockPlace& place, IndexItems* items,
               RestartPoints* restarts) const;
  // The same, and judges the restart points of a block without another fault.
  Status ParseAndJudge(const IndexForm& form, const BlockView& view,
                       const BlockPlace& place, IndexItems* items) const;
  // Parses the block in the first form that fits, and sets *form to that. If
  // `accepts` is not empty, a form fits only if it accepts the entries.
  using Accepts = std::function<bool(const IndexItems& items)>;
  Status Guess(const BlockView& view, const BlockPlace& place, IndexForm* form,
               IndexItems* items, const Accepts& accepts = {}) const;
  // Parses the index block of a filter's partitions, which has the form of the
  // index. That is a guess if it is not known.
  Status ParseFilterIndex(IndexForm form, bool form_known,
                          const BlockView& view, const BlockPlace& place,
                          IndexItems* items) const;

 private:
  const Footer& footer_;
  const size_t timestamp_size_;
};

// Sets *two_levels to whether the index, which has this form and these entries
// in its top block, is partitioned; to nothing if the blocks that it names
// leave that open. Returns false to give up.
bool GuessTwoLevels(const IndexParser& parser, const IndexForm& form,
                    const IndexItems& top, PassReads* reads,
                    std::optional<bool>* two_levels);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_PARSE_INDEX_H_
