// What the tests of the C interface share: checks that count failures, and
// tables to read. Keys of the tables are "key%06d" with every second number.
#ifndef ASHLAR_TEST_C_API_CHECKS_H_
#define ASHLAR_TEST_C_API_CHECKS_H_

#include <ashlar/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kEntries = 2000 };

/* How many checks have failed. */
extern int failures;
#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                     \
    }                                                                 \
  } while (0)

/* Check that a call is well, or fails with this code and a message that has
 * these words. Free the status. */
void Ok(ashlar_status* status, const char* file, int line);
#define OK(call) Ok((call), __FILE__, __LINE__)
void Fails(ashlar_status* status, ashlar_code code, const char* words,
           const char* file, int line);
#define FAILS(call, code, words) \
  Fails((call), (code), (words), __FILE__, __LINE__)

/* The folder of the test's files. Set before Path is called. */
extern const char* folder;
/* Returns the path of a file in it: the text lives until Path is called with
 * the same number, which is below 4. */
const char* Path(int which, const char* name);

ashlar_slice Text(const char* text);
int Equals(ashlar_slice slice, const char* text);
/* Returns a key, whose text goes into the 16 bytes. */
ashlar_slice Key(int i, char* buffer);

ashlar_options* NewOptions(const char* text);
/* Writes a table of kEntries keys, which all have this value. */
void Write(const char* path, const char* text, const char* value);
ashlar_reader* Open(const char* path, ashlar_cache* cache);
/* Opens a table with options of a text, such as one that says with which
 * sequence number it was ingested. */
ashlar_reader* OpenWith(const char* path, const char* text);

/* The tests, by file. Each takes tables of Write. */
void TestReads(const char* table);
void TestReferencesToBlobs(const char* table);
void TestIterators(const char* table);
void TestCompactions(const char* older);

#endif  // ASHLAR_TEST_C_API_CHECKS_H_
