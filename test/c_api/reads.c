/* Tests lookups through the C interface, and the caches that they use. */
#include "checks.h"

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

/* The writer's other kinds of entries, as lookups tell them. */
static void TestStates(void) {
  static const struct {
    const char* key;
    ashlar_state state;
  } kExpected[] = {
      {"a", ASHLAR_DELETED}, {"b", ASHLAR_MERGED}, {"c", ASHLAR_DELETED},
      {"d", ASHLAR_DELETED}, {"e1", ASHLAR_FOUND}, {"e2", ASHLAR_DELETED},
      {"f", ASHLAR_ABSENT},
  };
  const char* const path = Path(3, "states.sst");
  ashlar_options* options = ashlar_options_new();
  ashlar_writer* writer = NULL;
  OK(ashlar_writer_open(options, path, &writer));
  ashlar_options_free(options);
  OK(ashlar_writer_delete(writer, Text("a")));
  OK(ashlar_writer_merge(writer, Text("b"), Text("operand")));
  OK(ashlar_writer_single_delete(writer, Text("c")));
  OK(ashlar_writer_put(writer, Text("e1"), Text("value")));
  /* An entry of the same file is not older than the range. */
  OK(ashlar_writer_delete_range(writer, Text("d"), Text("f")));
  FAILS(ashlar_writer_delete_range(writer, Text("f"), Text("d")),
        ASHLAR_INVALID_ARGUMENT, "");
  OK(ashlar_writer_finish(writer));
  CHECK(ashlar_writer_entries(writer) == 5);
  ashlar_writer_free(writer);
  ashlar_reader* reader = OpenWith(path, "largest_seqno=2");
  ashlar_values* pins = ashlar_values_new();
  for (size_t i = 0; i < sizeof kExpected / sizeof *kExpected; ++i) {
    const ashlar_slice key = Text(kExpected[i].key);
    ashlar_slice value[2];
    ashlar_state state[2];
    OK(ashlar_reader_get(reader, NULL, key, pins, value, state));
    OK(ashlar_reader_multi_get(reader, NULL, &key, 1, pins, value + 1,
                               state + 1, NULL));
    CHECK(state[0] == kExpected[i].state);
    CHECK(state[1] == kExpected[i].state);
    CHECK(value[1].size == (state[1] == ASHLAR_FOUND ? 5 : 0));
  }
  ashlar_values_free(pins);
  ashlar_reader_free(reader);
}

static void TestSnapshot(const char* path) {
  ashlar_reader* reader = OpenWith(path, "largest_seqno=7");
  ashlar_read_options* read = ashlar_read_options_new();
  ashlar_values* pins = ashlar_values_new();
  ashlar_slice value;
  ashlar_state state;
  char key[16];
  ashlar_read_options_set_snapshot(read, 6);
  OK(ashlar_reader_get(reader, read, Key(1000, key), pins, &value, &state));
  CHECK(state == ASHLAR_ABSENT);
  ashlar_read_options_set_snapshot(read, 7);
  OK(ashlar_reader_get(reader, read, Key(1000, key), pins, &value, &state));
  CHECK(state == ASHLAR_FOUND);
  ashlar_values_free(pins);
  ashlar_read_options_free(read);
  ashlar_reader_free(reader);
}

static void TestDeadline(const char* path) {
  ashlar_reader* reader = Open(path, NULL);
  ashlar_read_options* read = ashlar_read_options_new();
  ashlar_values* pins = ashlar_values_new();
  ashlar_slice value;
  ashlar_state state;
  char key[16];
  ashlar_read_options_set_deadline(read, 1);
  FAILS(ashlar_reader_get(reader, read, Key(1000, key), pins, &value, &state),
        ASHLAR_TIMED_OUT, "deadline");
  ashlar_read_options_set_deadline(read, UINT64_MAX);
  OK(ashlar_reader_get(reader, read, Key(1000, key), pins, &value, &state));
  CHECK(state == ASHLAR_FOUND);
  ashlar_read_options_set_deadline(read, 1);
  ashlar_read_options_set_deadline(read, 0);
  OK(ashlar_reader_get(reader, read, Key(1000, key), pins, &value, &state));
  ashlar_values_free(pins);
  ashlar_read_options_free(read);
  ashlar_reader_free(reader);
}

static void TestCache(const char* path) {
  ashlar_cache* cache = NULL;
  OK(ashlar_cache_new_lru(1 << 20, &cache));
  ashlar_reader* reader = Open(path, cache);
  ashlar_read_options* read = ashlar_read_options_new();
  ashlar_values* pins = ashlar_values_new();
  ashlar_slice value;
  ashlar_state state;
  char key[16];
  ashlar_read_options_set_fill_cache(read, 0);
  const size_t before = ashlar_cache_usage(cache);
  OK(ashlar_reader_get(reader, read, Key(0, key), pins, &value, &state));
  CHECK(ashlar_cache_usage(cache) == before);
  ashlar_read_options_set_fill_cache(read, 1);
  OK(ashlar_reader_get(reader, read, Key(0, key), pins, &value, &state));
  CHECK(ashlar_cache_usage(cache) > before);
  ashlar_values_free(pins);
  ashlar_cache_set_capacity(cache, 0);
  CHECK(ashlar_cache_capacity(cache) == 0);
  CHECK(ashlar_cache_usage(cache) == 0);
  ashlar_read_options_free(read);
  ashlar_reader_free(reader);
  ashlar_cache_free(cache);
}

/* Copies a file with one byte changed. */
static void CopyDamaged(const char* from, const char* to, long at) {
  FILE* const in = fopen(from, "rb");
  FILE* const out = fopen(to, "wb");
  int byte;
  for (long i = 0; (byte = fgetc(in)) != EOF; ++i) {
    fputc(i == at ? byte ^ 1 : byte, out);
  }
  fclose(in);
  fclose(out);
}

/* A walk shows what is before the damage, and then has an error. */
static void WalkToDamage(const ashlar_reader* reader) {
  ashlar_iterator* iterator = NULL;
  int count = 0;
  OK(ashlar_iterator_new(&reader, 1, NULL, NULL, &iterator));
  ashlar_iterator_seek_to_first(iterator);
  for (; ashlar_iterator_valid(iterator); ++count) {
    ashlar_iterator_next(iterator);
  }
  CHECK(count > 0 && count < kEntries);
  FAILS(ashlar_iterator_status(iterator), ASHLAR_CORRUPTION, "damaged.sst");
  ashlar_iterator_free(iterator);
}

/* The keys of a damaged block fail, and the others are answered. */
static void TestDamage(const char* path) {
  enum { kCount = 1000 };
  const char* const damaged = Path(3, "damaged.sst");
  CopyDamaged(path, damaged, 1000); /* inside of a block, which has 512 */
  ashlar_reader* reader = Open(damaged, NULL);
  ashlar_values* pins = ashlar_values_new();
  ashlar_values* pins_of_one = ashlar_values_new();
  ashlar_slice keys[kCount];
  ashlar_slice values[kCount];
  ashlar_state states[kCount];
  ashlar_code codes[kCount];
  char texts[kCount][16];
  int failed = 0;
  FAILS(ashlar_reader_verify(reader), ASHLAR_CORRUPTION, "damaged.sst");
  for (int i = 0; i < kCount; ++i) keys[i] = Key(2 * i, texts[i]);
  FAILS(ashlar_reader_multi_get(reader, NULL, keys, kCount, pins, values,
                                states, codes),
        ASHLAR_CORRUPTION, "damaged.sst");
  for (int i = 0; i < kCount; ++i) {
    const int ok = codes[i] == ASHLAR_OK;
    CHECK(ok || codes[i] == ASHLAR_CORRUPTION);
    CHECK(states[i] == (ok ? ASHLAR_FOUND : ASHLAR_ABSENT));
    CHECK(Equals(values[i], ok ? "old" : ""));
    failed += !ok;
    ashlar_slice value;
    ashlar_state state;
    ashlar_status* const status =
        ashlar_reader_get(reader, NULL, keys[i], pins_of_one, &value, &state);
    CHECK(ashlar_status_code(status) == codes[i]);
    ashlar_status_free(status);
  }
  CHECK(failed > 0 && failed < kCount);
  WalkToDamage(reader);
  ashlar_values_free(pins_of_one);
  ashlar_values_free(pins);
  ashlar_reader_free(reader);
}

void TestReads(const char* table) {
  TestGet(table);
  TestValuesOutliveTheCache(table);
  TestMultiGet(table);
  TestStates();
  TestSnapshot(table);
  TestDeadline(table);
  TestCache(table);
  TestDamage(table);
}

/* A value in a blob file is not there: neither a lookup nor a walk takes the
 * reference to it for the value. */
void TestReferencesToBlobs(const char* table) {
  const char* const kWords = "reference into a blob file";
  ashlar_reader* reader = OpenWith(table, "");
  ashlar_values* pins = ashlar_values_new();
  const ashlar_slice keys[2] = {Text("key000000"), Text("none")};
  ashlar_slice values[2];
  ashlar_state states[2];
  ashlar_code codes[2];
  FAILS(ashlar_reader_get(reader, NULL, keys[0], pins, values, states),
        ASHLAR_NOT_SUPPORTED, kWords);
  CHECK(states[0] == ASHLAR_ABSENT && values[0].size == 0);
  FAILS(ashlar_reader_multi_get(reader, NULL, keys, 2, pins, values, states,
                                codes),
        ASHLAR_NOT_SUPPORTED, kWords);
  CHECK(codes[0] == ASHLAR_NOT_SUPPORTED && codes[1] == ASHLAR_OK);
  CHECK(states[0] == ASHLAR_ABSENT && values[0].size == 0);
  ashlar_iterator* it = NULL;
  const ashlar_reader* tables[1] = {reader};
  OK(ashlar_iterator_new(tables, 1, NULL, NULL, &it));
  ashlar_iterator_seek(it, keys[0]);
  CHECK(!ashlar_iterator_valid(it));
  FAILS(ashlar_iterator_status(it), ASHLAR_NOT_SUPPORTED, kWords);
  ashlar_iterator_free(it);
  ashlar_values_free(pins);
  ashlar_reader_free(reader);
}
