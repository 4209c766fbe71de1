#include "table/index/binary_search_index.h"

#include "table/index/index_encoder.h"

namespace ashlar::internal {

Status BinarySearchIndexBuilder::Write(IndexSink* sink, WrittenIndex* written) {
  IndexEncoder encoder(form(), options().index_block_restart_interval,
                       BlockAlignment(options()));
  for (size_t i = 0; i < num_finished(); ++i) {
    encoder.Add(separator(i, form().user_keys), handle(i), first_key(i));
  }
  bool uniform;
  const Slice block = encoder.Finish(options().uniform_cv_threshold, &uniform);
  written->raw_bytes = block.size();
  written->uniform_blocks = uniform ? 1 : 0;
  return sink->Store(BlockKind::kIndex, block, &written->root);
}

Status BinarySearchIndexReader::Open(const IndexSource& source,
                                     const BlockPlace& root,
                                     const LoadIndexBlock& load_root,
                                     std::unique_ptr<IndexReader>* index) {
  std::unique_ptr<BinarySearchIndexReader> opened(
      new BinarySearchIndexReader(source));
  Status status = opened->TakeRoot(root, source.form, load_root);
  if (status.ok()) *index = std::move(opened);
  return status;
}

}  // namespace ashlar::internal
