/* Writes a table with options from text, and reads it: by key, by several keys
 * at once and in order.
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

static void Write(const ashlar_options* options, const char* path) {
  ashlar_writer* writer;
  Check(ashlar_writer_open(options, path, &writer));
  Check(ashlar_writer_put(writer, Text("apple"), Text("red")));
  Check(ashlar_writer_put(writer, Text("banana"), Text("yellow")));
  Check(ashlar_writer_put(writer, Text("cherry"), Text("dark red")));
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

static void Walk(const ashlar_reader* reader) {
  ashlar_iterator* iterator;
  Check(ashlar_iterator_new(&reader, 1, NULL, NULL, &iterator));
  for (ashlar_iterator_seek(iterator, Text("b"));
       ashlar_iterator_valid(iterator); ashlar_iterator_next(iterator)) {
    const ashlar_slice key = ashlar_iterator_key(iterator);
    const ashlar_slice value = ashlar_iterator_value(iterator);
    printf("%.*s: %.*s\n", (int)key.size, key.data, (int)value.size,
           value.data);
  }
  Check(ashlar_iterator_status(iterator));
  ashlar_iterator_free(iterator);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: tables <file>\n");
    return 2;
  }
  ashlar_options* options = ashlar_options_new();
  ashlar_cache* cache;
  ashlar_reader* reader;
  Check(ashlar_cache_new_clock(8 << 20, &cache));
  Check(ashlar_options_set(
      options, Text("block_size=16K;filter_policy=bloomfilter:10:false")));
  ashlar_options_set_cache(options, cache);
  Write(options, argv[1]);
  Check(ashlar_reader_open(options, argv[1], &reader));
  LookUp(reader);
  Walk(reader);
  ashlar_reader_free(reader);
  ashlar_cache_free(cache);
  ashlar_options_free(options);
  return 0;
}
