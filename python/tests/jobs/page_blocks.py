"""The statements that docs/spark-and-ray.md shows, for tests that run them."""

import os
import re
import textwrap

TREE = os.path.abspath(os.path.join(os.path.dirname(__file__), '../../..'))
PAGE = os.path.join(TREE, 'docs', 'spark-and-ray.md')


def run_blocks(section, uri, names):
    """Runs the indented blocks of a section, which share `names`.

    `uri` stands for the URI on the page. Returns the number of blocks.
    """
    with open(PAGE) as file:
        parts = re.split(r'^## ', file.read(), flags=re.MULTILINE)
    text, = [part for part in parts if part.startswith(section + '\n')]
    blocks = re.findall(r'(?:^    .*\n)+', text, re.MULTILINE)
    for block in blocks:
        block = textwrap.dedent(block).replace('s3://bucket/set',
                                               os.fspath(uri))
        exec(compile(block, PAGE, 'exec'), names)
    return len(blocks)
