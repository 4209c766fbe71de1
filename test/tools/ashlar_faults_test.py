"""Files that the program writes, under an error and a kill at every file call.

The layer of test/support/faulty_calls.h is under the program. Each scenario
runs once to count the file calls on its folder. Then it runs once for each call
and each fault, from the same start. After each run:

- the set that the manifest lists is complete, and is the old or the new one,
  byte for byte; a single file is complete too;
- the exit code and the messages agree with the contents of the disk;
- every other file that the run left is named on standard error, unless the run
  was killed;
- no file of anybody else was changed;
- the next run succeeds, finishes or undoes what it has to, and names the other
  leftovers; with --clean nothing is left.

The last line of standard error has the number of runs with a fault.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import cli
from cli import PROGRAM

LAYER = os.path.abspath(sys.argv.pop(2)) if len(sys.argv) > 2 else ""
MEMORY = "/dev/shm"
FIXED = ["--quiet", "--identity=01", "--compression_type=none",
         "--compression_parallel_threads=1"]
SET = ["--out=t.sst", "--target_file_size=1", "--block_size=64", *FIXED]
# Calls that can be interrupted, and calls that can run out of space.
INTERRUPTED = {"open", "read", "write", "fsync", "fdatasync", "flock", "close"}
TAKES_SPACE = {"open", "write", "fsync", "fdatasync", "mkdtemp", "renameat2",
               "rename", "link"}
# Calls that a file server may complete although it reports an error.
REPEATED = {"rename", "renameat2", "link", "unlink", "rmdir"}
# Files of the user, however much they look like files of the program. There are
# few names, because each costs a call wherever the folder is listed.
FOREIGN = {
    "t.tmp.backup/t-000001.sst": b"mine",
    "t.tmp.backup/journal": b"ashlar set journal 1\nend\n",
    "t-00000x.sst": b"mine",
    "t.sst.tmp.1.2.3": b"mine",
}
MORE_FOREIGN = {
    "t.tmp.notes1/notes": b"mine",
    "t.tmp.notes1/t-000001.sst": b"mine",
    "t.tmp.locked/lock": b"mine",
    "t.tmp.locked/t-000001.sst": b"mine",
    "t.tmp.longer7/lock": b"",
    "t.tmp.longer7/t-000001.sst": b"mine",
    "t-01.sst": b"mine",
    "t.sst.tmp.abc": b"mine",
    "t.sst.tmp.1": b"mine",
    "t.sst.tmp.1.": b"mine",
    "t.sst.tmp..1": b"mine",
    "xt.sst.tmp.1.2": b"mine",
    "u-000001.sst": b"mine",
    "u.tmp.lock": b"",
    "ut-manifest.json": b"mine",
}


def table_rows(letter, count):
    """Returns rows that make `count` tables with SET."""
    return b"".join(b"%c%03d\t%060d\n" % (letter, i, i) for i in range(count))


runs = 0


class Outcome:

    def __init__(self, completed, calls):
        self.code = completed.returncode
        self.err = completed.stderr.decode()
        self.calls = calls
        self.killed = self.code == -signal.SIGKILL


class FaultsTest(unittest.TestCase):

    def setUp(self):
        place = MEMORY if os.access(MEMORY, os.W_OK) else None
        folder = tempfile.TemporaryDirectory(dir=place)
        self.addCleanup(folder.cleanup)
        self.base = pathlib.Path(folder.name)
        self.out = self.base / "out"
        self.start = self.base / "start"
        self.log = self.base / "log"
        self.out.mkdir()
        self.foreign = {}

    # --- Running ---

    def run_program(self, arguments, stdin=b"", plan=None):
        global runs
        runs += bool(plan)
        environment = dict(os.environ, SOURCE_DATE_EPOCH="0")
        self.log.unlink(missing_ok=True)
        if plan is not None:
            environment.update(
                LD_PRELOAD=LAYER, ASHLAR_FAULT_ROOT=str(self.out),
                ASHLAR_FAULT_PLAN=plan, ASHLAR_FAULT_LOG=str(self.log))
        completed = subprocess.run(
            [PROGRAM, *arguments], input=stdin, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, cwd=self.out, env=environment, check=False)
        calls = []
        if self.log.exists():
            calls = [line.split("\t")
                     for line in self.log.read_text().splitlines()]
        return Outcome(completed, calls)

    def run_ok(self, arguments, stdin=b"", plan=None):
        outcome = self.run_program(arguments, stdin, plan)
        self.assertEqual(outcome.code, 0, outcome.err)
        return outcome

    def plant(self, foreign):
        """Writes files that the program must not change."""
        self.foreign = foreign
        for name, data in foreign.items():
            path = self.out / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)

    def keep_start(self):
        shutil.copytree(self.out, self.start, symlinks=True)

    def restart(self):
        shutil.rmtree(self.out)
        shutil.copytree(self.start, self.out, symlinks=True)

    # --- Checking ---

    def check_foreign(self):
        for name, data in self.foreign.items():
            self.assertEqual((self.out / name).read_bytes(), data, name)

    def names(self):
        """Returns the names in the folder, without the user's files."""
        users = {name.split("/")[0] for name in self.foreign}
        return sorted(set(os.listdir(self.out)) - users)

    def read_set(self):
        """Returns the manifest's names and its tables' bytes, in order."""
        path = self.out / "t-manifest.json"
        if not path.exists():
            return [], None
        with open(path, encoding="utf-8") as file:
            names = [table["path"] for table in json.load(file)["files"]]
        for name in names:
            self.assertTrue((self.out / name).is_file(),
                            f"{name} is missing, of {os.listdir(self.out)}")
        return names, [(self.out / name).read_bytes() for name in names]

    def left_of_set(self):
        """Returns the names in the folder that do not belong to the set."""
        listed, _ = self.read_set()
        return [name for name in self.names()
                if name not in listed and name != "t-manifest.json"]

    def assert_named(self, left, outcome):
        for name in left:
            self.assertIn(name, outcome.err)

    @contextlib.contextmanager
    def at(self, plan, outcome=None):
        try:
            yield
        except AssertionError as error:
            said = "" if outcome is None else outcome.err
            raise AssertionError(f"plan {plan}: {error}\n{said}") from error


class SetFixture(FaultsTest):
    """An old and a new set, and the conditions that both must meet."""

    def make_sets(self, old_count, new_count, foreign=None):
        self.new_rows = table_rows(ord("n"), new_count)
        self.old_rows = table_rows(ord("o"), old_count)
        self.run_ok(["build", *SET], self.new_rows)
        names, self.new = self.read_set()
        self.assertEqual(len(names), new_count)
        shutil.rmtree(self.out)
        self.out.mkdir()
        self.old = None
        if old_count:
            self.run_ok(["build", *SET], self.old_rows)
            _, self.old = self.read_set()
        self.plant(FOREIGN if foreign is None else foreign)
        self.keep_start()
        self.command = ["build", *SET]
        if old_count:
            self.command.append("--overwrite")

    def check_set(self):
        """Returns which set is in place. Fails unless it is complete."""
        self.check_foreign()
        _, contents = self.read_set()
        if contents == self.new:
            return "new"
        self.assertEqual(contents, self.old)
        return "old"

    def check_run(self, outcome, before=(), was="old"):
        """Checks that the outcome agrees with the contents of the disk.

        A run that fails may do so before it reaches leftovers from `before` it,
        so it need not name them.
        """
        state = self.check_set()
        if outcome.killed:
            return state
        self.assertIn(outcome.code, (0, 2))
        if outcome.code == 0:
            self.assertEqual(state, "new")
        else:
            self.assertNotEqual(outcome.err, "")
            self.assertEqual(state != was,
                             "the new set is in place" in outcome.err)
        excused = before if outcome.code != 0 else ()
        self.assert_named([name for name in self.left_of_set()
                           if name not in excused], outcome)
        self.assertNotIn("killed", outcome.err)
        return state

    def check_next_runs(self):
        """Runs again without faults: finishes, names leftovers, cleans up."""
        command = [*self.command]
        if (self.out / "t-manifest.json").exists():
            command.append("--overwrite")
        outcome = self.run_program(command, self.new_rows)
        self.assertEqual(outcome.code, 0, outcome.err)
        self.assertEqual(self.check_set(), "new")
        left = self.left_of_set()
        self.assert_named(left, outcome)
        self.assertEqual([name for name in left
                          if not re.fullmatch(r"t\.tmp\.\w{6}", name)], [])
        for name in left:
            self.assertFalse((self.out / name / "journal").exists())
        if left:
            outcome = self.run_ok([*self.command, "--clean", "--overwrite"],
                                  self.new_rows)
            self.assertEqual(self.check_set(), "new")
            self.assertEqual(self.left_of_set(), [])
            self.assert_named(left, outcome)


class SetFaults(SetFixture):
    """Sets of tables."""

    def run_at(self, plan):
        self.restart()
        outcome = self.run_program(self.command, self.new_rows, plan)
        with self.at(plan, outcome):
            state = self.check_run(outcome)
            self.check_next_runs()
        return outcome, state

    def check_every_call(self, base="", more_errors=True):
        self.restart()
        before = base + "," if base else ""
        calls = self.run_ok(self.command, self.new_rows, base).calls
        self.assertEqual(self.left_of_set(), [])
        self.check_order(calls)
        states = set()
        for call in calls:
            n, name = call[:2]
            for fault in self.faults_of(n, name, more_errors):
                outcome, state = self.run_at(before + fault)
                states.add((fault.split(":")[1], state))
                if fault.endswith((":EINTR", ":short")):
                    with self.at(fault, outcome):
                        self.assertEqual((outcome.code, outcome.err), (0, ""))
        # Errors and kills occurred before and after the commit.
        for kind in ("EIO", "kill"):
            self.assertIn((kind, "old"), states)
            self.assertIn((kind, "new"), states)
        return calls

    @staticmethod
    def faults_of(n, name, more_errors):
        faults = [f"{n}:kill", f"{n}:EIO"]
        if not more_errors:
            return faults
        faults.append(f"{n}+:EIO")
        if name in REPEATED:
            faults.append(f"{n}:done-EIO")
        if name in TAKES_SPACE:
            faults.append(f"{n}:ENOSPC")
        if name in INTERRUPTED:
            faults.append(f"{n}:EINTR")
        if name in ("read", "write"):
            faults.append(f"{n}:short")
        return faults

    def check_order(self, calls):
        """Checks that syncs protect against a crash of the machine."""
        events = [(name, path, detail) for _, name, path, detail, error
                  in calls if error == "0"]
        commit = next(i for i, event in enumerate(events)
                      if event[0] in ("rename", "renameat2", "link")
                      and event[2] == "t-manifest.json")
        manifest = events[commit][1]
        folder = os.path.dirname(manifest)
        named = [i for i, event in enumerate(events)
                 if event[0] in ("rename", "renameat2", "link")
                 and re.fullmatch(r"t-\d+\.sst", event[2])]
        self.assertEqual(len(named), len(self.new))
        self.assertLess(max(named), commit)

        def last(name, path, end):
            found = [i for i, event in enumerate(events[:end])
                     if event[:2] == (name, path)]
            self.assertTrue(found, (name, path, end))
            return found[-1]

        def made_as(path, end):
            """Returns when a file got this name, and its name before."""
            found = [(i, event[1]) for i, event in enumerate(events[:end])
                     if event[0] in ("rename", "renameat2", "link")
                     and event[2] == path]
            return found[-1]

        def check_is_durable(path, end):
            renamed, written_as = made_as(path, end)
            synced = last("fdatasync", written_as, renamed)
            self.assertLess(last("write", written_as, end), synced)
            self.assertGreater(last("fsync", folder, end), renamed)

        # Each table, the manifest and the journal are durable before any table
        # has its name.
        for i in named:
            check_is_durable(events[i][1], min(named))
        check_is_durable(manifest, min(named))
        check_is_durable(f"{folder}/journal", min(named))
        # The folder of the run survives a crash.
        self.assertGreater(last("fsync", ".", min(named)),
                           made_as(f"{folder}/journal", min(named))[0])
        # All tables have their names before the manifest lists them.
        self.assertGreater(last("fsync", ".", commit), max(named))
        # The new manifest is durable before any old table is removed.
        for i, event in enumerate(events):
            if event[0] == "unlink" and re.fullmatch(r"t-\d+\.sst", event[1]):
                self.assertGreater(last("fsync", ".", i), commit)
                # The journal is removed after the tables.
                self.assertLess(i, last("fsync", ".", last(
                    "unlink", f"{folder}/journal", len(events))))

    def test_a_new_set(self):
        self.make_sets(0, 2)
        self.check_every_call()

    def test_a_set_over_one_of_as_many_tables(self):
        self.make_sets(2, 2)
        calls = self.check_every_call()
        self.assertGreater(len(calls), 80)

    def test_a_set_over_a_larger_one(self):
        self.make_sets(3, 1)
        self.check_every_call(more_errors=False)

    def test_a_set_over_a_smaller_one(self):
        self.make_sets(1, 3)
        self.check_every_call(more_errors=False)

    def test_file_systems_without_renameat2(self):
        for old, new in ((0, 1), (1, 1)):
            with self.subTest(old=old):
                self.make_sets(old, new)
                self.check_every_call("renameat2:ENOSYS", more_errors=False)
                shutil.rmtree(self.start)
                shutil.rmtree(self.out)
                self.out.mkdir()

    def test_file_systems_without_locks(self):
        self.make_sets(1, 1)
        self.restart()
        self.run_ok(self.command, self.new_rows, "flock:ENOLCK")
        self.assertEqual((self.check_set(), self.left_of_set()), ("new", []))
        # Without locks it is unknown whether the run that left something still
        # lives.
        self.restart()
        outcome = self.run_program(self.command, self.new_rows, "write@1:kill")
        self.assertTrue(outcome.killed)
        left, = self.left_of_set()
        outcome = self.run_ok([*self.command, "--clean"], self.new_rows,
                              "flock:ENOLCK")
        self.assertIn(f"{left} may be left over from an earlier run; whether "
                      "that run is still active is unknown", outcome.err)
        self.assertEqual(self.left_of_set(), [left])

    def test_what_only_looks_alike(self):
        self.make_sets(1, 1)
        self.plant(dict(FOREIGN, **MORE_FOREIGN))
        links = {"t.sst.tmp.7.7": "u-000001.sst", "t.tmp.linked": "t.tmp.real",
                 "t.tmp.lock": "u.tmp.lock"}
        (self.out / "t.sst.tmp.8.8").mkdir()
        (self.out / "t.tmp.real").mkdir()
        (self.out / "t.tmp.real" / "lock").write_bytes(b"")
        for name, target in links.items():
            os.symlink(target, self.out / name)
        others = set(os.listdir(self.out))
        self.run_program([*self.command, "--clean"], self.new_rows)
        self.assertEqual(self.check_set(), "old")
        (self.out / "t.tmp.lock").unlink()
        del links["t.tmp.lock"]
        for command in (self.command, ["build", "--out=t.sst", *FIXED]):
            outcome = self.run_ok([*command, "--clean", "--overwrite"],
                                  self.new_rows)
            self.assertEqual(outcome.err, "")
            self.assertEqual(self.check_set(), "new")
            for name, target in links.items():
                self.assertEqual(os.readlink(self.out / name), target)
            self.assertEqual(
                others - set(os.listdir(self.out)), {"t-000001.sst",
                                                     "t.tmp.lock"})
            self.assertEqual(os.listdir(self.out / "t.tmp.real"), ["lock"])

    def test_a_removal_that_fails(self):
        """The new set is complete. The next run removes the old table.

        It does not report that a run was killed.
        """
        self.make_sets(2, 1)
        self.restart()
        outcome = self.run_ok(self.command, self.new_rows,
                              "unlink~t-000001.sst:EPERM")
        self.assertEqual(self.check_set(), "new")
        left = self.left_of_set()
        self.assertEqual(left[0], "t-000001.sst")
        self.assertEqual(
            outcome.err, "ashlar: warning: remove t-000001.sst: Operation not "
                         "permitted\nashlar: warning: the new set is "
                         "complete, but tables of the old set are left; the "
                         "next run over the set finishes what "
                         f"{left[1]} lists\n")
        # The removal fails again. This hinders no run.
        outcome = self.run_ok(self.command, self.new_rows,
                              "unlink~t-000001.sst:EPERM")
        self.assertIn(f"{left[1]}: what an earlier run left is not finished "
                      "yet",
                      outcome.err)
        self.assertTrue((self.out / "t-000001.sst").exists())
        outcome = self.run_program(["build", *SET], self.new_rows)
        self.assertEqual((outcome.code, outcome.err), (
            2, f"ashlar: warning: {left[1]}: finished what an earlier run left:"
            " removed t-000001.sst\n"
            "ashlar: t-manifest.json exists; --overwrite replaces it\n"))
        self.assertEqual(self.left_of_set(), [])
        self.assertEqual(self.check_set(), "new")


class RecoveryFaults(SetFixture):
    """Faults in the run after a killed one."""

    def distinct_states(self):
        """Returns plans that kill a run so that different files are left."""
        self.restart()
        calls = self.run_ok(self.command, self.new_rows, "").calls
        plans = {}
        for n in range(1, len(calls) + 1):
            self.restart()
            self.run_program(self.command, self.new_rows, f"{n}:kill")
            tree = []
            for top, _, files in os.walk(self.out):
                place = re.sub(r"t\.tmp\.\w{6}$", "t.tmp.X", top)
                tree.append((place, ""))
                tree += [(place, re.sub(r"\.tmp\.\d+\.\d+$", ".tmp", name))
                         for name in files]
            plans.setdefault(tuple(sorted(tree)), f"{n}:kill")
        return list(plans.values())

    def test_faults_of_the_recovery(self):
        """A second run fails or is killed while it recovers from the first."""
        self.make_sets(1, 1, foreign={})
        plans = self.distinct_states()
        self.assertGreater(len(plans), 10)
        for first in plans:
            self.restart()
            self.run_program(self.command, self.new_rows, first)
            calls = self.run_ok([*self.command, "--clean"], self.new_rows,
                                "").calls
            # The recovery ends where the run makes a folder of its own.
            end = next(int(call[0]) for call in calls if call[1] == "mkdtemp")
            for n in range(1, end + 1):
                for fault in (f"{n}:kill", f"{n}:EIO"):
                    self.restart()
                    self.run_program(self.command, self.new_rows, first)
                    before, was = self.left_of_set(), self.check_set()
                    outcome = self.run_program([*self.command, "--clean"],
                                               self.new_rows, fault)
                    with self.at(f"{first} then {fault}", outcome):
                        self.check_run(outcome, before, was)
                        self.check_next_runs()


class FileFaults(FaultsTest):
    """Single files: each is complete, or is as before."""

    @staticmethod
    def shape(data):
        """Returns what is the same in each run: pages contain times."""
        return b"page" if re.fullmatch(
            rb"<!doctype html>.*</html>\s*", data, re.S | re.I) else data

    def check_file(self, command, name, before, after, plan):
        """Checks one run under a fault, and the runs after it."""
        outcome = self.run_program([*command, "--overwrite"], self.rows, plan)
        with self.at(plan, outcome):
            self.check_foreign()
            path = self.out / name
            found = self.shape(path.read_bytes()) if path.exists() else None
            self.assertIn(found, (before, after))
            left = [other for other in self.names() if other != name]
            if not outcome.killed:
                self.assertIn(outcome.code, (0, 2))
                if outcome.code == 0:
                    self.assertEqual(found, after)
                else:
                    self.assertEqual(found == after,
                                     "the file is in place" in outcome.err)
                self.assert_named(left, outcome)
            if plan.endswith((":EINTR", ":short")):
                self.assertEqual(outcome.code, 0)
            for other in left:
                self.assertRegex(other, re.escape(name) + r"\.tmp\.\d+\.\d+$")
            self.check_next_runs(command, name, after, left)
        return found == after

    def check_next_runs(self, command, name, after, left):
        if not left:
            return
        outcome = self.run_ok([*command, "--overwrite"], self.rows)
        self.assertEqual(self.shape((self.out / name).read_bytes()), after)
        self.assertEqual([other for other in self.names() if other != name],
                         left)
        for other in left:
            self.assertIn(f"warning: {other} is left over from an earlier run "
                          "and not needed; --clean removes it\n", outcome.err)
        outcome = self.run_ok([*command, "--overwrite", "--clean"], self.rows)
        for other in left:
            self.assertIn(f"warning: removed {other}, left over from an "
                          "earlier run\n",
                          outcome.err)
        self.assertEqual(self.names(), [name])
        self.check_foreign()

    def check_every_call(self, command, name, base=""):
        self.rows = table_rows(ord("n"), 3)
        self.run_ok(command, self.rows)
        after = self.shape((self.out / name).read_bytes())
        (self.out / name).unlink()
        self.plant(FOREIGN)
        for before in (None, b"old"):
            if before is not None:
                (self.out / name).write_bytes(before)
            shutil.rmtree(self.start, ignore_errors=True)
            self.keep_start()
            calls = self.run_ok([*command, "--overwrite"], self.rows,
                                base).calls
            comma = base + "," if base else ""
            met = set()
            for n, call, *_ in calls:
                for fault in SetFaults.faults_of(n, call, True):
                    self.restart()
                    met.add(self.check_file(command, name, before, after,
                                            comma + fault))
            self.assertEqual(met, {False, True})
            self.restart()

    def make_input(self):
        self.run_ok(["build", f"--out={self.base}/in.sst", *FIXED],
                    table_rows(ord("i"), 5))
        return str(self.base / "in.sst")

    def test_build(self):
        self.check_every_call(["build", "--out=t.sst", *FIXED], "t.sst")

    def test_rewrite(self):
        self.check_every_call(
            ["rewrite", "--out=t.sst", *FIXED, self.make_input()], "t.sst")

    def test_salvage(self):
        self.check_every_call(
            ["salvage", "--out=t.sst", *FIXED, self.make_input()], "t.sst")

    def test_raw(self):
        self.check_every_call(["raw", "--out=t.sst", self.make_input()],
                              "t.sst")

    def test_report(self):
        self.check_every_call(
            ["report", "--out=t.sst", "--sample=1", "--filter_probes=1",
             "--threads=1", self.make_input()], "t.sst")

    def test_names_by_default(self):
        """raw and report name leftovers beside default and refused outputs."""
        for name in ("a.sst", "b.sst"):
            self.run_ok(["build", f"--out={name}", *FIXED], b"a\t\n")
        for command, end in (("raw", "dump.txt"), ("report", "report.html")):
            left = f"b_{end}.tmp.1.2"
            (self.out / left).write_bytes(b"")
            (self.out / "b").write_bytes(b"")
            (self.out / "b.tmp.1.2").write_bytes(b"")
            said = ("ashlar: warning: {} is left over from an earlier run and "
                    "not needed; --clean removes it\n")
            outcome = self.run_ok([command, "--overwrite", "a.sst", "b.sst"])
            self.assertEqual(outcome.err, said.format(left))
            outcome = self.run_program([command, "--out=b", "a.sst"])
            self.assertEqual((outcome.code, outcome.err), (
                2, said.format("b.tmp.1.2") +
                "ashlar: b exists; --overwrite replaces it\n"))
            self.run_ok([command, "--overwrite", "--clean", "a.sst", "b.sst"])
            self.run_program([command, "--out=b", "--clean", "a.sst"])
            self.assertEqual([name for name in self.names() if ".tmp." in name],
                             [])

    def test_links_instead_of_renames(self):
        """A temporary name that stays after a link causes only a warning."""
        rows = table_rows(ord("n"), 3)
        command = ["build", "--out=t.sst", *FIXED]
        outcome = self.run_ok(command, rows,
                              "renameat2:ENOSYS,unlink:EIO")
        name, left = self.names()
        self.assertEqual(name, "t.sst")
        self.assertEqual(outcome.err, f"ashlar: warning: remove {left}: "
                         "Input/output error\n")
        self.assertTrue(os.path.samefile(self.out / name, self.out / left))
        # A removal that fails once is repeated at the end.
        (self.out / name).unlink()
        (self.out / left).unlink()
        outcome = self.run_ok(command, rows, "renameat2:ENOSYS,unlink@1:EIO")
        self.assertEqual((outcome.err, self.names()), ("", ["t.sst"]))

    def test_what_lives_is_left_alone(self):
        with subprocess.Popen(
                [PROGRAM, "build", "--out=t.sst", *FIXED], cwd=self.out,
                stdin=subprocess.PIPE) as run:
            run.stdin.write(b"".join(b"%09d\t%0100d\n" % (i, i)
                                     for i in range(9000)))
            run.stdin.flush()
            living, = self.names()
            outcome = self.run_ok(["build", "--out=t.sst", "--clean", *FIXED],
                                  b"a\t\n")
            self.assertEqual(outcome.err, "")
            self.assertEqual(self.names(), ["t.sst", living])
            run.kill()
        for flags, said in (
                ([], f"ashlar: warning: {living} is left over from an earlier "
                     "run and not needed; --clean removes it\n"),
                (["--clean"], f"ashlar: warning: removed {living}, left over "
                              "from an earlier run\n")):
            outcome = self.run_ok(
                ["build", "--out=t.sst", "--overwrite", *flags, *FIXED],
                b"a\t\n")
            self.assertEqual(outcome.err, said)
        self.assertEqual(self.names(), ["t.sst"])


if __name__ == "__main__":
    try:
        cli.main()
    finally:
        print(f"runs with a fault: {runs}", file=sys.stderr)
