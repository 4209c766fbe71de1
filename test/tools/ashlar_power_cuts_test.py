"""Files that the program writes, when the power goes at any moment.

Each scenario runs once, and its file calls are logged with the bytes that they
write. After each call the power goes: power_cuts.py says what the folder may
hold then. In each such state

- the set that the manifest lists is complete, and is the old or the new one,
  byte for byte; a single file is the old or the new one, or is not there if
  there was none;
- no file of anybody else was changed;
- once the run has ended well, only the new one is right;
- the next run succeeds, and then the new one is in place (in a sample).

ASHLAR_POWER_CUTS is the number of random states after each call (default 4),
and of the next runs of a scenario. ASHLAR_SEED chooses them.
"""

import hashlib
import os
import pathlib
import random
import re
import shutil
import sys

import ashlar_faults_test as faults
import cli
import power_cuts

COUNT = int(os.environ.get("ASHLAR_POWER_CUTS", "4"))
SEED = int(os.environ.get("ASHLAR_SEED", "1"))
totals = {"scenarios": 0, "steps": 0, "states": 0, "next_runs": 0}


def contents(folder):
    """What a folder holds, as power_cuts.Disk takes it."""
    held = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        held[name] = (power_cuts.FOLDER if path.is_dir()
                      else path.read_bytes())
    return held


def empty(folder):
    shutil.rmtree(folder)
    folder.mkdir()


def write(folder, held, kept):
    """Makes a folder hold what a cut has left. Files that are kept are the same
    files again, because the journal of a set names them by inode and time."""
    empty(folder)
    for name, entry in sorted(held.items()):
        path = folder / name
        if entry is power_cuts.FOLDER:
            path.mkdir()
            continue
        number, data = entry
        if number not in kept:
            path.write_bytes(data)
            continue
        kept_as, time = kept[number]
        with open(kept_as, "r+b") as file:
            file.truncate()
            file.write(data)
        os.utime(kept_as, ns=(time, time))
        os.link(kept_as, path)


def digest(held):
    seen = hashlib.sha256()
    for name, entry in sorted(held.items()):
        data = b"/" if entry is power_cuts.FOLDER else entry[1]
        seen.update(f"{name}\0{len(data)}\0".encode() + data)
    return seen.digest()


class PowerCuts:
    """Goes through a scenario. The class that has it says what is right."""

    def keep(self, disk, kept):
        """Keeps the files that the folder has now beside it."""
        folder = self.base / "kept"
        folder.mkdir(exist_ok=True)
        for path, file in disk.names.items():
            if file is power_cuts.FOLDER or file.number in kept:
                continue
            kept_as = folder / str(len(os.listdir(folder)))
            os.link(self.out / path, kept_as)
            kept[file.number] = kept_as, os.stat(kept_as).st_mtime_ns

    def run_watched(self, command, stdin, plan, kept):
        """Returns the calls of a run, and the bytes that they wrote."""
        start = contents(self.out)
        self.keep(power_cuts.Disk(start), kept)
        path = self.base / "data"
        os.environ["ASHLAR_FAULT_DATA"] = str(path)
        try:
            outcome = self.run_program(command, stdin, plan)
        finally:
            del os.environ["ASHLAR_FAULT_DATA"]
        self.assertEqual(outcome.code, 0, outcome.err)
        data = path.read_bytes()
        path.unlink()
        disk = power_cuts.Disk(start)
        for call in outcome.calls:
            disk.take(call, data)
        # The disk was worked out right.
        self.assertEqual({name: entry if entry is power_cuts.FOLDER else entry[1]
                          for name, entry in disk.running().items()},
                         contents(self.out))
        self.keep(disk, kept)
        return power_cuts.Disk(start), outcome.calls, data

    def check_every_cut(self, command, stdin, plan="",
                        states=frozenset(("old", "new"))):
        """Runs the command, and looks at what each cut may leave. `states`: all
        that must occur."""
        chance = random.Random(f"{SEED} {self.id()}")
        kept, seen, met = {}, {}, set()
        disk, calls, data = self.run_watched(command, stdin, plan, kept)
        for n, call in enumerate(calls):
            disk.take(call, data)
            ended = n + 1 == len(calls)
            for held in disk.states(COUNT, chance):
                key = digest(held), ended
                if key in seen:
                    continue
                seen[key] = held, call
                write(self.out, held, kept)
                with self.at(f"seed {SEED}, after call {call}"):
                    met.add(self.is_right(ended))
        self.assertEqual(met, states)
        sample = chance.sample(list(seen.values()), min(COUNT, len(seen)))
        for held, call in sample:
            write(self.out, held, kept)
            with self.at(f"seed {SEED}, run after call {call}, which found "
                         f"{sorted(held)}"):
                self.next_run_is_right()
        totals["scenarios"] += 1
        totals["steps"] += len(calls)
        totals["states"] += len(seen)
        totals["next_runs"] += len(sample)
        shutil.rmtree(self.base / "kept")


class SetCuts(PowerCuts, faults.SetFixture):

    def is_right(self, ended):
        state = self.check_set()
        self.assertIn(state, ("new",) if ended else ("old", "new"))
        return state

    def next_run_is_right(self):
        """A folder of a run may stay, if its lock is lost. No table does."""
        command = [*self.command]
        if (self.out / "t-manifest.json").exists():
            command.append("--overwrite")
        self.run_ok(command, self.new_rows)
        self.assertEqual(self.check_set(), "new")
        self.assertEqual([name for name in self.left_of_set()
                          if not re.fullmatch(r"t\.tmp\.\w{6}", name)], [])

    def check(self, old, new, plan="", flags=()):
        self.make_sets(old, new)
        self.command += flags
        self.check_every_cut(self.command, self.new_rows, plan)

    def test_a_new_set(self):
        self.check(0, 2)

    def test_over_one_of_as_many_tables(self):
        self.check(2, 2)

    def test_over_a_larger_one(self):
        self.check(3, 1)

    def test_over_a_smaller_one(self):
        self.check(1, 3)

    def test_sorted_by_the_program(self):
        self.check(1, 2, flags=["--nosorted"])

    def test_without_renameat2(self):
        self.check(1, 2, "renameat2:ENOSYS")

    def test_without_locks(self):
        self.check(1, 2, "flock:ENOLCK")

    def recover_from(self, fault, states):
        """The power goes a second time, while a run recovers from a kill."""
        self.make_sets(2, 2)
        outcome = self.run_program(self.command, self.new_rows, fault)
        self.assertTrue(outcome.killed)
        if "--overwrite" not in self.command:
            self.command.append("--overwrite")
        self.check_every_cut(self.command, self.new_rows, states=states)

    def test_in_the_recovery_before_the_commit(self):
        self.recover_from("renameat2~t-000002.sst:kill", {"old", "new"})

    def test_in_the_recovery_after_the_commit(self):
        self.recover_from("unlink@1:kill", {"new"})

    def test_while_leftovers_are_removed(self):
        self.make_sets(1, 1)
        self.assertTrue(self.run_program(self.command, self.new_rows,
                                         "write@1:kill").killed)
        self.command += ["--clean"]
        self.check_every_cut(self.command, self.new_rows)


class FileCuts(PowerCuts, faults.FaultsTest):

    def found(self):
        path = self.out / "t.sst"
        return (faults.FileFaults.shape(path.read_bytes())
                if path.exists() else None)

    def is_right(self, ended):
        self.check_foreign()
        found = self.found()
        self.assertIn(found,
                      (self.after,) if ended else (self.before, self.after))
        return "new" if found == self.after else "old"

    def next_run_is_right(self):
        self.run_ok(self.command, self.rows)
        self.assertEqual(self.found(), self.after)
        self.check_foreign()

    def check(self, *command, rows=b"", plan=""):
        self.command = [*command, "--overwrite"]
        self.rows = rows
        self.run_ok(self.command, rows)
        self.after = self.found()
        (self.out / "t.sst").unlink()
        self.plant(faults.FOREIGN)
        for self.before in (None, b"old"):
            if self.before is not None:
                (self.out / "t.sst").write_bytes(self.before)
            self.check_every_cut(self.command, rows, plan)
            empty(self.out)
            self.plant(faults.FOREIGN)

    def make_input(self):
        path = str(self.base / "in.sst")
        self.run_ok(["build", f"--out={path}", *faults.FIXED],
                    faults.table_rows(ord("i"), 5))
        return path

    def test_build(self):
        self.check("build", "--out=t.sst", *faults.FIXED,
                   rows=faults.table_rows(ord("n"), 3))

    def test_build_without_renameat2(self):
        self.check("build", "--out=t.sst", *faults.FIXED,
                   rows=faults.table_rows(ord("n"), 3), plan="renameat2:ENOSYS")

    def test_sorted_build(self):
        self.check("build", "--out=t.sst", "--nosorted", *faults.FIXED,
                   rows=faults.table_rows(ord("n"), 3))

    def test_large_build(self):
        # Several writes, so that they can come in another order.
        self.check("build", "--out=t.sst", *faults.FIXED,
                   rows=faults.table_rows(ord("n"), 1000) * 1
                   + b"z\t" + b"v" * 700_000 + b"\n")

    def test_rewrite(self):
        self.check("rewrite", "--out=t.sst", *faults.FIXED, self.make_input())

    def test_salvage(self):
        self.check("salvage", "--out=t.sst", *faults.FIXED, self.make_input())

    def test_raw(self):
        self.check("raw", "--out=t.sst", self.make_input())

    def test_report(self):
        self.check("report", "--out=t.sst", "--sample=1", "--filter_probes=1",
                   "--threads=1", self.make_input())


def tearDownModule():
    print(", ".join(f"{name} {count}" for name, count in totals.items()),
          file=sys.stderr)


if __name__ == "__main__":
    assert pathlib.Path(faults.LAYER).is_file()
    cli.main()
