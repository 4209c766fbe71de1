"""Arrow IPC and Parquet as inputs of `ashlar build`. pyarrow writes the files,
and its to_pylist says which values they have.

Needs pyarrow, and the module libashlar_arrow.so beside the program or at
ASHLAR_ARROW_MODULE. test/interop/run_arrow sets both up.
"""

import base64
import csv
import datetime
import decimal
import io
import json
import math
import os
import pathlib
import random
import re
import resource
import struct
import sys
import unittest

import cli
from cli import CliTest

try:
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet as pq
except ImportError:
    pa = None

SAME = ["--identity=01", "--creation_time=1"]
MODULE = pathlib.Path(os.environ.get(
    "ASHLAR_ARROW_MODULE",
    pathlib.Path(cli.PROGRAM).parent / "libashlar_arrow.so"))
SANITIZED = os.environ.get("ASHLAR_SANITIZED")
UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def missing():
    """Returns what these tests lack, or None."""
    if pa is None:
        return "there is no pyarrow (test/interop/run_arrow installs one)"
    if not MODULE.exists():
        return f"there is no {MODULE} (test/interop/run_arrow builds one)"
    return None


# --- Random values ----------------------------------------------------------

def text(draw):
    return "".join(draw.choices("aé\"\\\n\0zß漢🙂 ,", k=draw.choice(
        (0, 1, 3, 12, 13, 40))))


def blob(draw):
    return draw.randbytes(draw.choice((0, 1, 2, 3, 12, 13, 100)))


def number(draw, bits, signed):
    low = -2**(bits - 1) if signed else 0
    high = low + 2**bits - 1
    return draw.choice((low, high, 0, 1, draw.randint(low, high)))


def single(draw):
    return struct.unpack("f", struct.pack("f", draw.choice(
        (0.0, -0.0, 0.1, 1e30, -1.5, draw.uniform(-9, 9)))))[0]


def plain_types():
    """Yields a type, and a function that draws a value of it."""
    yield pa.null(), lambda draw: None
    yield pa.bool_(), lambda draw: draw.random() < 0.5
    for bits in (8, 16, 32, 64):
        for signed in (True, False):
            name = f"{'' if signed else 'u'}int{bits}"
            yield (getattr(pa, name)(),
                   lambda draw, bits=bits, signed=signed:
                   number(draw, bits, signed))
    yield pa.float16(), lambda draw: draw.choice(
        (0.0, -1.5, 2.0**-24, 65504.0, 0.333251953125, math.inf))
    yield pa.float32(), single
    yield pa.float64(), lambda draw: draw.choice(
        (0.1, 1e300, 5e-324, -math.inf, draw.uniform(-9, 9), math.nan))
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        yield kind, text
    for kind in (pa.binary(), pa.large_binary(), pa.binary_view()):
        yield kind, blob
    yield pa.binary(5), lambda draw: draw.randbytes(5)
    yield pa.date32(), lambda draw: datetime.date(
        draw.randint(1, 9999), draw.randint(1, 12), draw.randint(1, 28))
    yield pa.date64(), lambda draw: datetime.date(
        draw.randint(1, 9999), draw.randint(1, 12), draw.randint(1, 28))
    for unit, second in UNITS.items():
        kind = pa.time32(unit) if second <= 1000 else pa.time64(unit)
        yield kind, lambda draw, second=second: draw.randrange(86400 * second)
        for zone in (None, "Europe/Paris"):
            yield (pa.timestamp(unit, zone), lambda draw, second=second:
                   draw.choice((0, -1, draw.randint(-9 * 10**9, 9 * 10**9)))
                   * min(second, 10**9) + draw.randrange(second))
        yield (pa.duration(unit), lambda draw:
               draw.choice((0, -1, draw.randint(-2**62, 2**62))))
    for digits, scale in ((38, 10), (38, 38), (9, 0), (5, -2)):
        yield pa.decimal128(digits, scale), lambda draw, d=digits, s=scale: (
            decimal.Decimal(draw.randint(-10**d + 1, 10**d - 1)).scaleb(
                -s, decimal.Context(prec=60)))
    yield pa.decimal32(7, 2), lambda draw: decimal.Decimal(
        draw.randint(-9999999, 9999999)).scaleb(-2)
    yield pa.decimal64(16, 3), lambda draw: decimal.Decimal(
        draw.randint(-10**16 + 1, 10**16 - 1)).scaleb(-3)


def nested_types(draw, depth=2):
    """Yields types with parts of random types, with functions as above."""
    plain = list(plain_types())

    def part():
        if depth > 0 and draw.random() < 0.3:
            return draw.choice(list(nested_types(draw, depth - 1)))
        return draw.choice(plain)

    def some(draw_value):
        return lambda draw: [maybe(draw, draw_value)
                             for _ in range(draw.randrange(4))]

    for make in (pa.list_, pa.large_list, pa.list_view, pa.large_list_view):
        kind, value = part()
        yield make(kind), some(value)
    kind, value = part()
    yield pa.list_(kind, 3), lambda draw, value=value: [
        maybe(draw, value) for _ in range(3)]
    parts = [part() for _ in range(3)]
    yield (pa.struct([(f"f{i}", kind) for i, (kind, _) in enumerate(parts)]),
           lambda draw: {f"f{i}": maybe(draw, value)
                         for i, (_, value) in enumerate(parts)})
    kind, value = part()
    yield (pa.map_(pa.string(), kind),
           lambda draw, value=value: [(text(draw), maybe(draw, value))
                                      for _ in range(draw.randrange(4))])


def maybe(draw, value):
    return None if draw.random() < 0.2 else value(draw)


def array(draw, kind, value, rows):
    """Returns an array of `rows` values that begins within its buffers."""
    before = draw.randrange(12)
    values = [maybe(draw, value) for _ in range(before + rows + 3)]
    return pa.array(values, kind).slice(before, rows)


# --- The oracle -------------------------------------------------------------

def units_of(text_of, kind):
    """Returns the number of units of a text of ISO 8601."""
    second = UNITS[kind.unit]
    if pa.types.is_duration(kind):
        sign, whole, fraction = re.fullmatch(
            r"(-?)PT(\d+)\.?(\d*)S", text_of).groups()
        units = int(whole) * second + int(fraction or 0)
        return -units if sign else units
    day, _, clock = text_of.rpartition("T")
    if pa.types.is_timestamp(kind):
        assert clock.endswith("Z") == (kind.tz is not None), text_of
    hour, minute, rest = clock.removesuffix("Z").split(":")
    whole, _, fraction = rest.partition(".")
    assert 10 ** len(fraction) == second, text_of
    units = (int(hour) * 3600 + int(minute) * 60 + int(whole)) * second
    units += int(fraction or 0)
    if day:
        days = datetime.date.fromisoformat(day) - datetime.date(1970, 1, 1)
        units += days.days * 86400 * second
    return units


def as_python(value, kind):
    """Returns what to_pylist gives for the value that the JSON has; of times,
    the number of units."""
    types = pa.types
    if value is None:
        return None
    if types.is_dictionary(kind):
        return as_python(value, kind.value_type)
    if types.is_floating(kind):
        named = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
        value = named[value] if isinstance(value, str) else float(value)
        # A text of a float of 4 bytes is the shortest one.
        return struct.unpack("f", struct.pack("f", value))[0] \
            if kind.bit_width < 64 else value
    if types.is_decimal(kind):
        return decimal.Decimal(value)
    if types.is_date(kind):
        return datetime.date.fromisoformat(value)
    if types.is_temporal(kind):
        return units_of(value, kind)
    if (types.is_binary(kind) or types.is_large_binary(kind) or
            types.is_fixed_size_binary(kind) or types.is_binary_view(kind)):
        return base64.b64decode(value, validate=True)
    if types.is_map(kind):
        return [(as_python(key, kind.key_type), as_python(item, kind.item_type))
                for key, item in value]
    if types.is_struct(kind):
        return {field.name: as_python(value[field.name], field.type)
                for field in kind}
    if isinstance(value, list):
        return [as_python(item, kind.value_type) for item in value]
    return value


def plain(scalar, kind):
    """Returns the value of to_pylist, with times as numbers of units."""
    types = pa.types
    if scalar is None or not scalar.is_valid:
        return None
    if types.is_dictionary(kind):
        return plain(scalar.value, kind.value_type)
    if types.is_temporal(kind) and not types.is_date(kind):
        return scalar.value
    if types.is_map(kind):
        return [(plain(pair["key"], kind.key_type),
                 plain(pair["value"], kind.item_type))
                for pair in scalar.values]
    if types.is_struct(kind):
        return {field.name: plain(scalar[field.name], field.type)
                for field in kind}
    if types.is_nested(kind):
        return [plain(item, kind.value_type) for item in scalar.values]
    return scalar.as_py()


def same(a, b):
    """Compares as == does, but NaN equals NaN, and -0.0 not 0.0."""
    if isinstance(a, float) and isinstance(b, float):
        return struct.pack("d", a) == struct.pack("d", b) or (a != a and b != b)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    return a == b and isinstance(a, type(b))


class ArrowTest(CliTest):

    def arrow(self, table, name="t.arrow", rows=None):
        """Writes the file form of Arrow IPC."""
        with pa.ipc.new_file(self.folder / name, table.schema) as writer:
            writer.write_table(table, max_chunksize=rows)
        return name

    def stream(self, table, name="t.arrows", rows=None):
        with pa.ipc.new_stream(self.folder / name, table.schema) as writer:
            writer.write_table(table, max_chunksize=rows)
        return name

    def parquet(self, table, name="t.parquet", **more):
        pq.write_table(table, self.folder / name, **more)
        return name

    def made(self, *arguments, **more):
        """The bytes of the table that build makes."""
        self.run_ok("build", "--out=made.sst", "--overwrite", "--quiet", *SAME,
                    *arguments, **more)
        return (self.folder / "made.sst").read_bytes()

    def rows_of(self, *arguments, **more):
        self.made(*arguments, **more)
        printed = self.run_ok("scan", "--output_format=canonical",
                              "made.sst").text
        rows = [line.split(" ") for line in printed.splitlines()]
        return [(bytes.fromhex(row[0]), bytes.fromhex(row[3])) for row in rows]

    def refused(self, *arguments, **more):
        return self.run_code(2, "build", "--out=x.sst", "--quiet", *arguments,
                             **more).err

    def check_values(self, table, *arguments):
        """Builds, and compares the JSON of each row with the row."""
        found = self.rows_of("--key_column=id:u32be", *arguments)
        self.assertEqual(len(found), table.num_rows)
        for row, (key, value) in enumerate(found):
            self.assertEqual(key, struct.pack(">I", row))
            members = json.loads(value)
            self.assertEqual(list(members), table.column_names[1:])
            for name, column in zip(table.column_names[1:], table.columns[1:]):
                kind = column.type
                self.assertTrue(
                    same(as_python(members[name], kind),
                         plain(column[row], kind)),
                    (row, name, kind, members[name], column[row]))

    def random_table(self, draw, kinds, rows=40):
        columns = {"id": pa.array(range(rows), pa.uint32())}
        for i, (kind, value) in enumerate(kinds):
            columns[f"c{i} {kind}"] = array(draw, kind, value, rows)
        return pa.table(columns).slice(0, rows)

    def test_values_of_each_type(self):
        draw = random.Random(24)
        kinds = list(plain_types())
        for kind, value in list(plain_types()):
            if pa.types.is_null(kind) or pa.types.is_decimal(kind):
                continue
            # pyarrow cannot encode all types itself.
            values = [value(draw) for _ in range(5)]
            index = draw.choice((pa.int8(), pa.uint16(), pa.int64()))
            try:
                pa.DictionaryArray.from_arrays(
                    pa.array([0], index), pa.array(values, kind))
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                continue
            kinds.append((pa.dictionary(index, kind), values))
        columns = {"id": pa.array(range(40), pa.uint32())}
        for i, (kind, value) in enumerate(kinds):
            if pa.types.is_dictionary(kind):
                made = pa.DictionaryArray.from_arrays(
                    pa.array([draw.choice((None, 0, 1, 2, 3, 4))
                              for _ in range(45)], kind.index_type),
                    pa.array(value, kind.value_type)).slice(5)
            else:
                made = array(draw, kind, value, 40)
            columns[f"c{i} {kind}"] = made
        table = pa.table(columns)
        for rows in (None, 7):
            self.check_values(table, self.arrow(table, rows=rows))
            self.check_values(table, self.stream(table, rows=rows))

    def test_nested_values(self):
        for seed in range(8 if cli.THOROUGH else 3):
            draw = random.Random(seed)
            table = self.random_table(draw, list(nested_types(draw)))
            self.check_values(table, self.arrow(table, rows=11))
            self.check_values(table, self.stream(table))

    def test_parquet(self):
        def is_kept(kind):
            """Whether Parquet has the type, and pyarrow reads it again."""
            if "[s" in str(kind) or "[ns" in str(kind):
                return False  # rounded by some versions of the format
            try:
                sink = io.BytesIO()
                pq.write_table(pa.table({"c": pa.array([], kind)}), sink)
                return pq.read_table(sink).schema.field(0).type == kind
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError):
                return False

        draw = random.Random(7)
        kinds = [(kind, value) for kind, value in plain_types()
                 if is_kept(kind)]
        self.assertGreater(len(kinds), 25)
        kinds += [(kind, value) for kind, value in nested_types(draw, 0)
                  if is_kept(kind)]
        table = self.random_table(draw, kinds, rows=100)
        for more in ({}, {"row_group_size": 13, "compression": "zstd"},
                     {"use_dictionary": False, "data_page_size": 64,
                      "version": "1.0"}):
            name = self.parquet(table, **more)
            # Version 1.0 has not all types: to_pylist is of what is read back.
            self.check_values(pq.read_table(self.folder / name), name,
                              "--nosorted")

    def test_keys_are_those_of_csv(self):
        draw = random.Random(3)
        rows = 200
        columns = {
            "text": pa.array([text(draw).replace("\0", "") + str(i)
                              for i in range(rows)]),
            "u8": pa.array([draw.randrange(256) for _ in range(rows)],
                           pa.uint8()),
            "i64": pa.array([number(draw, 64, True) for _ in range(rows)]),
            "f32": pa.array([single(draw) for _ in range(rows)], pa.float32()),
            "f64": pa.array([draw.uniform(-9, 9) for _ in range(rows)]),
            "price": pa.array([decimal.Decimal(draw.randrange(10**6)).scaleb(-2)
                               for _ in range(rows)], pa.decimal128(9, 2)),
            "u64": pa.array([number(draw, 64, False) for _ in range(rows)],
                            pa.uint64()),
            "hex": pa.array([blob(draw).hex() for _ in range(rows)]),
            "v": pa.array([str(i) for i in range(rows)]),
        }
        table = pa.table(columns)
        out = io.StringIO(newline="")
        writer = csv.writer(out)
        writer.writerow(table.column_names)
        for row in table.to_pylist():
            row["f32"] = json.loads(json.dumps(row["f32"]))
            writer.writerow(row.values())
        names = [self.arrow(table, rows=17), self.parquet(table)]
        for key in ("text", "text:text:terminated,u8:u32be", "u8:i64be,v",
                    "i64:i64be:desc,v", "f32:f32be,v", "f64:f64be,v",
                    "f64:f32be,v", "i64:f64be,v", "u8:f32be,v",
                    "price:f64be,v", "u64:u64be,v", "hex:hex:length,v", "8,9"):
            flags = ["--nosorted", f"--key_column={key}", "--value_column=v"]
            if key == "8,9":
                flags[-1] = "--value_column=1"
            expected = self.made("--input_format=csv", "--header", *flags,
                                 stdin=out.getvalue().encode())
            for name in names:
                self.assertEqual(self.made(name, *flags), expected, key)
            flags[-1] = "--value_column=u8:u32be,text,u64:u64be"
            expected = self.made("--input_format=csv", "--header", *flags,
                                 stdin=out.getvalue().encode())
            for name in names:
                self.assertEqual(self.made(name, *flags), expected, key)

    def test_values_are_those_of_json_lines(self):
        draw = random.Random(5)
        rows = [{"a": maybe(draw, text), "b": draw.random() < .5,
                 "c": number(draw, 64, True), "d": [1, None],
                 "e": {"x": text(draw)}, "id": i} for i in range(100)]
        lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
        table = pa.Table.from_pylist(rows)
        flags = ["--key_column=id:u64be"]
        found = self.rows_of(self.arrow(table), *flags)
        expected = self.rows_of("--input_format=jsonl", *flags, stdin=lines)
        self.assertEqual([(key, list(json.loads(value).items()))
                          for key, value in found],
                         [(key, list(json.loads(value).items()))
                          for key, value in expected])

    def test_times_are_integers_in_encodings_of_integers(self):
        table = pa.table({
            "at": pa.array([-1, 0, 1700000000123], pa.timestamp("ms", "UTC")),
            "day": pa.array([-1, 0, 19000], pa.date32())})
        name = self.arrow(table)
        self.assertEqual(
            self.rows_of(name, "--key_column=at:i64be",
                         "--value_column=day:i32be"),
            [(struct.pack(">Q", at + 2**63), struct.pack(">I", day + 2**31))
             for at, day in ((-1, -1), (0, 0), (1700000000123, 19000))])
        self.assertEqual(self.rows_of(name), [
            (b"1969-12-31T23:59:59.999Z", b"1969-12-31"),
            (b"1970-01-01T00:00:00.000Z", b"1970-01-01"),
            (b"2023-11-14T22:13:20.123Z", b"2022-01-08")])
        # Years of more than four digits, and before the year 0.
        draw = random.Random(9)
        moments = [2**63 - 1, -2**63, -62167219201] + [
            draw.randint(-2**62, 2**62) for _ in range(200)]
        table = pa.table({"k": list(map("%03d".__mod__, range(len(moments)))),
                          "v": pa.array(moments, pa.timestamp("s"))})
        found = [value for _, value in self.rows_of(self.arrow(table))]
        for moment, value in zip(moments, found):
            # The calendar repeats after 400 years.
            cycles, second = divmod(moment, 146097 * 86400)
            near = datetime.datetime(1970, 1, 1) + datetime.timedelta(0, second)
            year = near.year + 400 * cycles
            self.assertEqual(value.decode(), (
                f"{'-' if year < 0 else ''}{abs(year):04}"
                f"{near.strftime('-%m-%dT%H:%M:%S')}"))

    def test_decimals_that_are_whole_are_integers(self):
        for kind in (pa.decimal128(9, 2), pa.decimal64(9, 2)):
            table = pa.table({"k": pa.array(
                list(map(decimal.Decimal, ("-12.00", "0.00", "120.00"))), kind),
                "v": ["a", "b", "c"]})
            name = self.arrow(table)
            self.assertEqual(
                self.rows_of(name, "--key_column=k:i32be"),
                [(struct.pack(">I", number + 2**31), value)
                 for number, value in ((-12, b'{"v":"a"}'), (0, b'{"v":"b"}'),
                                       (120, b'{"v":"c"}'))])
            self.assertEqual(
                self.rows_of(name, "--key_column=v", "--value_column=k"),
                [(b"a", b"-12.00"), (b"b", b"0.00"), (b"c", b"120.00")])
        table = pa.table({"k": [decimal.Decimal("12.50")], "v": ["a"]})
        self.assertIn("t.arrow:1: column 1 ('k'): expected a whole number",
                      self.refused(self.arrow(table), "--key_column=k:i32be"))

    def test_bytes_of_an_object(self):
        table = pa.table({"k": ["a"], "v": [b"text"], "w": [b"\xff"]})
        name = self.arrow(table)
        self.assertEqual(self.rows_of(name, "--key_column=k"),
                         [(b"a", b'{"v":"dGV4dA==","w":"/w=="}')])
        self.assertEqual(self.rows_of(name, "--key_column=k",
                                      "--value_column=v:text,w"),
                         [(b"a", b'{"v":"text","w":"/w=="}')])
        self.assertIn("t.arrow:1: column 3 ('w'): byte 1 of it is not UTF-8",
                      self.refused(name, "--key_column=k",
                                   "--value_column=v,w:text"))

    def test_forms_are_recognized(self):
        table = pa.table({"k": ["a", "b"], "v": ["1", "2"]})
        expected = self.made(stdin=b"a\t1\nb\t2\n")
        for name in (self.arrow(table), self.arrow(table, "x"),
                     self.arrow(table, "y.parquet"), self.stream(table),
                     self.parquet(table), self.parquet(table, "z.arrow")):
            self.assertEqual(self.made(name), expected, name)
        data = (self.folder / self.stream(table, "s")).read_bytes()
        self.assertEqual(self.made("--input_format=arrow", "s"), expected)
        self.assertEqual(self.made("--input_format=arrow", "-", stdin=data),
                         expected)
        pyarrow.feather.write_feather(table, self.folder / "f", "zstd")
        self.assertEqual(self.made("f"), expected)
        self.assertIn("; expected a stream of Arrow IPC, not a file", self.refused(
            "--input_format=arrow", "-",
            stdin=(self.folder / "t.arrow").read_bytes()))
        # Other errors have nothing to do with the form.
        self.assertRegex(self.run_code(
            2, "-c", '"$0" build --input_format=arrow --out=x.sst --quiet - <.',
            cli.PROGRAM, program="/bin/sh").err,
            r"\A-: IO error: read: Is a directory\n")
        self.assertIn("Parquet cannot be read from standard input",
                      self.refused("--input_format=parquet", "-", stdin=data))
        (self.folder / "lines").write_bytes(b"a\t1\n")
        self.assertIn("t.parquet is parquet, and lines is lines",
                      self.refused("t.parquet", "lines"))
        for names in (("t.parquet", "gone"), ("gone", "t.parquet")):
            self.assertRegex(self.refused(*names),
                             r"\A.*gone: No such file or directory\n")
        self.assertIn("--header goes with --input_format=csv and tsv only",
                      self.refused("t.parquet", "--header"))
        os.mkfifo(self.folder / "pipe")
        self.assertIn("pipe: Corruption: not a regular file; standard input "
                      "can be the stream form", self.refused(
                          "--input_format=arrow", "pipe", timeout=60))
        for name in ("lines", "empty"):
            (self.folder / name).write_bytes(b"")
            for form in ("arrow", "parquet"):
                self.assertRegex(self.refused(f"--input_format={form}", name),
                                 rf"\A{name}: Corruption: ")
        self.assertRegex(self.refused("--input_format=arrow", "nowhere"),
                         r"\Anowhere: IO error: open: No such file")

    def test_folders_and_ranges(self):
        (self.folder / "rows").mkdir()
        for part in range(3):
            self.parquet(pa.table({
                "k": [f"key{i:04}" for i in range(part, 300, 3)],
                "v": [str(i) for i in range(part, 300, 3)]}),
                f"rows/part-{part}")
        (self.folder / "rows" / "_SUCCESS").write_bytes(b"")
        lines = b"".join(b"key%04d\t%d\n" % (i, i) for i in range(300))
        expected = self.made(stdin=lines)
        self.assertEqual(self.made("rows", "--nosorted"), expected)
        self.assertEqual(self.made("rows", "--merge_inputs"), expected)
        some = ["--from=key0100", "--to=key0200"]
        self.assertEqual(self.made("rows", "--merge_inputs", *some),
                         self.made(*some, stdin=lines))
        outcome = self.run_ok("build", "--dry_run", "--nosorted", "--json",
                              "rows")
        self.assertIn('"entries":300', outcome.text)
        self.assertIn("rows/part-1:1: ", self.refused("rows"))
        # The number of the row is that of its input, also after a sort.
        self.parquet(pa.table({"k": ["x", "key0100"], "v": ["", ""]}),
                     "rows/part-3")
        self.assertIn("rows/part-3:2: ", self.refused("rows", "--nosorted"))

    def test_bad_rows(self):
        table = pa.table({"k": ["a", None, "c", "d"], "n": [1, 2, -3, None],
                          "f": [0.5, 1.5, math.nan, 2.5]})
        flags = [self.arrow(table, rows=2), "--key_column=k,n:u32be",
                 "--value_column=f:f64be"]
        self.assertEqual(
            self.refused(*flags),
            "t.arrow:2: column 1 ('k'): null; expected a value\n")
        self.assertIn(
            "hint: correct the row; 'ashlar help build' describes rows of "
            "--input_format=arrow\n",
            self.run_code(2, "build", "--out=x.sst", *flags).err)
        self.assertEqual(len(self.rows_of(
            *flags, "--max_bad_rows=3", "--bad_rows=bad")), 1)
        self.assertEqual(
            (self.folder / "bad").read_text().splitlines()[1:], [
                "t.arrow\t2\tcolumn 1 ('k'): null; expected a value\t"
                '{"k":null,"n":2,"f":1.5}',
                "t.arrow\t3\tcolumn 2 ('n'): expected a whole number from 0 to "
                '4294967295\t{"k":"c","n":-3,"f":"NaN"}',
                "t.arrow\t4\tcolumn 2 ('n'): null; expected a value\t"
                '{"k":"d","n":null,"f":2.5}'])
        self.assertIn("t.arrow:1: column 3 ('f'): expected a number",
                      self.refused(self.arrow(table.slice(2)),
                                   "--key_column=k", "--value_column=f:f64be"))

    def test_columns_that_cannot_be_used(self):
        union = pa.UnionArray.from_sparse(
            pa.array([0], pa.int8()), [pa.array([1]), pa.array(["x"])])
        table = pa.table({"k": ["a"], "u": union, "f": [1.5], "l": [[1]],
                          "n": [7]})
        name = self.arrow(table)
        for flags, expected in (
                (["--key_column=x"], "no column 'x' in the schema"),
                (["--key_column=9"], "there is no column 9; the row has 5"),
                ([], "the rows have 5 columns; expected a key and a value; "
                     "--key_column names the columns of the key"),
                (["--key_column=k"], r"column 2 \('u'\): values of Arrow's type "
                                     r"'\+us:0,1' cannot be read; expected .*"),
                (["--key_column=f:u64be", "--value_column=k"],
                 "column 3 ('f'): type float64 cannot become u64be"),
                (["--key_column=l", "--value_column=k"],
                 "column 4 ('l'): type list cannot be part of a key"),
                (["--key_column=n:hex", "--value_column=k"],
                 "column 5 ('n'): type int64 has no text of hexadecimal digits "
                 "or base64")):
            self.assertRegex(self.refused(name, *flags), "\\At.arrow: " + (
                expected if ".*" in expected else re.escape(expected)) + "\n")
        # A column that nobody asks for can be of any type.
        self.assertEqual(
            self.rows_of(name, "--key_column=k", "--value_column=l"),
            [(b"a", b"[1]")])
        twice = pa.table([pa.array(["a"]), pa.array(["b"]), pa.array(["c"])],
                         names=["k", "v", "v"])
        self.assertIn("the schema has column 'v' twice",
                      self.refused(self.arrow(twice), "--key_column=k"))
        self.assertEqual(
            self.rows_of("t.arrow", "--key_column=3", "--value_column=2"),
            [(b"c", b"b")])

    def test_other_columns_are_not_read(self):
        draw = random.Random(2)
        table = pa.table({"k": ["a", "b"], "v": ["1", "2"], "big": [
            " ".join(str(draw.random()) for _ in range(20000))] * 2})
        names = [self.parquet(table, compression="zstd"),
                 self.arrow(table, "t.feather")]
        pyarrow.feather.write_feather(table, self.folder / names[1], "zstd")
        for name in names:
            data = bytearray((self.folder / name).read_bytes())
            # The middle of the file is in the third column.
            for place in range(len(data) * 4 // 10, len(data) * 6 // 10):
                data[place] = 0
            (self.folder / name).write_bytes(data)
            flags = [name, "--key_column=k", "--value_column=v"]
            self.assertEqual(self.rows_of(*flags), [(b"a", b"1"), (b"b", b"2")])
            self.assertIn(": Corruption: ", self.refused(*flags[:2]))

    def test_checksums_of_pages_are_compared(self):
        table = pa.table({"k": ["a", "needle"], "v": ["1", "2"]})
        for has_sum in (False, True):
            name = self.parquet(table, use_dictionary=False, compression="none",
                                write_statistics=False,
                                write_page_checksum=has_sum)
            data = (self.folder / name).read_bytes()
            self.assertEqual(data.count(b"needle"), 1)
            (self.folder / name).write_bytes(data.replace(b"needle", b"noodle"))
            if has_sum:
                self.assertRegex(self.refused(name), "Corruption: .*CRC")
            else:
                self.assertEqual(self.rows_of(name),
                                 [(b"a", b"1"), (b"noodle", b"2")])

    def test_no_damage_of_pages_with_checksums_passes(self):
        draw = random.Random(12)
        table = self.random_table(draw, [
            (kind, value) for kind, value in plain_types()
            if str(kind) in ("string", "int32", "binary", "double")], rows=99)
        name = self.parquet(table, use_dictionary=False, compression="none",
                            write_page_checksum=True)
        data = (self.folder / name).read_bytes()
        group = pq.read_metadata(self.folder / name).row_group(0)
        for i in range(group.num_columns):
            chunk = group.column(i)
            end = chunk.data_page_offset + chunk.total_compressed_size
            for _ in range(40 if cli.THOROUGH else 4):
                # The end of a chunk is within its page, behind the header.
                bad = bytearray(data)
                bad[draw.randrange(end - 200, end)] ^= 1 << draw.randrange(8)
                (self.folder / name).write_bytes(bad)
                self.assertRegex(self.refused(name, "--key_column=id:u32be"),
                                 rf"\A{name}: Corruption: .*CRC")

    def test_damage_is_an_error_or_does_no_harm(self):
        draw = random.Random(11)
        kinds = [(kind, value) for kind, value in plain_types()
                 if str(kind) in ("string", "string_view", "int32", "binary")]
        nested = [(kind, value) for kind, value in nested_types(draw, 0)]
        table = self.random_table(draw, kinds + nested, rows=60)
        table = table.append_column("d", pa.DictionaryArray.from_arrays(
            pa.array([i % 3 for i in range(60)], pa.int8()),
            pa.array(["x", "y", "z"])))
        names = [self.arrow(table), self.stream(table)]
        narrow = table.select([0, 1, 2, 3])
        names.append(self.parquet(narrow, use_dictionary=False,
                                  compression="none"))
        rounds = 400 if cli.THOROUGH else 40
        for name in names:
            data = (self.folder / name).read_bytes()
            for turn in range(rounds):
                bad = bytearray(data)
                if turn % 4 == 0:
                    del bad[draw.randrange(len(bad)):]
                for _ in range(draw.choice((1, 1, 4)) if bad else 0):
                    bad[draw.randrange(len(bad))] ^= 1 << draw.randrange(8)
                (self.folder / name).write_bytes(bad)
                outcome = self.run_program(
                    "build", "--dry_run", "--nosorted", "--quiet",
                    "--on_duplicate=first", f"--input_format="
                    f"{'parquet' if 'parquet' in name else 'arrow'}",
                    "--key_column=id:u32be", "--max_bad_rows=60", name)
                self.assertIn(outcome.code, (0, 2), outcome.err)
                if outcome.code == 2:
                    # All rows may be malformed, or the footer names none.
                    self.assertRegex(outcome.err, rf"\A{name}|"
                                     "cannot make an external file without "
                                     "entries")

    @unittest.skipIf(SANITIZED, "sanitizers need address space without end")
    def test_sizes_that_are_not_there_take_no_memory(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

        # The size of the first message: 2 GiB.
        error = self.refused("--input_format=arrow", "-", preexec_fn=limit,
                             stdin=b"\xff\xff\xff\xff\xff\xff\xff\x7f")
        self.assertRegex(error, r"\A-: Corruption: ")
        # The size of the first batch's body, and of 10 MB that are there.
        table = pa.table({"k": [f"{i:07}" for i in range(500_000)],
                          "v": ["abcdefghi"] * 500_000})
        data = (self.folder / self.stream(table)).read_bytes()
        flags = ["--input_format=arrow", "-"]
        self.assertEqual(self.made(*flags, stdin=data), self.made("t.arrows"))
        with pa.ipc.open_stream(data) as reader:
            body = sum(buffer.size + -buffer.size % 8
                       for column in reader.read_next_batch().columns
                       for buffer in column.buffers() if buffer)
        size = struct.pack("<q", body)
        self.assertEqual(data.count(size), 1)
        bad = data.replace(size, struct.pack("<q", 1 << 40))
        error = self.refused(*flags, stdin=bad, preexec_fn=limit)
        self.assertRegex(error, r"\A-: Corruption: ")

    @unittest.skipIf(SANITIZED, "sanitizers keep freed memory")
    def test_batches_of_values_from_a_dictionary(self):
        # Each page has the text of 100,000 bytes once: 400 MB in all rows.
        rows = 4000
        name = self.parquet(pa.table({
            "k": range(rows), "v": pa.array(["x" * 100_000] * rows)}))
        self.assertLess((self.folder / name).stat().st_size, 1 << 20)

        # A process starts with the peak of the one that starts it, so a small
        # one starts the program.
        outcome = self.run_ok(
            "-c", "import resource, subprocess, sys\n"
            "subprocess.run(sys.argv[1:], check=True)\n"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
            cli.PROGRAM, "build", "--dry_run", "--quiet",
            "--key_column=k:i64be", name, program=sys.executable)
        self.assertLess(int(outcome.text.split()[-1]), 200 << 10)

    def test_without_the_module(self):
        table = pa.table({"k": ["a"], "v": ["1"]})
        error = self.refused(self.parquet(table),
                             env={"ASHLAR_ARROW_MODULE": "nowhere.so"})
        self.assertIn("which is not at nowhere.so", error)


if __name__ == "__main__":
    REASON = missing()
    if REASON:
        print(f"ashlar_arrow_test: skipped: {REASON}")
        sys.exit(77)
    cli.main()
