/* Writes a table with options from text, and reads it: by several keys at once
 * and in order. Then it compacts it with a newer one.
 *
 *   tables <file>
 *
 * Build it with
 *   cc tables.c -I<prefix>/include -L<prefix>/lib -lashlar_c */
#include <ashlar/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ashlar_slice Text(const char* text) {
  const ashlar_slice slice = {text, strlen(text)};
  return slice;
}

/* Prints the error and ends the program, if there is one. */
static void Check(ashlar_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "tables: %s\n", ashlar_status_message(status));
  ashlar_status_free(status);
  exit(1);
}

static ashlar_options* NewOptions(const char* text) {
  ashlar_options* options = ashlar_options_new();
  if (options == NULL) abort();
  Check(ashlar_options_set(options, Text(text)));
  return options;
}

static void Write(const ashlar_options* options, const char* path) {
  ashlar_writer* writer;
  Check(ashlar_writer_open(options, path, &writer));
  Check(ashlar_writer_put(writer, Text("apple"), Text("red")));
  Check(ashlar_writer_put(writer, Text("banana"), Text("yellow")));
  Check(ashlar_writer_put(writer, Text("cherry"), Text("dark red")));
  Check(ashlar_writer_finish(writer));
  ashlar_writer_free(writer);
}

/* Writes a table that replaces one key and deletes another. */
static void WriteNewer(const ashlar_options* options, const char* path) {
  ashlar_writer* writer;
  Check(ashlar_writer_open(options, path, &writer));
  Check(ashlar_writer_put(writer, Text("banana"), Text("green")));
  Check(ashlar_writer_delete(writer, Text("cherry")));
  Check(ashlar_writer_finish(writer));
  ashlar_writer_free(writer);
}

static void LookUp(const ashlar_reader* reader) {
  const ashlar_slice keys[] = {Text("banana"), Text("damson")};
  ashlar_values* pins = ashlar_values_new();
  ashlar_slice values[2];
  ashlar_state states[2];
  Check(ashlar_reader_multi_get(reader, NULL, keys, 2, pins, values, states,
                                NULL));
  for (int i = 0; i < 2; ++i) {
    if (states[i] == ASHLAR_FOUND) {
      printf("%s is %.*s\n", keys[i].data, (int)values[i].size, values[i].data);
    } else {
      printf("%s is not there\n", keys[i].data);
    }
  }
  ashlar_values_free(pins);
}

static void Walk(const ashlar_reader* reader, const char* from) {
  ashlar_iterator* iterator;
  Check(ashlar_iterator_new(&reader, 1, NULL, NULL, &iterator));
  for (ashlar_iterator_seek(iterator, Text(from));
       ashlar_iterator_valid(iterator); ashlar_iterator_next(iterator)) {
    const ashlar_slice key = ashlar_iterator_key(iterator);
    const ashlar_slice value = ashlar_iterator_value(iterator);
    printf("%.*s: %.*s\n", (int)key.size, key.data, (int)value.size,
           value.data);
  }
  Check(ashlar_iterator_status(iterator));
  ashlar_iterator_free(iterator);
}

static ashlar_reader* Open(const char* path, const char* text) {
  ashlar_options* options = NewOptions(text);
  ashlar_reader* reader;
  Check(ashlar_reader_open(options, path, &reader));
  ashlar_options_free(options);
  return reader;
}

/* A callback: shows a table that a compaction has made. */
static void ShowOutput(void* context, const char* path, uint64_t file_size) {
  const char* const slash = strrchr(path, '/');
  ashlar_reader* reader = Open(path, "");
  (void)context;
  (void)file_size;
  printf("compacted: %s\n", slash == NULL ? path : slash + 1);
  Walk(reader, "");
  ashlar_reader_free(reader);
}

/* Joins two tables. Which is newer, the sequence numbers say. */
static void Compact(const ashlar_options* options, const char* older,
                    const char* newer, const char* path) {
  ashlar_reader* tables[] = {Open(newer, "largest_seqno=2"),
                             Open(older, "largest_seqno=1")};
  const ashlar_compaction compaction = {
      .struct_size = sizeof compaction, .output = ShowOutput, .bottommost = 1};
  Check(ashlar_compact(options, &compaction,
                       (const ashlar_reader* const*)tables, 2, path));
  ashlar_reader_free(tables[0]);
  ashlar_reader_free(tables[1]);
}

int main(int argc, char** argv) {
  char newer[4096];
  char merged[4096];
  ashlar_cache* cache;
  ashlar_reader* reader;
  if (argc != 2 || strlen(argv[1]) > 4000) {
    fprintf(stderr, "usage: tables <file>\n");
    return 2;
  }
  snprintf(newer, sizeof newer, "%s.newer", argv[1]);
  snprintf(merged, sizeof merged, "%s-merged", argv[1]);
  ashlar_options* const options =
      NewOptions("block_size=16K;filter_policy=bloomfilter:10:false");
  Check(ashlar_cache_new_clock(8 << 20, &cache));
  ashlar_options_set_cache(options, cache);
  Write(options, argv[1]);
  Check(ashlar_reader_open(options, argv[1], &reader));
  LookUp(reader);
  Walk(reader, "b");
  WriteNewer(options, newer);
  Compact(options, argv[1], newer, merged);
  ashlar_reader_free(reader);
  ashlar_cache_free(cache);
  ashlar_options_free(options);
  return 0;
}
