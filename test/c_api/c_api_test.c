/* Tests the C interface from C: tables that are written are read again by each
 * call that reads, errors have a code and a message, and objects outlive what
 * they were made with.
 *
 *   c_api_test <folder>
 *
 * The folder must exist. Runs under valgrind too, which finds what is not freed
 * and what is read after it was. */
#include <ashlar/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
#define CHECK(condition)                                                \
  do {                                                                  \
    if (!(condition)) {                                                 \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);   \
      ++failures;                                                       \
    }                                                                   \
  } while (0)

static char path_buffer[4][512];
static const char* folder;

static const char* Path(int which, const char* name) {
  snprintf(path_buffer[which], sizeof path_buffer[which], "%s/%s", folder,
           name);
  return path_buffer[which];
}

static ashlar_slice Text(const char* text) {
  const ashlar_slice slice = {text, strlen(text)};
  return slice;
}
static int Equals(ashlar_slice slice, const char* text) {
  return slice.size == strlen(text) &&
         (slice.size == 0 || memcmp(slice.data, text, slice.size) == 0);
}

static void Ok(ashlar_status* status, int line) {
  if (status == NULL) return;
  fprintf(stderr, "line %d: %s\n", line, ashlar_status_message(status));
  ashlar_status_free(status);
  ++failures;
}
#define OK(call) Ok((call), __LINE__)

static void Fails(ashlar_status* status, ashlar_code code, const char* words,
                  int line) {
  if (ashlar_status_code(status) != code ||
      strstr(ashlar_status_message(status), words) == NULL) {
    fprintf(stderr, "line %d: code %d: %s\n", line,
            (int)ashlar_status_code(status), ashlar_status_message(status));
    ++failures;
  }
  ashlar_status_free(status);
}
#define FAILS(call, code, words) Fails((call), (code), (words), __LINE__)

static ashlar_options* NewOptions(const char* text) {
  ashlar_options* options = ashlar_options_new();
  OK(ashlar_options_set(options, Text(text)));
  return options;
}

enum { kEntries = 2000 };

static ashlar_slice Key(int i, char* buffer) {
  snprintf(buffer, 16, "key%06d", i);
  return Text(buffer);
}

/* Keys are every second number. */
static void Write(const char* path, const char* text, const char* value) {
  ashlar_options* options = NewOptions(text);
  ashlar_writer* writer = NULL;
  char key[16];
  OK(ashlar_writer_open(options, path, &writer));
  ashlar_options_free(options);
  for (int i = 0; i < kEntries; ++i) {
    OK(ashlar_writer_put(writer, Key(2 * i, key), Text(value)));
  }
  OK(ashlar_writer_finish(writer));
  CHECK(ashlar_writer_entries(writer) == kEntries);
  CHECK(ashlar_writer_file_size(writer) > 0);
  ashlar_writer_free(writer);
}

static ashlar_reader* Open(const char* path, ashlar_cache* cache) {
  ashlar_options* options = ashlar_options_new();
  ashlar_reader* reader = NULL;
  ashlar_options_set_cache(options, cache);
  OK(ashlar_reader_open(options, path, &reader));
  ashlar_options_free(options);
  return reader;
}

/* Opens a table as if it had been ingested with this sequence number. */
static ashlar_reader* OpenAt(const char* path, const char* sequence) {
  ashlar_options* options = NewOptions(sequence);
  ashlar_reader* reader = NULL;
  OK(ashlar_reader_open(options, path, &reader));
  ashlar_options_free(options);
  return reader;
}

static void TestErrors(void) {
  ashlar_options* options = ashlar_options_new();
  ashlar_reader* reader = (ashlar_reader*)options;
  ashlar_writer* writer = NULL;
  FAILS(ashlar_reader_open(options, Path(0, "none.sst"), &reader),
        ASHLAR_IO_ERROR, "none.sst");
  CHECK(reader == NULL);
  FAILS(ashlar_options_set(options, Text("block_sise=1")),
        ASHLAR_INVALID_ARGUMENT, "block_sise: there is no such option");
  OK(ashlar_writer_open(options, Path(0, "order.sst"), &writer));
  OK(ashlar_writer_put(writer, Text("b"), Text("1")));
  FAILS(ashlar_writer_put(writer, Text("a"), Text("1")),
        ASHLAR_INVALID_ARGUMENT, "a");
  ashlar_writer_free(writer);
  CHECK(fopen(Path(0, "order.sst"), "rb") == NULL);
  CHECK(ashlar_status_code(NULL) == ASHLAR_OK);
  CHECK(strcmp(ashlar_status_message(NULL), "") == 0);
  CHECK(ashlar_version()[0] == '0');
  ashlar_options_free(options);
  ashlar_reader_free(NULL);
  ashlar_status_free(NULL);
}

static void TestOptions(const char* options_file) {
  ashlar_options* options = ashlar_options_new();
  ashlar_options* again = ashlar_options_new();
  ashlar_bytes* text = NULL;
  ashlar_bytes* ignored = NULL;
  OK(ashlar_options_load(options, options_file, "default", NULL));
  OK(ashlar_options_text(options, &text));
  const ashlar_slice slice = ashlar_bytes_slice(text);
  CHECK(slice.size > 0 && strncmp(slice.data, "comparator=", 11) == 0);
  OK(ashlar_options_set(again, slice));
  ashlar_bytes_free(text);
  OK(ashlar_options_load(options, options_file, "default", &ignored));
  CHECK(ashlar_bytes_slice(ignored).size == 0);
  ashlar_bytes_free(ignored);
  FAILS(ashlar_options_load(options, options_file, "other", &ignored),
        ASHLAR_INVALID_ARGUMENT, "'other'");
  CHECK(ignored == NULL);
  ashlar_options_free(options);
  ashlar_options_free(again);
}

static void TestGet(const char* path) {
  ashlar_cache* cache = NULL;
  OK(ashlar_cache_new_clock(1 << 20, &cache));
  ashlar_reader* reader = Open(path, cache);
  ashlar_values* pins = ashlar_values_new();
  ashlar_slice value;
  ashlar_state state;
  char key[16];
  CHECK(ashlar_reader_entries(reader) == kEntries);
  OK(ashlar_reader_verify(reader));
  OK(ashlar_reader_get(reader, NULL, Key(1001, key), pins, &value, &state));
  CHECK(state == ASHLAR_ABSENT && value.size == 0);
  OK(ashlar_reader_get(reader, NULL, Key(1000, key), pins, &value, &state));
  CHECK(state == ASHLAR_FOUND);
  CHECK(ashlar_cache_usage(cache) > 0);
  CHECK(ashlar_cache_pinned_usage(cache) > 0);
  CHECK(ashlar_cache_capacity(cache) == 1 << 20);
  /* The value outlives the reader. */
  ashlar_reader_free(reader);
  CHECK(Equals(value, "old"));
  ashlar_values_reset(pins);
  CHECK(ashlar_cache_pinned_usage(cache) == 0);
  ashlar_cache_free(cache);
  ashlar_values_free(pins);
}

/* Values keep the cache that their blocks are in: they may be the last to go, and
 * may then take values of a table with another cache, or without one. */
static void TestValuesOutliveTheCache(const char* path) {
  ashlar_values* pins = ashlar_values_new();
  for (int kind = 0; kind < 6; ++kind) {
    ashlar_cache* cache = NULL;
    if (kind % 3 == 0) OK(ashlar_cache_new_clock(1 << 20, &cache));
    if (kind % 3 == 1) OK(ashlar_cache_new_lru(1 << 20, &cache));
    ashlar_reader* reader = Open(path, cache);
    char texts[2][16];
    ashlar_slice keys[2] = {Key(1000, texts[0]), Key(1002, texts[1])};
    ashlar_slice values[2];
    ashlar_state states[2];
    if (kind < 3) {
      OK(ashlar_reader_get(reader, NULL, keys[0], pins, values, states));
    } else {
      OK(ashlar_reader_multi_get(reader, NULL, keys, 2, pins, values, states,
                                 NULL));
    }
    ashlar_cache_free(cache);
    ashlar_reader_free(reader);
    CHECK(Equals(values[0], "old"));
    CHECK(kind < 3 || Equals(values[1], "old"));
  }
  ashlar_values_free(pins);
}

static void TestMultiGet(const char* path) {
  enum { kCount = 100 };
  ashlar_reader* reader = Open(path, NULL);
  ashlar_values* pins = ashlar_values_new();
  ashlar_slice keys[kCount];
  ashlar_slice values[kCount];
  ashlar_state states[kCount];
  ashlar_code codes[kCount];
  char texts[kCount][16];
  for (int i = 0; i < kCount; ++i) keys[i] = Key(i, texts[i]);
  OK(ashlar_reader_multi_get(reader, NULL, keys, kCount, pins, values, states,
                             codes));
  for (int i = 0; i < kCount; ++i) {
    CHECK(codes[i] == ASHLAR_OK);
    CHECK(states[i] == (i % 2 == 0 ? ASHLAR_FOUND : ASHLAR_ABSENT));
    CHECK(Equals(values[i], i % 2 == 0 ? "old" : ""));
  }
  OK(ashlar_reader_multi_get(reader, NULL, keys, 0, pins, values, states,
                             NULL));
  ashlar_reader_free(reader);
  ashlar_values_free(pins);
}

/* Of two tables the first is newer. It replaces, merges and deletes. */
static void WriteNewer(const char* path) {
  ashlar_options* options = ashlar_options_new();
  ashlar_writer* writer = NULL;
  OK(ashlar_writer_open(options, path, &writer));
  OK(ashlar_writer_put(writer, Text("key000000"), Text("new")));
  OK(ashlar_writer_delete(writer, Text("key000002")));
  OK(ashlar_writer_merge(writer, Text("key000004"), Text("more")));
  OK(ashlar_writer_single_delete(writer, Text("key000006")));
  OK(ashlar_writer_finish(writer));
  ashlar_writer_free(writer);
  ashlar_options_free(options);
}

static void TestIterator(const char* path) {
  ashlar_reader* reader = Open(path, NULL);
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

/* What the test of a compaction has seen and wants. */
typedef struct Seen {
  int values;
  int outputs;
  int stop_at; /* the call of `progress` that stops it; 0: none */
  int calls;
  char path[512];
} Seen;

static ashlar_decision Filter(void* context, ashlar_slice key,
                              ashlar_slice value, ashlar_bytes* new_value) {
  Seen* const seen = context;
  ++seen->values;
  if (Equals(key, "key000100")) return ASHLAR_REMOVE;
  if (!Equals(key, "key000102")) return ASHLAR_KEEP;
  CHECK(Equals(value, "old"));
  OK(ashlar_bytes_set(new_value, Text("changed")));
  return ASHLAR_CHANGE;
}
static int Progress(void* context, uint64_t input_entries) {
  Seen* const seen = context;
  (void)input_entries;
  return ++seen->calls == seen->stop_at;
}
static void Output(void* context, const char* path, uint64_t file_size) {
  Seen* const seen = context;
  CHECK(file_size > 0);
  ++seen->outputs;
  snprintf(seen->path, sizeof seen->path, "%s", path);
}

static void CheckCompacted(const char* path) {
  static const char* const kExpected[][2] = {
      {"key000000", "new"},
      {"key000004", "old,more"},
      {"key000008", "old"},
  };
  ashlar_reader* reader = Open(path, NULL);
  const ashlar_reader* const tables[] = {reader};
  ashlar_iterator* iterator = NULL;
  CHECK(ashlar_reader_entries(reader) == kEntries - 3);
  OK(ashlar_iterator_new(tables, 1, NULL, NULL, &iterator));
  ashlar_iterator_seek_to_first(iterator);
  for (int i = 0; i < 3; ++i) {
    CHECK(Equals(ashlar_iterator_key(iterator), kExpected[i][0]));
    CHECK(Equals(ashlar_iterator_value(iterator), kExpected[i][1]));
    ashlar_iterator_next(iterator);
  }
  ashlar_iterator_seek(iterator, Text("key000099"));
  CHECK(Equals(ashlar_iterator_key(iterator), "key000102"));
  CHECK(Equals(ashlar_iterator_value(iterator), "changed"));
  ashlar_iterator_free(iterator);
  ashlar_reader_free(reader);
}

static void TestCompaction(const char* newer, const char* older) {
  ashlar_options* options = NewOptions("compression=kNoCompression");
  ashlar_reader* first = OpenAt(newer, "largest_seqno=2");
  ashlar_reader* second = OpenAt(older, "largest_seqno=1");
  const ashlar_reader* const tables[] = {first, second};
  Seen seen = {0};
  ashlar_compaction compaction = {.struct_size = sizeof compaction,
                                  .context = &seen,
                                  .filter = Filter,
                                  .progress = Progress,
                                  .output = Output,
                                  .merge_operator = "stringappend",
                                  .bottommost = 1};
  OK(ashlar_compact(options, &compaction, tables, 2, Path(3, "compacted")));
  CHECK(seen.outputs == 1);
  CHECK(seen.calls > 1);
  CHECK(seen.values >= kEntries - 3);
  CheckCompacted(seen.path);
  compaction.target_file_size = 8192;
  seen.outputs = 0;
  OK(ashlar_compact(options, &compaction, tables, 2, Path(3, "cut")));
  CHECK(seen.outputs > 1);
  memset(&seen, 0, sizeof seen);
  seen.stop_at = 2;
  FAILS(ashlar_compact(options, &compaction, tables, 2, Path(3, "stopped")),
        ASHLAR_INCOMPLETE, "");
  CHECK(seen.outputs == 0);
  CHECK(fopen(Path(3, "stopped-000001.sst"), "rb") == NULL);
  compaction.merge_operator = "none";
  FAILS(ashlar_compact(options, &compaction, tables, 2, Path(3, "x")),
        ASHLAR_NOT_SUPPORTED, "'none' is not built in");
  compaction.struct_size = 8;
  FAILS(ashlar_compact(options, &compaction, tables, 2, Path(3, "x")),
        ASHLAR_INVALID_ARGUMENT, "struct_size");
  ashlar_reader_free(first);
  ashlar_reader_free(second);
  ashlar_options_free(options);
}

/* A user of both tables sees what the newer one says. */
static void TestTwoTables(const char* newer, const char* older) {
  ashlar_reader* first = OpenAt(newer, "largest_seqno=2");
  ashlar_reader* second = OpenAt(older, "largest_seqno=1");
  const ashlar_reader* const tables[] = {first, second};
  ashlar_iterator* iterator = NULL;
  FAILS(ashlar_iterator_new(tables, 2, NULL, "none", &iterator),
        ASHLAR_NOT_SUPPORTED, "'none' is not built in");
  OK(ashlar_iterator_new(tables, 2, NULL, "stringappend", &iterator));
  ashlar_iterator_seek_to_first(iterator);
  CHECK(Equals(ashlar_iterator_value(iterator), "new"));
  ashlar_iterator_next(iterator);
  CHECK(Equals(ashlar_iterator_key(iterator), "key000004"));
  CHECK(Equals(ashlar_iterator_value(iterator), "old,more"));
  ashlar_iterator_free(iterator);
  ashlar_reader_free(first);
  ashlar_reader_free(second);
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: c_api_test <folder> <OPTIONS file>\n");
    return 2;
  }
  folder = argv[1];
  const char* const older = Path(1, "older.sst");
  const char* const newer = Path(2, "newer.sst");
  TestErrors();
  TestOptions(argv[2]);
  Write(older, "block_size=512;filter_policy=bloomfilter:10:false", "old");
  TestGet(older);
  TestValuesOutliveTheCache(older);
  TestMultiGet(older);
  TestIterator(older);
  WriteNewer(newer);
  TestTwoTables(newer, older);
  TestCompaction(newer, older);
  if (failures == 0) puts("c_api_test: ok");
  return failures == 0 ? 0 : 1;
}
