"""The programs in python/examples run."""

import os
import subprocess
import sys

import pytest

from page_blocks import TREE

EXAMPLES = os.path.join(TREE, 'python', 'examples')

EXPECTED = {
    'feature_store.py': ['5000 users', "user 0: {'events': 20",
                         'user 5000: None'],
    'search_index.py': ['3000 postings', 'sorted: 200 documents, first '
                        '[0, 3, 4]', 'nothing: 0 documents, first []'],
    'bulk_load.py': ['shard 3: ', 'user/4711: profile of 4711'],
}


@pytest.mark.parametrize('name', sorted(EXPECTED))
def test_example_runs(name):
    done = subprocess.run(
        [sys.executable, os.path.join(EXAMPLES, name)], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, done.stderr
    for text in EXPECTED[name]:
        assert text in done.stdout
