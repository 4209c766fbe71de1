#include "checks.h"

static char path_buffer[4][512];
int failures;
const char* folder;

const char* Path(int which, const char* name) {
  snprintf(path_buffer[which], sizeof path_buffer[which], "%s/%s", folder,
           name);
  return path_buffer[which];
}

ashlar_slice Text(const char* text) {
  const ashlar_slice slice = {text, strlen(text)};
  return slice;
}
int Equals(ashlar_slice slice, const char* text) {
  return slice.size == strlen(text) &&
         (slice.size == 0 || memcmp(slice.data, text, slice.size) == 0);
}

void Ok(ashlar_status* status, const char* file, int line) {
  if (status == NULL) return;
  fprintf(stderr, "%s:%d: %s\n", file, line, ashlar_status_message(status));
  ashlar_status_free(status);
  ++failures;
}

void Fails(ashlar_status* status, ashlar_code code, const char* words,
           const char* file, int line) {
  if (ashlar_status_code(status) != code ||
      strstr(ashlar_status_message(status), words) == NULL) {
    fprintf(stderr, "%s:%d: code %d: %s\n", file, line,
            (int)ashlar_status_code(status), ashlar_status_message(status));
    ++failures;
  }
  ashlar_status_free(status);
}

ashlar_options* NewOptions(const char* text) {
  ashlar_options* options = ashlar_options_new();
  OK(ashlar_options_set(options, Text(text)));
  return options;
}

ashlar_slice Key(int i, char* buffer) {
  snprintf(buffer, 16, "key%06d", i);
  return Text(buffer);
}

void Write(const char* path, const char* text, const char* value) {
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

ashlar_reader* Open(const char* path, ashlar_cache* cache) {
  ashlar_options* options = ashlar_options_new();
  ashlar_reader* reader = NULL;
  ashlar_options_set_cache(options, cache);
  OK(ashlar_reader_open(options, path, &reader));
  ashlar_options_free(options);
  return reader;
}

ashlar_reader* OpenWith(const char* path, const char* text) {
  ashlar_options* options = NewOptions(text);
  ashlar_reader* reader = NULL;
  OK(ashlar_reader_open(options, path, &reader));
  ashlar_options_free(options);
  return reader;
}
