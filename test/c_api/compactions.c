/* Tests compactions through the C interface, and users of several tables. */
#include "checks.h"

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
  ashlar_reader* first = OpenWith(newer, "largest_seqno=2");
  ashlar_reader* second = OpenWith(older, "largest_seqno=1");
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
  /* Files that are there stay, also if one of several outputs is complete. */
  memset(&seen, 0, sizeof seen);
  FAILS(ashlar_compact(options, &compaction, tables, 2, Path(3, "cut")),
        ASHLAR_INVALID_ARGUMENT, "cut-000001.sst");
  CHECK(seen.outputs == 0);
  compaction.target_file_size = 0;
  FAILS(ashlar_compact(options, &compaction, tables, 2, Path(3, "compacted")),
        ASHLAR_INVALID_ARGUMENT, "compacted-000001.sst");
  CheckCompacted(Path(3, "compacted-000001.sst"));
  compaction.merge_operator = "none";
  FAILS(ashlar_compact(options, &compaction, tables, 2, Path(3, "x")),
        ASHLAR_NOT_SUPPORTED, "'none' is not built in");
  ashlar_reader_free(first);
  ashlar_reader_free(second);
  ashlar_options_free(options);
}

/* Outputs are there, also if nobody asks for them. */
static int HasEntries(const char* name) {
  ashlar_reader* reader = Open(Path(3, name), NULL);
  const int has = reader != NULL && ashlar_reader_entries(reader) == kEntries;
  ashlar_reader_free(reader);
  return has;
}

/* A caller of a later version has a larger struct. */
static void TestSizesOfTheStruct(const char* table) {
  struct {
    ashlar_compaction known;
    void* later;
  } larger = {.known = {.struct_size = sizeof larger}};
  ashlar_options* options = ashlar_options_new();
  ashlar_reader* reader = Open(table, NULL);
  const ashlar_reader* const tables[] = {reader};
  OK(ashlar_compact(options, &larger.known, tables, 1, Path(3, "larger")));
  CHECK(HasEntries("larger-000001.sst"));
  larger.later = options;
  FAILS(ashlar_compact(options, &larger.known, tables, 1, Path(3, "x")),
        ASHLAR_NOT_SUPPORTED, "does not know");
  larger.known.struct_size = sizeof larger.known;
  OK(ashlar_compact(options, &larger.known, tables, 1, Path(3, "same")));
  CHECK(HasEntries("same-000001.sst"));
  larger.known.struct_size = 8;
  FAILS(ashlar_compact(options, &larger.known, tables, 1, Path(3, "x")),
        ASHLAR_INVALID_ARGUMENT, "struct_size is 8");
  larger.known.struct_size = SIZE_MAX;
  FAILS(ashlar_compact(options, &larger.known, tables, 1, Path(3, "x")),
        ASHLAR_INVALID_ARGUMENT, "struct_size");
  ashlar_reader_free(reader);
  ashlar_options_free(options);
}

/* A user of both tables sees what the newer one says. */
static void TestTwoTables(const char* newer, const char* older) {
  ashlar_reader* first = OpenWith(newer, "largest_seqno=2");
  ashlar_reader* second = OpenWith(older, "largest_seqno=1");
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

void TestCompactions(const char* older) {
  const char* const newer = Path(2, "newer.sst");
  WriteNewer(newer);
  TestTwoTables(newer, older);
  TestCompaction(newer, older);
  TestSizesOfTheStruct(older);
}
