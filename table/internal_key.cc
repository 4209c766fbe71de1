#include "ashlar/table/internal_key.h"

#include <cstdio>

namespace ashlar {

std::string_view ValueTypeName(ValueType type) {
  switch (type) {
    case ValueType::kTypeDeletion:
      return "deletion";
    case ValueType::kTypeValue:
      return "value";
    case ValueType::kTypeMerge:
      return "merge";
    case ValueType::kTypeSingleDeletion:
      return "single deletion";
    case ValueType::kTypeRangeDeletion:
      return "range deletion";
    case ValueType::kTypeBlobIndex:
      return "blob index";
    case ValueType::kTypeSetWithDelete:
      return "set with delete";
    case ValueType::kTypeDeletionWithTimestamp:
      return "deletion with timestamp";
    case ValueType::kTypeWideColumnEntity:
      return "wide-column entity";
    case ValueType::kTypeValuePreferredSeqno:
      return "value with preferred sequence number";
  }
  return "unknown";
}

std::string DescribeInternalKey(const Slice& internal_key) {
  // Enough to recognise a key by. Messages with huge keys stay readable.
  constexpr size_t kMostBytes = 64;
  if (internal_key.size() < kInternalKeyTailBytes) {
    return "(" + std::to_string(internal_key.size()) + " bytes, no tail)";
  }
  const Slice user_key = UserKeyOf(internal_key);
  std::string text = "'";
  for (size_t i = 0; i < user_key.size() && i < kMostBytes; ++i) {
    const auto byte = static_cast<unsigned char>(user_key[i]);
    if (byte >= 0x20 && byte < 0x7f && byte != '\\' && byte != '\'') {
      text.push_back(user_key[i]);
      continue;
    }
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\x%02X", byte);
    text.append(escaped);
  }
  text.append("'");
  if (user_key.size() > kMostBytes) {
    text.append("... (").append(std::to_string(user_key.size()));
    text.append(" bytes)");
  }
  text.append(" seq:").append(std::to_string(SequenceOf(internal_key)));
  text.append(", type:");
  text.append(std::to_string(static_cast<int>(TypeOf(internal_key))));
  return text;
}

}  // namespace ashlar
