#include "table/index/index_block.h"

#include "table/block/entry.h"

namespace ashlar::internal {

namespace {

bool DecodeFirstKey(const IndexForm& form, Decoder* decoder,
                    IndexEntry* entry) {
  if (!form.first_keys) return true;
  uint32_t size;
  return decoder->Varint32(&size) && decoder->Bytes(size, &entry->first_key);
}

const char* DecodeDeltaEntry(const char* p, const char* limit,
                             const IndexForm& form, IndexEntry* entry) {
  const BlockHandle previous = entry->handle;
  Decoder decoder(Slice(p, static_cast<size_t>(limit - p)));
  uint32_t non_shared;
  if (!decoder.Varint32(&entry->shared) || !decoder.Varint32(&non_shared) ||
      !decoder.Bytes(non_shared, &entry->suffix)) {
    return nullptr;
  }
  if (entry->shared == 0) {
    if (!entry->handle.DecodeFrom(&decoder)) return nullptr;
  } else {
    uint64_t difference;
    if (!decoder.Varint64(&difference)) return nullptr;
    // A sum that wraps around makes a handle that fits in no file.
    entry->handle.offset = previous.End();
    entry->handle.size =
        previous.size + static_cast<uint64_t>(ZigzagDecode(difference));
  }
  if (!DecodeFirstKey(form, &decoder, entry)) return nullptr;
  return decoder.rest().data();
}

// Bytes that other writers may put after handle and first key are skipped.
const char* DecodeFullEntry(const char* p, const char* limit,
                            const IndexForm& form, IndexEntry* entry) {
  EntryHeader header;
  const char* const bytes = DecodeEntryHeader(p, limit, &header);
  if (bytes == nullptr) return nullptr;
  entry->shared = header.shared;
  entry->suffix = Slice(bytes, header.non_shared);
  Decoder value(Slice(bytes + header.non_shared, header.value_size));
  if (!entry->handle.DecodeFrom(&value) ||
      !DecodeFirstKey(form, &value, entry)) {
    return nullptr;
  }
  return bytes + header.non_shared + header.value_size;
}

}  // namespace

const char* DecodeIndexEntry(const char* p, const char* limit,
                             const IndexForm& form, IndexEntry* entry) {
  return form.delta_handles ? DecodeDeltaEntry(p, limit, form, entry)
                            : DecodeFullEntry(p, limit, form, entry);
}

}  // namespace ashlar::internal
