"""Common parts of the scripts that print tables of docs/benchmarks.md."""

import json
import subprocess
import sys

DISTURBED = "every round was disturbed"
ROUNDS = "rounds kept + dropped"


def document(command):
    """Returns the JSON document of a benchmark program's run, or None if other
    load disturbed all rounds of a benchmark."""
    print(" ".join(command), file=sys.stderr)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    sys.stderr.write(done.stderr)
    if DISTURBED in done.stderr:
        return None
    if done.returncode != 0:
        raise SystemExit(f"failed: {' '.join(command)}")
    return json.loads(done.stdout)


def benches(command):
    """Returns the benchmarks of a run, or None as above."""
    found = document(command)
    return None if found is None else found["benchmarks"]


def bench(command):
    """Returns the benchmark of a run that has only one."""
    found = benches(command)
    return None if found is None else found[0]


def header(*columns):
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def spread(report, name):
    """Returns a ratio's median, with the 10th and 90th percentile."""
    found = report.get("ratios", {}).get(name)
    if found is None:
        return "-"
    return f"{found['median']:.2f} ({found['p10']:.2f} - {found['p90']:.2f})"


def rounds_of(report):
    return f"{report['rounds']} + {report['dropped']}"
