#!/usr/bin/env python3
"""A search index: Ray makes posting lists, a prefix scan answers a query.

    python/examples/search_index.py [<folder or URI>]

Ray cuts documents into words. A key is a word and the number of a document, so
that the documents of a word are adjacent, in order. The value says how often
the word is there. Needs ray, pyarrow and rocksdict.
"""

import collections
import os
import sys
import tempfile

import ashlar
import ashlar.ray
import pyarrow
import ray
import rocksdict
from ashlar.jobs import plan_load

TEXTS = ['a table is a file of sorted entries',
         'a filter says which tables have no such key',
         'a block is the unit of compression',
         'sorted tables can be merged without memory']
DOCUMENTS = 400


def documents():
    return ray.data.range(DOCUMENTS, override_num_blocks=4).map(
        lambda row: {'id': row['id'],
                     'text': TEXTS[row['id'] % len(TEXTS)]})


def postings(table):
    """One row for each word of each document."""
    words, numbers, counts = [], [], []
    for number, text in zip(table['id'].to_pylist(),
                            table['text'].to_pylist()):
        for word, count in collections.Counter(text.split()).items():
            words.append(word)
            numbers.append(number)
            counts.append(str(count))
    return pyarrow.table({'word': words,
                          'document': pyarrow.array(numbers, pyarrow.uint64()),
                          'count': counts})


def write_index(uri):
    rows = documents().map_batches(postings, batch_format='pyarrow')
    return ashlar.ray.write_tables(
        rows, uri, key=['word:terminated', 'document:u64be'], value='count',
        overwrite=True)


def load(uri, folder):
    plan = plan_load(uri, splits=[])
    database = rocksdict.Rdict(os.path.join(folder, 'index'),
                               rocksdict.Options(raw_mode=True))
    database.ingest_external_file(
        plan.fetch(0, os.path.join(folder, 'incoming')))
    return database


def search(database, word):
    """Returns the numbers of the documents with a word, in order."""
    prefix = word.encode() + b'\0\1'  # a terminated text
    found = []
    for key, _ in database.items(from_key=prefix):
        if not key.startswith(prefix):
            break
        found.append(int.from_bytes(key[len(prefix):], 'big'))
    return found


def main():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False,
             logging_level='ERROR')
    ray.data.DataContext.get_current().enable_progress_bars = False
    with tempfile.TemporaryDirectory() as folder:
        uri = sys.argv[1] if len(sys.argv) > 1 else os.path.join(folder, 'set')
        tables = write_index(uri)
        print(f'{sum(table.entries for table in tables)} postings')
        database = load(uri, folder)
        for word in ('sorted', 'filter', 'nothing'):
            found = search(database, word)
            print(f'{word}: {len(found)} documents, first {found[:3]}')
        database.close()
    ray.shutdown()


if __name__ == '__main__':
    main()
