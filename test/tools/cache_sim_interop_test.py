"""cache_sim's RocksDB caches, if RocksDB is set up.

Argument: the program. This is a separate file, because sanitizer builds have no
RocksDB.
"""

import json
import os
import subprocess
import sys
import unittest

PROGRAM = None


class CacheSimInteropTest(unittest.TestCase):
    def test_rocksdb_beside_models(self):
        done = subprocess.run(
            [PROGRAM, "--json", "--caches=rocksdb_lru,rocksdb_clock,lru",
             "--sizes=2%,20%", "--seeds=1", "zipf:keys=1000,accesses=20000"],
            capture_output=True, text=True, check=False)
        if done.returncode == 2 and "fetch_oracle" in done.stderr:
            if os.environ.get("ASHLAR_REQUIRE_INTEROP"):
                self.fail(done.stderr)
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        for at_size in json.loads(done.stdout)["traces"][0]["sizes"]:
            ratio = at_size["miss_ratio"]
            self.assertEqual(ratio["rocksdb_lru"], ratio["lru"])
            self.assertNotEqual(ratio["rocksdb_clock"], ratio["lru"])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
