// TableFacts: what metaindex and properties say of a table, as far as the other
// passes of an inspection use it.
//
// FindTableFacts is the first half of the meta pass. It needs nothing but the
// footer. The second half (meta_pass.h) uses the index too. Facts do not
// change afterwards, so any number of threads may read them. What is damaged is
// left at its default, and the passes do without it.
#ifndef ASHLAR_TABLE_INSPECT_TABLE_FACTS_H_
#define ASHLAR_TABLE_INSPECT_TABLE_FACTS_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ashlar/table/filter_policy.h"
#include "ashlar/util/comparator.h"
#include "table/format/key_form.h"
#include "table/format/key_order.h"
#include "table/index/index_block.h"
#include "table/inspect/findings.h"
#include "table/inspect/found_table.h"
#include "table/inspect/inspected_file.h"
#include "table/meta/plain_block.h"

namespace ashlar::internal {

struct TableFacts {
  bool metaindex_sound = false;
  // If so, a reader uses that one, whatever it holds, and no other filter.
  bool names_full_filter = false;
  // The name of the filter that is asked, and the policy of the application
  // that reads it; null: it is of a built-in kind.
  std::string_view filter_name = kBuiltinFilterName;
  std::shared_ptr<const FilterPolicy> filter_policy;

  // How the index is coded, and how many levels it has. The index pass guesses
  // what is not known.
  IndexForm index_form;
  bool index_form_known = false;
  bool index_levels_known = false;
  bool index_is_two_level = false;

  // Present if order can be checked: the order of keys as they are stored, and
  // of whole keys.
  std::optional<KeyOrder> order;
  std::optional<KeyOrder> whole_order;
  // The order by which data blocks are walked, which may be unknown.
  KeyOrder walk_order = KeyOrder::Unknown(BytewiseComparator());
  KeyForm key_form;
  // Whether the table may have embedded blobs.
  bool has_blobs = false;

  // Size in bytes of the timestamps of stored keys; 0 if that is unknown.
  size_t timestamp_size() const {
    return order.has_value() ? order->timestamp_size() : 0;
  }
  // Returns the internal key that a reader shows in place of a stored one,
  // except for timestamps that are not stored. *whole is kept for its memory.
  Slice AsRead(const Slice& stored, std::string* whole) const {
    if (!key_form.sequence.has_value()) return stored;
    KeyForm{key_form.sequence}.Restore(stored, whole);
    return *whole;
  }
};

// Reads the footer, through this window. Returns IOError, MemoryLimit, or the
// fault that the footer has, which is reported.
Status InspectFooter(const RandomAccessFile& file, FileWindow* window,
                     Findings* findings, Footer* footer);

// Inspects metaindex and properties, and sets in *facts what they say, and in
// *file how blocks are compressed. If the metaindex is damaged and the options
// say so, looks for blocks, unless *found has them already. Returns Aborted if
// on_progress ended it. Requires: `reads` reads that file.
Status FindTableFacts(InspectedFile* file, PassReads* reads, Findings* findings,
                      std::optional<FoundTable>* found, TableFacts* facts);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_TABLE_FACTS_H_
