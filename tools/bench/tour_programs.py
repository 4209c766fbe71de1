"""The part of tour that compares programs: ashlar and RocksDB's."""

import base64
import random
import subprocess

ROWS, QUICK_ROWS = 500000, 2000


def entries(args):
    return QUICK_ROWS if args.quick else ROWS


class Programs:
    """Makes rows and tables in a folder, and the commands that work on them."""

    def __init__(self, programs, folder, args):
        self.bin = programs
        self.args = args
        self.rows = folder / "rows.tsv"
        self.table = folder / "ours.sst"
        self.peers_table = folder / "theirs.sst"

    def write_rows(self):
        """Writes rows with keys of 16 digits and values of 100 bytes, which
        zstd compresses to half."""
        draw = random.Random(self.args.seed)
        pool = base64.b64encode(draw.randbytes(1 << 20)).decode()
        with open(self.rows, "w", encoding="ascii") as file:
            for i in range(entries(self.args)):
                at = i * 2654435761 % (len(pool) - 66)
                file.write(f"{i:016d}\t{pool[at:at + 66]}{'v' * 34}\n")

    def ashlar(self, *arguments):
        return [self.bin / "ashlar", *arguments]

    def with_peer(self, commands, peer, *arguments):
        """Returns the commands, and RocksDB's program if there is one."""
        if (self.bin / peer).exists():
            commands["theirs"] = [self.bin / peer, *arguments]
        return commands

    def sst_dump(self, commands, *flags):
        return self.with_peer(commands, "rocksdb_sst_dump", *flags,
                              f"--file={self.table}")

    def comparisons(self):
        """Returns labels and the commands of each row. Both programs read our
        table."""
        self.write_rows()
        for codec in ("none", "zstd"):
            label = "no codec" if codec == "none" else codec
            yield f"build of rows, {label}", self.with_peer(
                {"ours": self.ashlar("build", "--quiet", "--overwrite",
                                     f"--compression_type={codec}",
                                     f"--out={self.table}", self.rows)},
                "rocksdb_tool", "build", self.rows, self.peers_table, codec)
            if self.peers_table.exists():
                self.check_same_entries()
        yield "verify --checksums_only, 1 thread; sst_dump verify", (
            self.sst_dump(
                {"ours": self.ashlar("verify", "--checksums_only",
                                     "--threads=1", self.table)},
                "--command=verify"))
        yield "verify, 1 thread; RocksDB has nothing like it", {
            "ours": self.ashlar("verify", "--threads=1", self.table),
            "limit": [self.bin / "bare_blocks", "--threads=1", self.table]}
        for threads in (1, 2):
            yield f"check, {threads} thread{'s' * (threads > 1)}", (
                self.sst_dump({"ours": self.ashlar(
                    "check", f"--threads={threads}", self.table)},
                    "--command=check"))
        yield "scan", self.sst_dump(
            {"ours": self.ashlar("scan", self.table)}, "--command=scan")
        yield "properties", self.sst_dump(
            {"ours": self.ashlar("properties", self.table),
             "limit": ["true"]}, "--command=none", "--show_properties")

    def check_same_entries(self):
        """Checks that both programs wrote the same entries. Otherwise the
        times of `build` would be for different work. Sizes of blocks may
        differ, because RocksDB's programs have their own codecs."""
        done = subprocess.run(
            self.ashlar("diff", self.table, self.peers_table),
            capture_output=True, text=True, check=False)
        if ("only in the first: 0, only in the second: 0, other values: 0"
                not in done.stdout):
            raise SystemExit("tour: ashlar and rocksdb_tool built different "
                             f"tables:\n{done.stdout[-500:]}{done.stderr}")
