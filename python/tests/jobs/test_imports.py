"""What an import needs."""

import subprocess
import sys


def test_neither_engine_is_needed():
    code = ("import sys\n"
            "for name in ('pyspark', 'ray', 'pyarrow', 'fsspec'):\n"
            "    sys.modules[name] = None\n"
            "import ashlar, ashlar.jobs\n"
            "job = ashlar.jobs.SetJob.plan('folder')\n")
    subprocess.run([sys.executable, '-c', code], check=True)
