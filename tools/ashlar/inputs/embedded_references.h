// The references of an entry to values that its table stores itself.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_EMBEDDED_REFERENCES_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_EMBEDDED_REFERENCES_H_

#include <functional>

#include "ashlar/table/entry/blob_index.h"
#include "ashlar/util/slice.h"

namespace ashlar::tool {

// Calls `visit` for each reference to an embedded blob of an entry as it is
// stored: the entry itself, or columns of an entity. Leaves out what cannot be
// decoded.
void ForEachEmbeddedReference(
    const Slice& internal_key, const Slice& value,
    const std::function<void(const BlobIndex&)>& visit);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_EMBEDDED_REFERENCES_H_
