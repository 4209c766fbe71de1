"""The effects of the `ashlar build` flags for data blocks and index."""

import itertools
import json

import cli
from cli import CliTest, numbered_rows


class TableOptionsTest(CliTest):

    ROWS = numbered_rows(3000)
    PARTITIONED = "--index_type=partitioned"
    HASH = "--data_block_index_type=hash"

    # Caches blocks and bytes of the file, by flags.
    made = {}

    def blocks(self, *flags):
        """Returns the blocks of the file made with these flags."""
        if flags not in self.made:
            self.made[flags] = self.make(*flags)
        return self.made[flags][0]

    def make(self, *flags):
        self.build("t.sst", self.ROWS, "--overwrite", "--compression_type=none",
                   *flags)
        self.run_ok("verify", "t.sst")
        self.assertEqual(
            self.run_ok("scan", "--output_format=canonical", "t.sst").out,
            self.ROWS)
        document = json.loads(self.run_ok("layout", "--json", "t.sst").out)
        return (document["files"][0]["blocks"],
                (self.folder / "t.sst").read_bytes())

    def count(self, kind, *flags):
        return sum(block["kind"] == kind for block in self.blocks(*flags))

    def size(self, kind, *flags):
        return sum(block["size"] for block in self.blocks(*flags)
                   if block["kind"] == kind)

    def first_data(self, *flags):
        """Returns the stored bytes of the first data block."""
        size = self.blocks(*flags)[0]["size"]
        return self.made[flags][1][:size]

    def assert_descending(self, sizes):
        for larger, smaller in itertools.pairwise(sizes):
            self.assertGreater(larger, smaller)

    def test_data_blocks(self):
        self.assertEqual(self.first_data()[-1] & 0xf0, 0)
        self.assertEqual(self.first_data(self.HASH)[-1] & 0xf0, 0x80)
        self.assertEqual(
            self.first_data("--separate_key_value_in_data_block")[-1] & 0xf0,
            0x10)
        ratio = "--data_block_hash_table_util_ratio="
        self.assert_descending([
            self.size("data", self.HASH, ratio + "0.25"),
            self.size("data", self.HASH),
            self.size("data", self.HASH, ratio + "4")])
        self.assertGreater(self.size("data", "--nouse_delta_encoding"),
                           self.size("data"))

    def test_where_data_blocks_end(self):
        self.assertLess(len(self.first_data()), 4096)
        self.assertGreaterEqual(
            len(self.first_data("--block_size_deviation=0")), 4096)

    def test_alignment(self):
        def data(*flags):
            return [block for block in self.blocks(*flags)
                    if block["kind"] == "data"]

        def aligned(blocks):
            return all(block["offset"] % 4096 == 0 for block in blocks)

        def crossing(blocks):
            trailer = 5
            return sum(block["offset"] // 16384 !=
                       (block["offset"] + block["size"] + trailer - 1) // 16384
                       for block in blocks)

        self.assertFalse(aligned(data()))
        self.assertTrue(aligned(data("--block_align")))
        size = "--super_block_alignment_size=16384"
        ratio = "--super_block_alignment_space_overhead_ratio="
        self.assertGreater(crossing(data()), 0)
        self.assertEqual(crossing(data(size, ratio + "2")), 0)
        self.assertGreater(crossing(data(size, ratio + "0")), 0)

    def test_index(self):
        self.assert_descending([
            self.size("index", "--index_shortening=none"),
            self.size("index"),
            self.size("index", "--index_shortening=successor"),
            self.size("index", "--index_shortening=successor",
                      "--index_block_restart_interval=16")])

    def test_partitions(self):
        self.assert_descending([
            self.count("index-partition", self.PARTITIONED,
                       "--metadata_block_size=" + size)
            for size in ("64", "256", "4096")])
        filters = [self.PARTITIONED, "--partition_filters",
                   "--metadata_block_size=256"]
        # Cut together, there are the same number of filter and index
        # partitions.
        together = self.blocks(*filters, "--nodecouple_partitioned_filters")
        kinds = [block["kind"] for block in together]
        self.assertEqual(kinds.count("filter-partition"),
                         kinds.count("index-partition"))
        self.assertNotEqual(self.count("filter-partition", *filters),
                            self.count("index-partition", *filters))

    def test_presets(self):
        rows = b"".join(b"%06d\t{\"name\": \"%d\", \"city\": \"%d\"}\n" %
                        (i, i * 7919 % 10007, i % 97) for i in range(9000))
        small = ["--compression_level=9", "--compression_max_dict_bytes=65536",
                 "--compression_zstd_max_train_bytes=6553600"]
        archive = ["--compression_level=19",
                   "--compression_max_dict_bytes=262144",
                   "--compression_zstd_max_train_bytes=26214400"]
        for preset, flags in (
                (["fast"], ["--block_size=16K", "--compression_type=lz4"]),
                (["balanced"], ["--block_size=16K"]),
                (["small"], ["--block_size=16K", *small]),
                (["archive"], ["--block_size=64K", *archive]),
                # What is given counts.
                (["small", "--block_size=4K", "--compression_level=1"],
                 ["--block_size=4K", *small, "--compression_level=1"]),
                (["small", "--compression_type=kZSTD"],
                 ["--block_size=16K", *small]),
                (["small", "--compression_type=lz4"],
                 ["--block_size=16K", "--compression_type=lz4"]),
                (["none"], [])):
            made = []
            for arguments in (["--preset=" + preset[0], *preset[1:]], flags):
                self.run_ok("build", "--out=t.sst", "--overwrite",
                            "--identity=01", "--creation_time=1", *arguments,
                            stdin=rows)
                made.append((self.folder / "t.sst").read_bytes())
            self.assertEqual(*made, preset)
        self.assert_usage_error("--preset: 'tiny' is none of none|fast|"
                                "balanced|small|archive", "build",
                                "--preset=tiny")

    def test_what_cannot_be(self):
        outcome = self.run_code(2, "build", "--out=t.sst", "--block_align",
                                "--compression_type=snappy", stdin=b"k\tv\n")
        self.assertIn("block_align is true, but compression is", outcome.err)
        outcome = self.run_code(2, "build", "--out=t.sst", "--target_rocksdb",
                                "10.10", "--separate_key_value_in_data_block",
                                stdin=b"k\tv\n")
        self.assertIn("separate_key_value_in_data_block", outcome.err)
        self.assertIn("10.10", outcome.err)


if __name__ == "__main__":
    cli.main()
