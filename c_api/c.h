// Ashlar for C, and for languages that call C: writes, reads and compacts
// block-based SST tables in RocksDB's format. Link with libashlar_c.
//
// Errors. A call that can fail returns a status: NULL if all is well, else an
// object with a code and a message, which the caller frees. No exception leaves
// a call. Results that a failed call would have set are NULL, 0 or empty.
//
// Ownership. Each *_new and *_open makes an object that the caller frees with
// the *_free of its type, which accepts NULL. Objects keep what they need:
// options, caches and readers may be freed while others that were made with
// them are in use. Bytes that the caller passes are copied or not needed after
// the call. Bytes that are returned belong to the object that they come from;
// each such function says for how long.
//
// Threads. Any number of threads may use one reader, cache or status, and may
// read the same options, at a time. Each other object is for one thread at a
// time. Freeing an object while another thread uses it is an error.
//
// Sizes are in bytes. Keys and values may be any bytes. Pointers must not be
// NULL, except where this file says that they may.
#ifndef ASHLAR_C_API_C_H_
#define ASHLAR_C_API_C_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Values and errors --------------------------------------------------- */

/* Bytes that somebody else owns. */
typedef struct ashlar_slice {
  const char* data; /* may be NULL if size is 0 */
  size_t size;
} ashlar_slice;

/* The kinds of errors, as in ashlar/util/status.h. */
typedef enum ashlar_code {
  ASHLAR_OK = 0,
  ASHLAR_NOT_FOUND = 1, /* for the caller's own use */
  ASHLAR_CORRUPTION = 2,
  ASHLAR_NOT_SUPPORTED = 3,
  ASHLAR_INVALID_ARGUMENT = 4,
  ASHLAR_IO_ERROR = 5,
  ASHLAR_MERGE_IN_PROGRESS = 6,
  ASHLAR_ABORTED = 7,
  ASHLAR_MEMORY_LIMIT = 8,
  ASHLAR_INCOMPLETE = 9,
  ASHLAR_TIMED_OUT = 10
} ashlar_code;

/* The outcome of a call. Must be freed by ashlar_status_free. */
typedef struct ashlar_status ashlar_status;
/* A NULL status is ASHLAR_OK, with an empty message. The message ends with a
 * zero byte, is printable, and lives as long as the status. */
ashlar_code ashlar_status_code(const ashlar_status* status);
const char* ashlar_status_message(const ashlar_status* status);
void ashlar_status_free(ashlar_status* status);

/* "0.2.0". Lives forever. */
const char* ashlar_version(void);

/* Bytes that the library made. The slice lives as long as the object. */
typedef struct ashlar_bytes ashlar_bytes;
ashlar_slice ashlar_bytes_slice(const ashlar_bytes* bytes);
void ashlar_bytes_free(ashlar_bytes* bytes);
/* For callbacks: replaces the bytes by a copy of these. */
ashlar_status* ashlar_bytes_set(ashlar_bytes* bytes, ashlar_slice value);

/* --- Caches of blocks ---------------------------------------------------- */

/* A cache of blocks, which any number of readers and threads share. The new
 * ones have `capacity` bytes. Their memory goes when ashlar_cache_free was
 * called and no reader uses the cache any more. */
typedef struct ashlar_cache ashlar_cache;
ashlar_status* ashlar_cache_new_clock(size_t capacity, ashlar_cache** cache);
ashlar_status* ashlar_cache_new_lru(size_t capacity, ashlar_cache** cache);
size_t ashlar_cache_capacity(const ashlar_cache* cache);
void ashlar_cache_set_capacity(ashlar_cache* cache, size_t capacity);
size_t ashlar_cache_usage(const ashlar_cache* cache);
size_t ashlar_cache_pinned_usage(const ashlar_cache* cache);
void ashlar_cache_free(ashlar_cache* cache);

/* --- Options ------------------------------------------------------------- */

/* All options of tables, builds and readers. They are set from text, as
 * RocksDB's option strings have them:
 *
 *   block_size=16K;filter_policy=bloomfilter:10;compression=kZSTD;
 *   compression_opts={level=7};parallel_threads=4;
 *   cache_index_and_filter_blocks=true
 *
 * ashlar/table/option_strings.h describes the text, and ashlar/table/options.h
 * and reader_options.h describe each option. */
typedef struct ashlar_options ashlar_options;
/* Default options. Returns NULL if there is no memory. */
ashlar_options* ashlar_options_new(void);
void ashlar_options_free(ashlar_options* options);
/* Sets what the text says. An error names the option and its place, and changes
 * nothing. */
ashlar_status* ashlar_options_set(ashlar_options* options, ashlar_slice text);
/* Sets the options of a column family of a RocksDB database, from an OPTIONS
 * file or the folder of the database. What is unknown is an error, unless
 * `ignored` is not NULL: it then receives one line for each option that was
 * left out. */
ashlar_status* ashlar_options_load(ashlar_options* options, const char* path,
                                   const char* family, ashlar_bytes** ignored);
/* All options as text, of which ashlar_options_set makes the same. The cache is
 * left out. */
ashlar_status* ashlar_options_text(const ashlar_options* options,
                                   ashlar_bytes** text);
/* The cache of readers that are opened from now on. NULL: none. */
void ashlar_options_set_cache(ashlar_options* options, ashlar_cache* cache);

/* --- Writing a table ----------------------------------------------------- */

/* Writes a file that RocksDB ingests: keys in ascending order, each once,
 * all sequence numbers 0. The file has its name only when it is complete. */
typedef struct ashlar_writer ashlar_writer;
ashlar_status* ashlar_writer_open(const ashlar_options* options,
                                  const char* path, ashlar_writer** writer);
ashlar_status* ashlar_writer_put(ashlar_writer* writer, ashlar_slice key,
                                 ashlar_slice value);
ashlar_status* ashlar_writer_merge(ashlar_writer* writer, ashlar_slice key,
                                   ashlar_slice operand);
ashlar_status* ashlar_writer_delete(ashlar_writer* writer, ashlar_slice key);
ashlar_status* ashlar_writer_single_delete(ashlar_writer* writer,
                                           ashlar_slice key);
/* Deletes the keys from `begin` on that are below `end`. */
ashlar_status* ashlar_writer_delete_range(ashlar_writer* writer,
                                          ashlar_slice begin, ashlar_slice end);
ashlar_status* ashlar_writer_finish(ashlar_writer* writer);
uint64_t ashlar_writer_entries(const ashlar_writer* writer);
uint64_t ashlar_writer_file_size(const ashlar_writer* writer);
/* Before ashlar_writer_finish: abandons the file. */
void ashlar_writer_free(ashlar_writer* writer);

/* --- Reading a table ----------------------------------------------------- */

/* An open table. Any number of threads may read it at once. Must be freed by
 * ashlar_reader_free; its iterators keep the table open, and may go later. */
typedef struct ashlar_reader ashlar_reader;
ashlar_status* ashlar_reader_open(const ashlar_options* options,
                                  const char* path, ashlar_reader** reader);
uint64_t ashlar_reader_entries(const ashlar_reader* reader);
void ashlar_reader_free(ashlar_reader* reader);
/* Reads the whole file, and compares each block with its checksum. */
ashlar_status* ashlar_reader_verify(const ashlar_reader* reader);

/* Options of one call. NULL in their place: the defaults. */
typedef struct ashlar_read_options ashlar_read_options;
ashlar_read_options* ashlar_read_options_new(void); /* NULL: no memory */
void ashlar_read_options_free(ashlar_read_options* options);
/* Entries with larger sequence numbers are not seen. Default: all are seen. */
void ashlar_read_options_set_snapshot(ashlar_read_options* options,
                                      uint64_t sequence);
/* 0: no. Default: 1. */
void ashlar_read_options_set_verify_checksums(ashlar_read_options* options,
                                              int verify);
void ashlar_read_options_set_fill_cache(ashlar_read_options* options, int fill);
/* Iterators: how much is read at once. Default: 0, which grows by itself. */
void ashlar_read_options_set_readahead(ashlar_read_options* options,
                                       uint64_t bytes);
/* When the call has to be done, in microseconds since the epoch. 0, the
 * default: whenever it is. Once it has passed, what still has to be read from
 * the file is ASHLAR_TIMED_OUT. An iterator compares each of its calls. */
void ashlar_read_options_set_deadline(ashlar_read_options* options,
                                      uint64_t microseconds_since_epoch);
/* Iterators show keys from `lower` on, below `upper`. NULL: no bound. */
ashlar_status* ashlar_read_options_set_bounds(ashlar_read_options* options,
                                              const ashlar_slice* lower,
                                              const ashlar_slice* upper);

/* What a table says of a key. A range deletion counts if the file was opened
 * with a sequence number (see ashlar_iterator): with 0 it is older than
 * nothing. */
typedef enum ashlar_state {
  ASHLAR_ABSENT = 0, /* the table has no entry of the key */
  ASHLAR_FOUND = 1,
  ASHLAR_DELETED = 2, /* older tables must not be asked */
  ASHLAR_MERGED = 3   /* there are merge operands: use an iterator */
} ashlar_state;

/* Values that are pinned where they are: in a block of the cache, or in memory
 * of their own. They are not copied, and live until the next call that takes
 * this object, or until it is freed, also if the reader and its cache are freed
 * before. */
typedef struct ashlar_values ashlar_values;
ashlar_values* ashlar_values_new(void); /* NULL: no memory */
void ashlar_values_reset(ashlar_values* values);
void ashlar_values_free(ashlar_values* values);

/* Looks a key up. Sets *value if *state is then ASHLAR_FOUND. `options` may be
 * NULL. For a value in a blob file returns ASHLAR_NOT_SUPPORTED. */
ashlar_status* ashlar_reader_get(const ashlar_reader* reader,
                                 const ashlar_read_options* options,
                                 ashlar_slice key, ashlar_values* pins,
                                 ashlar_slice* value, ashlar_state* state);
/* Looks `count` keys up, which is faster than one by one. Each key has its
 * place in `values`, `states` and `codes`, which are the caller's arrays.
 * Returns the first error; keys without one of their own are answered even so.
 * `codes` may be NULL. */
ashlar_status* ashlar_reader_multi_get(
    const ashlar_reader* reader, const ashlar_read_options* options,
    const ashlar_slice* keys, size_t count, ashlar_values* pins,
    ashlar_slice* values, ashlar_state* states, ashlar_code* codes);

/* --- Iterators ----------------------------------------------------------- */

/* Shows the live keys of tables as a user of a database sees them: the newest
 * version of each, without what is deleted, with merge operands joined. The
 * newest version is that with the largest sequence number. Files of
 * ashlar_writer have 0 for all; a database that ingests one gives it a number,
 * and so must a caller who reads several together: set "largest_seqno=2" in the
 * options by which the file is opened. `merge_operator` is the name of a
 * built-in one, such as "uint64add", or NULL. `options` may be NULL. */
typedef struct ashlar_iterator ashlar_iterator;
ashlar_status* ashlar_iterator_new(const ashlar_reader* const* tables,
                                   size_t count,
                                   const ashlar_read_options* options,
                                   const char* merge_operator,
                                   ashlar_iterator** iterator);
void ashlar_iterator_free(ashlar_iterator* iterator);
/* 1 if it is at an entry. 0 at the end, or after an error: see _status. */
int ashlar_iterator_valid(const ashlar_iterator* iterator);
ashlar_status* ashlar_iterator_status(const ashlar_iterator* iterator);
void ashlar_iterator_seek_to_first(ashlar_iterator* iterator);
void ashlar_iterator_seek_to_last(ashlar_iterator* iterator);
/* To the first key that is not below this one, or the last not above it. */
void ashlar_iterator_seek(ashlar_iterator* iterator, ashlar_slice key);
void ashlar_iterator_seek_for_prev(ashlar_iterator* iterator, ashlar_slice key);
/* Require: the iterator is valid. */
void ashlar_iterator_next(ashlar_iterator* iterator);
void ashlar_iterator_prev(ashlar_iterator* iterator);
/* Live until the iterator moves or is freed. Empty if it is not valid. */
ashlar_slice ashlar_iterator_key(const ashlar_iterator* iterator);
ashlar_slice ashlar_iterator_value(const ashlar_iterator* iterator);

/* --- Compaction ---------------------------------------------------------- */

/* What becomes of a value in a compaction. */
typedef enum ashlar_decision {
  ASHLAR_KEEP = 0,
  ASHLAR_REMOVE = 1,
  ASHLAR_CHANGE = 2 /* new_value has been set by ashlar_bytes_set */
} ashlar_decision;

/* Set all of it to zero first. A later version has more members at the end, and
 * takes the struct of a caller that has fewer. One with more that are not zero,
 * bytes between members included, is ASHLAR_NOT_SUPPORTED; a struct_size that
 * is too small or absurd, ASHLAR_INVALID_ARGUMENT.
 *
 * Callbacks get their `context`. They run on the calling thread, and must not
 * leave by longjmp or an exception. NULL in place of any: not called. */
typedef struct ashlar_compaction {
  size_t struct_size; /* sizeof(ashlar_compaction) */
  void* context;
  /* What becomes of a value that no snapshot keeps from being seen. */
  ashlar_decision (*filter)(void* context, ashlar_slice key, ashlar_slice value,
                            ashlar_bytes* new_value);
  /* Called every 4 KiB of input. Returns 0 to go on, else the compaction ends
   * with ASHLAR_INCOMPLETE. */
  int (*progress)(void* context, uint64_t input_entries);
  /* A table that is complete. The path lives during the call. */
  void (*output)(void* context, const char* path, uint64_t file_size);
  const char* merge_operator; /* a built-in one; NULL: none */
  uint64_t target_file_size;  /* 0: one table */
  int bottommost;             /* 1: no older data exist: deletions go */
  const uint64_t* snapshots;  /* ascending; may be NULL if there is none */
  size_t snapshot_count;
} ashlar_compaction;

/* Makes the tables <path>-000001.sst and so on of these. Which entry is newer,
 * sequence numbers say, as for iterators. If there is an error, no output is
 * left. A file that has the name of an output is an error, and stays. */
ashlar_status* ashlar_compact(const ashlar_options* options,
                              const ashlar_compaction* compaction,
                              const ashlar_reader* const* tables, size_t count,
                              const char* path);

#ifdef __cplusplus
}
#endif

#endif  // ASHLAR_C_API_C_H_
