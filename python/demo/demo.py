#!/usr/bin/env python3
"""make python-demo: an unsorted table of Arrow becomes SST files with a
manifest; RocksDB ingests them, and the rows come back as Arrow."""

import random
import tempfile

import pyarrow as pa
import rocksdict

import ashlar

folder = tempfile.mkdtemp(prefix='ashlar-demo-')
users = list(range(200_000))
random.Random(1).shuffle(users)
table = pa.table({'tenant': [f't{user % 7}' for user in users], 'user': users,
                  'score': [user % 1000 / 8 for user in users]})

made = ashlar.write_tables(table, folder, key=['tenant', 'user'],
                           memory=4 << 20, target_file_size=1 << 20)
print(f'{made.entries:,} rows in {len(made.tables)} tables: {made.manifest}')

database = rocksdict.Rdict(folder + '/db', rocksdict.Options(raw_mode=True))
database.ingest_external_file([one.path for one in made.tables])
key = ashlar.encode_key(('t3', 3), ['text', 'i64be'])
print('RocksDB has', database[key])

view = ashlar.open_tables(made.manifest)
rows = pa.table(view.scan(key=['tenant:text', 'user:i64be']))
print(rows.slice(0, 3).to_pylist())
assert rows.num_rows == len(list(database.items())) == table.num_rows
assert view.multi_get(table.select(['tenant', 'user']).slice(0, 1000),
                      key=['tenant', 'user']).null_count == 0
print('all rows are there')
