/* Tests iterators through the C interface. */
#include "checks.h"

void TestIterators(const char* table) {
  ashlar_reader* reader = Open(table, NULL);
  ashlar_read_options* read = ashlar_read_options_new();
  const ashlar_slice lower = Text("key000010");
  const ashlar_slice upper = Text("key000020");
  ashlar_iterator* iterator = NULL;
  char key[16];
  ashlar_read_options_set_verify_checksums(read, 1);
  ashlar_read_options_set_fill_cache(read, 0);
  ashlar_read_options_set_readahead(read, 65536);
  OK(ashlar_read_options_set_bounds(read, &lower, &upper));
  const ashlar_reader* const tables[] = {reader};
  OK(ashlar_iterator_new(tables, 1, read, NULL, &iterator));
  ashlar_read_options_free(read);
  ashlar_reader_free(reader); /* the iterator keeps the table */
  ashlar_iterator_seek_to_first(iterator);
  for (int i = 10; i < 20; i += 2) {
    CHECK(ashlar_iterator_valid(iterator));
    Key(i, key);
    CHECK(Equals(ashlar_iterator_key(iterator), key));
    CHECK(Equals(ashlar_iterator_value(iterator), "old"));
    ashlar_iterator_next(iterator);
  }
  CHECK(!ashlar_iterator_valid(iterator));
  CHECK(ashlar_iterator_key(iterator).size == 0);
  OK(ashlar_iterator_status(iterator));
  ashlar_iterator_seek_to_last(iterator);
  CHECK(Equals(ashlar_iterator_key(iterator), "key000018"));
  ashlar_iterator_prev(iterator);
  CHECK(Equals(ashlar_iterator_key(iterator), "key000016"));
  ashlar_iterator_seek(iterator, Text("key000013"));
  CHECK(Equals(ashlar_iterator_key(iterator), "key000014"));
  ashlar_iterator_seek_for_prev(iterator, Text("key000013"));
  CHECK(Equals(ashlar_iterator_key(iterator), "key000012"));
  ashlar_iterator_free(iterator);
}
