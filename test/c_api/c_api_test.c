/* Tests the C interface from C: tables that are written are read again by each
 * call that reads, errors have a code and a message, and objects outlive what
 * they were made with.
 *
 *   c_api_test <folder> <OPTIONS file> <table with references to blobs>
 *
 * The folder must exist. Runs under valgrind too, which finds what is not freed
 * and what is read after it was. */
#include "checks.h"

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

/* Copies an OPTIONS file with one more option of its column family. */
static void AddOption(const char* from, const char* to, const char* line) {
  static const char kSection[] = "[CFOptions";
  FILE* const in = fopen(from, "r");
  FILE* const out = fopen(to, "w");
  char text[4096];
  while (fgets(text, sizeof text, in) != NULL) {
    fputs(text, out);
    if (strncmp(text, kSection, sizeof kSection - 1) == 0) fputs(line, out);
  }
  fclose(in);
  fclose(out);
}

static void TestLoadedOptions(const char* options_file) {
  const char* const newer = Path(0, "OPTIONS-000009");
  ashlar_options* options = ashlar_options_new();
  ashlar_bytes* ignored = NULL;
  OK(ashlar_options_load(options, options_file, "default", NULL));
  OK(ashlar_options_load(options, options_file, "default", &ignored));
  CHECK(ashlar_bytes_slice(ignored).size == 0);
  ashlar_bytes_free(ignored);
  FAILS(ashlar_options_load(options, options_file, "other", &ignored),
        ASHLAR_INVALID_ARGUMENT, "'other'");
  CHECK(ignored == NULL);
  AddOption(options_file, newer, "  of_a_later_release=5\n");
  FAILS(ashlar_options_load(options, newer, "default", NULL),
        ASHLAR_INVALID_ARGUMENT, "of_a_later_release");
  OK(ashlar_options_load(options, newer, "default", &ignored));
  const ashlar_slice lines = ashlar_bytes_slice(ignored);
  CHECK(lines.size > 0 && lines.data[lines.size - 1] == '\n');
  CHECK(strstr(lines.data, "of_a_later_release") != NULL);
  ashlar_bytes_free(ignored);
  ashlar_options_free(options);
}

/* The text of options makes the same options, those of builds and readers too. */
static void TestTextOfOptions(const char* options_file) {
  ashlar_options* options = ashlar_options_new();
  ashlar_options* again = ashlar_options_new();
  ashlar_bytes* text = NULL;
  ashlar_bytes* twice = NULL;
  OK(ashlar_options_load(options, options_file, "default", NULL));
  OK(ashlar_options_set(options, Text("parallel_threads=3;skip_filters=true")));
  OK(ashlar_options_text(options, &text));
  OK(ashlar_options_set(again, ashlar_bytes_slice(text)));
  OK(ashlar_options_text(again, &twice));
  const ashlar_slice slice = ashlar_bytes_slice(twice);
  CHECK(slice.size == ashlar_bytes_slice(text).size &&
        memcmp(slice.data, ashlar_bytes_slice(text).data, slice.size) == 0);
  CHECK(strstr(slice.data, ";parallel_threads=3;") != NULL);
  CHECK(strstr(slice.data, ";skip_filters=true;") != NULL);
  ashlar_bytes_free(twice);
  ashlar_bytes_free(text);
  ashlar_options_free(options);
  ashlar_options_free(again);
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: c_api_test <folder> <OPTIONS file> <table>\n");
    return 2;
  }
  folder = argv[1];
  const char* const table = Path(1, "older.sst");
  TestErrors();
  TestLoadedOptions(argv[2]);
  TestTextOfOptions(argv[2]);
  Write(table, "block_size=512;filter_policy=bloomfilter:10:false", "old");
  TestReads(table);
  TestReferencesToBlobs(argv[3]);
  TestIterators(table);
  TestCompactions(table);
  if (failures == 0) puts("c_api_test: ok");
  return failures == 0 ? 0 : 1;
}
