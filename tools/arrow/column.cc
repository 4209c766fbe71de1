#include "tools/arrow/column.h"

#include <algorithm>
#include <string>

namespace ashlar::arrow {
namespace {

constexpr int64_t kMostRows = int64_t{1} << 48;
constexpr int64_t kInlineViewBytes = 12;

// The 16 bytes of a view. Short bytes follow the size; long ones are in a
// buffer.
struct View {
  int32_t size;
  int32_t prefix;
  int32_t buffer;
  int32_t offset;
};

Status Damaged(const std::string& what) { return Status::Corruption(what); }

// Returns how many buffers an array of the layout has; views have more.
int64_t BufferCount(Layout layout) {
  switch (layout) {
    case Layout::kNothing:
      return 0;
    case Layout::kFixedList:
    case Layout::kStruct:
      return 1;
    case Layout::kBits:
    case Layout::kFixed:
    case Layout::kList:
    case Layout::kLongList:
      return 2;
    case Layout::kOffsets:
    case Layout::kLongOffsets:
    case Layout::kViews:
    case Layout::kListView:
    case Layout::kLongListView:
      return 3;
  }
  return 0;
}

bool HasOffsets(Layout layout) {
  return layout == Layout::kOffsets || layout == Layout::kLongOffsets ||
         layout == Layout::kList || layout == Layout::kLongList;
}

bool HasLongNumbers(Layout layout) {
  return layout == Layout::kLongOffsets || layout == Layout::kLongList ||
         layout == Layout::kLongListView;
}

bool IsList(Layout layout) {
  return layout == Layout::kList || layout == Layout::kLongList;
}

bool IsListView(Layout layout) {
  return layout == Layout::kListView || layout == Layout::kLongListView;
}

}  // namespace

Status Column::Bind(const ArrowType& type, const ArrowArray& array,
                    int64_t first, int64_t length) {
  type_ = &type;
  first_ = first;
  length_ = length;
  Status status = CheckCounts(array, first);
  if (!status.ok()) return status;
  // Checks the whole array, also what the rows leave out: producers have bytes
  // up to its last offset, so that any other offset may be too large.
  length_ = array.length;
  start_ = array.offset;
  status = CheckBuffers(array);
  if (status.ok() && type.layout == Layout::kViews) status = CheckViews(array);
  if (status.ok()) status = BindFields(array);
  if (status.ok()) status = BindDictionary(array);
  length_ = length;
  start_ = array.offset + first;
  return status;
}

Status Column::CheckCounts(const ArrowArray& array, int64_t first) const {
  const auto fields = static_cast<int64_t>(type_->children.size());
  if (array.length < 0 || array.offset < 0 || array.length > kMostRows ||
      array.offset > kMostRows) {
    return Damaged("an array of " + std::to_string(array.length) +
                   " values after " + std::to_string(array.offset));
  }
  if (first > array.length || length_ > array.length - first) {
    // The sum of two hostile numbers must not overflow.
    return Damaged("an array of " + std::to_string(array.length) +
                   " values; expected " + std::to_string(length_) + " after " +
                   std::to_string(first));
  }
  const int64_t buffers = BufferCount(type_->layout);
  const bool has_all = type_->layout == Layout::kViews
                           ? array.n_buffers >= buffers
                           : array.n_buffers == buffers;
  if (!has_all || (buffers > 0 && array.buffers == nullptr)) {
    return Damaged("an array with " + std::to_string(array.n_buffers) +
                   " buffers; expected " + std::to_string(buffers));
  }
  if (array.n_children != fields || (fields > 0 && array.children == nullptr)) {
    return Damaged("an array with " + std::to_string(array.n_children) +
                   " fields; expected " + std::to_string(fields));
  }
  if ((array.dictionary != nullptr) == type_->dictionary.empty()) {
    return Damaged("a dictionary is missing, or one too many");
  }
  return {};
}

// Finds the buffers. Those that have no bytes may be null.
Status Column::CheckBuffers(const ArrowArray& array) {
  validity_ = values_ = data_ = nullptr;
  if (array.n_buffers == 0) return {};
  const auto buffer = [&](int64_t i) {
    return static_cast<const uint8_t*>(array.buffers[i]);
  };
  validity_ = buffer(0);
  if (validity_ == nullptr && array.null_count > 0) {
    return Damaged("an array with " + std::to_string(array.null_count) +
                   " nulls and no buffer that marks them");
  }
  if (array.n_buffers < 2) return {};
  values_ = buffer(1);
  // The sum is in range (kMostRows). A product that is not in range is larger
  // than any buffer.
  if (type_->layout == Layout::kFixed && type_->width != 0 &&
      start_ + length_ > INT64_MAX / type_->width) {
    return Damaged("an array of " + std::to_string(length_) + " values after " +
                   std::to_string(start_) + ", of " +
                   std::to_string(type_->width) + " bytes each");
  }
  const bool is_empty =
      length_ == 0 || (type_->layout == Layout::kFixed && type_->width == 0);
  if (values_ == nullptr && !is_empty) {
    return Damaged("an array without values");
  }
  if (type_->layout != Layout::kViews && array.n_buffers > 2) data_ = buffer(2);
  if (!HasOffsets(type_->layout) || IsList(type_->layout)) return {};
  int64_t begin = 0;
  int64_t end = 0;
  Status status = CheckOffsets(&begin, &end);
  if (status.ok() && data_ == nullptr && end > begin) {
    return Damaged("an array of bytes without its bytes");
  }
  return status;
}

int64_t Column::Offset(int64_t at) const {
  return HasLongNumbers(type_->layout) ? Load<int64_t>(values_, start_ + at)
                                       : Load<int32_t>(values_, start_ + at);
}

// Sets *begin and *end to the first and the last offset. No offset may be below
// the one before it.
Status Column::CheckOffsets(int64_t* begin, int64_t* end) const {
  *begin = *end = 0;
  if (length_ == 0) return {};
  *begin = Offset(0);
  int64_t last = *begin;
  bool rises = last >= 0;
  for (int64_t row = 1; row <= length_; ++row) {
    const int64_t next = Offset(row);
    rises = rises && next >= last;
    last = next;
  }
  *end = last;
  return rises ? Status() : Damaged("offsets that do not rise");
}

Status Column::CheckViews(const ArrowArray& array) const {
  // Between the first two buffers and the last one, which has the sizes of
  // those between.
  const int64_t count = array.n_buffers - 3;
  const auto* const sizes =
      static_cast<const uint8_t*>(array.buffers[array.n_buffers - 1]);
  if (count > 0 && sizes == nullptr) {
    return Damaged("views without the sizes of their buffers");
  }
  for (int64_t row = 0; row < length_; ++row) {
    if (IsNull(row)) continue;
    const View view = Load<View>(values_, start_ + row);
    if (view.size >= 0 && view.size <= kInlineViewBytes) continue;
    const bool good =
        view.size >= 0 && view.buffer >= 0 && view.buffer < count &&
        view.offset >= 0 && array.buffers[2 + view.buffer] != nullptr &&
        int64_t{view.offset} + view.size <= Load<int64_t>(sizes, view.buffer);
    if (!good) {
      return Damaged("row " + std::to_string(row + 1) +
                     " of a batch views bytes that are not there");
    }
  }
  return {};
}

Status Column::CheckListViews(int64_t child_length) const {
  if (length_ > 0 && data_ == nullptr) {
    return Damaged("a list view without sizes");
  }
  for (int64_t row = 0; row < length_; ++row) {
    if (IsNull(row)) continue;
    const CellRange range = List(row);
    if (range.begin < 0 || range.begin > child_length ||
        range.end < range.begin || range.end > child_length) {
      return Damaged("a list view outside of its values");
    }
  }
  return {};
}

Status Column::BindFields(const ArrowArray& array) {
  view_data_ = array.n_buffers > 2 ? array.buffers + 2 : nullptr;
  fields_.resize(type_->children.size());
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (array.children[i] == nullptr) return Damaged("a field is missing");
    const ArrowArray& child = *array.children[i];
    int64_t begin = 0;
    int64_t length = child.length;
    if (type_->layout == Layout::kStruct) {
      begin = start_;
      length = length_;
    }
    Status status = fields_[i].Bind(type_->children[i], child, begin, length);
    if (!status.ok()) return status;
  }
  if (!type_->IsNested() || type_->layout == Layout::kStruct) return {};
  const int64_t child_length = fields_[0].length();
  if (IsListView(type_->layout)) return CheckListViews(child_length);
  int64_t begin = 0;
  int64_t end = 0;
  if (IsList(type_->layout)) {
    Status status = CheckOffsets(&begin, &end);
    if (!status.ok()) return status;
  } else {
    // Both factors are small enough: kMostRows, and the width of a type.
    end = type_->width == 0 || length_ == 0 ? 0
          : (start_ + length_) > child_length / type_->width
              ? child_length + 1
              : (start_ + length_) * type_->width;
  }
  return end <= child_length ? Status()
                             : Damaged("lists that end after their values");
}

// Every index must be one of the dictionary.
Status Column::BindDictionary(const ArrowArray& array) {
  dictionary_.resize(type_->dictionary.size());
  if (dictionary_.empty()) return {};
  Status status = dictionary_[0].Bind(type_->dictionary[0], *array.dictionary,
                                      0, array.dictionary->length);
  if (!status.ok()) return status;
  const auto count = static_cast<uint64_t>(dictionary_[0].length());
  const bool is_signed = type_->meaning == Meaning::kInteger;
  for (int64_t row = 0; row < length_; ++row) {
    if (IsNull(row)) continue;
    const uint64_t index =
        is_signed ? static_cast<uint64_t>(Integer(row)) : Unsigned(row);
    if (index >= count) {
      return Damaged("row " + std::to_string(row + 1) +
                     " of a batch has an index that its dictionary lacks");
    }
  }
  return {};
}

Cell Column::At(int64_t row) const {
  if (IsNull(row)) return {};
  if (dictionary_.empty()) return {this, row};
  return dictionary_[0].At(type_->meaning == Meaning::kInteger
                               ? Integer(row)
                               : static_cast<int64_t>(Unsigned(row)));
}

int64_t Column::Integer(int64_t row) const {
  switch (type_->width) {
    case 1:
      return Load<int8_t>(values_, start_ + row);
    case 2:
      return Load<int16_t>(values_, start_ + row);
    case 4:
      return Load<int32_t>(values_, start_ + row);
    default:
      return Load<int64_t>(values_, start_ + row);
  }
}

uint64_t Column::Unsigned(int64_t row) const {
  switch (type_->width) {
    case 1:
      return Load<uint8_t>(values_, start_ + row);
    case 2:
      return Load<uint16_t>(values_, start_ + row);
    case 4:
      return Load<uint32_t>(values_, start_ + row);
    default:
      return Load<uint64_t>(values_, start_ + row);
  }
}

Slice Column::Bytes(int64_t row) const {
  const uint8_t* base = values_;
  int64_t begin = 0;
  int64_t size = 0;
  if (type_->layout == Layout::kFixed) {
    begin = (start_ + row) * type_->width;
    size = type_->width;
  } else if (type_->layout != Layout::kViews) {
    base = data_;
    begin = Offset(row);
    size = Offset(row + 1) - begin;
  } else {
    const View view = Load<View>(values_, start_ + row);
    size = view.size;
    if (size <= kInlineViewBytes) {
      begin = (start_ + row) * int64_t{sizeof view} + int64_t{sizeof view.size};
    } else {
      base = static_cast<const uint8_t*>(view_data_[view.buffer]);
      begin = view.offset;
    }
  }
  // Without bytes there may be no buffer.
  if (size == 0) return {};
  return {reinterpret_cast<const char*>(base + begin),
          static_cast<size_t>(size)};
}

CellRange Column::List(int64_t row) const {
  const Column* const child = &fields_[0];
  if (type_->layout == Layout::kFixedList) {
    const int64_t begin = (start_ + row) * type_->width;
    return {child, begin, begin + type_->width};
  }
  const int64_t begin = Offset(row);
  if (IsList(type_->layout)) return {child, begin, Offset(row + 1)};
  const int64_t size = HasLongNumbers(type_->layout)
                           ? Load<int64_t>(data_, start_ + row)
                           : Load<int32_t>(data_, start_ + row);
  // Checked by CheckListViews, so the sum of two hostile numbers must not
  // overflow.
  if (size < 0 || begin > INT64_MAX - size) return {child, begin, -1};
  return {child, begin, begin + size};
}

}  // namespace ashlar::arrow
