#include "table/index/registry.h"

#include <array>

#include "table/index/binary_search_index.h"
#include "table/index/hash_search_index.h"
#include "table/index/two_level_index.h"

namespace ashlar::internal {

namespace {

// clang-format off
constexpr std::array<IndexTypeRow, 4> kRows = {{
    {IndexType::kBinarySearch, false,
     BinarySearchIndexBuilder::New, BinarySearchIndexReader::Open},
    // The prefixes only shorten the search: readers leave them alone.
    {IndexType::kHashSearch, false,
     HashSearchIndexBuilder::New, BinarySearchIndexReader::Open},
    {IndexType::kTwoLevelIndexSearch, false,
     TwoLevelIndexBuilder::New, TwoLevelIndexReader::Open},
    {IndexType::kBinarySearchWithFirstKey, true,
     BinarySearchIndexBuilder::New, BinarySearchIndexReader::Open},
}};
// clang-format on

consteval bool RowsAreInOrder() {
  for (size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<size_t>(kRows[i].type) != i) return false;
  }
  return true;
}
static_assert(RowsAreInOrder());

}  // namespace

const IndexTypeRow* FindIndexType(uint32_t number) {
  return number < kRows.size() ? &kRows[number] : nullptr;
}

std::unique_ptr<IndexBuilder> NewIndexBuilder(const TableOptions& options) {
  const IndexTypeRow& row = kRows[static_cast<size_t>(options.index_type)];
  return row.new_builder(options, row.has_first_keys);
}

}  // namespace ashlar::internal
