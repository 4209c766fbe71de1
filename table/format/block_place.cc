#include "table/format/block_place.h"

namespace ashlar {

std::string_view BlockKindName(BlockKind kind) {
  switch (kind) {
    case BlockKind::kData:
      return "data";
    case BlockKind::kIndex:
      return "index";
    case BlockKind::kIndexPartition:
      return "index-partition";
    case BlockKind::kFilter:
      return "filter";
    case BlockKind::kFilterPartition:
      return "filter-partition";
    case BlockKind::kDictionary:
      return "dictionary";
    case BlockKind::kRangeDeletion:
      return "range-del";
    case BlockKind::kProperties:
      return "properties";
    case BlockKind::kMetaIndex:
      return "meta-index";
    case BlockKind::kFooter:
      return "footer";
    case BlockKind::kBlob:
      return "blob";
    case BlockKind::kOther:
      return "other";
  }
  return "unknown";
}

std::string_view TableMagicName(TableMagic magic) {
  switch (magic) {
    case TableMagic::kBlockBased:
      return "block-based table";
    case TableMagic::kLegacyBlockBased:
      return "legacy LevelDB table";
    case TableMagic::kPlain:
      return "plain table";
    case TableMagic::kCuckoo:
      return "cuckoo table";
    case TableMagic::kPebble:
      return "Pebble table";
    case TableMagic::kUnknown:
      return "unknown";
  }
  return "unknown";
}

}  // namespace ashlar

namespace ashlar::internal {

std::string BlockPlace::Describe() const {
  std::string text(BlockKindName(kind));
  text.append(" block");
  if (index.has_value()) text.append(" #").append(std::to_string(*index));
  text.append(" offset ").append(std::to_string(handle.offset));
  text.append(" size ").append(std::to_string(handle.size));
  return text;
}

std::string BlockPlace::Locate(std::string_view what,
                               std::string_view detail) const {
  std::string text(what);
  text.append(" in ").append(Describe()).append(": ").append(detail);
  return text;
}

Status BlockPlace::Corruption(std::string_view what, std::string_view detail,
                              Status::SubCode subcode) const {
  return Status::Corruption(Locate(what, detail), subcode);
}

Status BlockPlace::NotSupported(std::string_view what,
                                std::string_view detail) const {
  return Status::NotSupported(Locate(what, detail));
}

Status BlockPlace::NoMemory() const {
  return Status::MemoryLimit("no memory for " + Describe());
}

Status BlockPlace::Wrap(std::string_view what, const Status& cause) const {
  if (cause.ok()) return {};
  std::string prefix(what);
  prefix.append(" in ").append(Describe());
  return cause.WithPrefix(prefix);
}

}  // namespace ashlar::internal
