"""A data source by which Spark reads sets of tables.

    register(spark)
    df = spark.read.format('ashlar').load('s3://bucket/set')

Each table is one partition; its rows are Arrow batches with the binary columns
`key` and `value`, in key order. Options:

    lower, upper     hexadecimal: keys from `lower` on, and before `upper`
    prefix           the name of the set (default: table)
    storage.<name>   an option of fsspec
    pushdown         true: filters on `key` (=, <, <=, >, >=) become bounds.
                     Needs spark.sql.python.filterPushdown.enabled; Spark
                     refuses a source that takes filters without it
"""

from pyspark.sql.datasource import (DataSource, DataSourceReader, EqualTo,
                                    GreaterThan, GreaterThanOrEqual,
                                    InputPartition, LessThan, LessThanOrEqual)

from ashlar.jobs.read_plan import plan_read

SCHEMA = 'key binary, value binary'
_STORAGE = 'storage.'


def register(spark):
    """Makes the format `ashlar` known to a session."""
    spark.dataSource.register(AshlarDataSource)


class AshlarDataSource(DataSource):
    """The format `ashlar`: a set of tables in a folder."""

    @classmethod
    def name(cls):
        return 'ashlar'

    def schema(self):
        return SCHEMA

    def reader(self, schema):
        if schema.fieldNames() != ['key', 'value']:
            raise ValueError(f'the schema must be {SCHEMA}')
        if self.options.get('pushdown', 'false').lower() == 'true':
            return _FilteredReader(self.options)
        return _SetReader(self.options)


class _RangePartition(InputPartition):
    def __init__(self, table_range):
        super().__init__(table_range)


class _SetReader(DataSourceReader):
    def __init__(self, options):
        if 'path' not in options:
            raise ValueError("the format 'ashlar' needs a path: load(path)")
        self._uri = options['path']
        self._prefix = options.get('prefix', 'table')
        # Spark gives the names of options in its own case.
        self._storage = {name[len(_STORAGE):]: text
                         for name, text in options.items()
                         if name.startswith(_STORAGE)}
        self._lower = _bytes_of(options, 'lower')
        self._upper = _bytes_of(options, 'upper')

    def partitions(self):
        ranges = plan_read(self._uri, lower=self._lower, upper=self._upper,
                           prefix=self._prefix,
                           storage_options=self._storage)
        # Spark wants one partition at least.
        return [_RangePartition(part) for part in ranges] or [
            _RangePartition(None)]

    def read(self, partition):
        if partition.value is not None:
            yield from partition.value.batches()


class _FilteredReader(_SetReader):
    """Narrows the range of keys by filters."""

    def pushFilters(self, filters):
        for item in filters:
            if not self._narrow(item):
                yield item

    def _narrow(self, item):
        """Makes a bound of a filter on the key. Returns False if it cannot."""
        if getattr(item, 'attribute', None) != ('key',):
            return False
        key = getattr(item, 'value', None)
        if not isinstance(key, (bytes, bytearray)):
            return False
        key = bytes(key)
        after = key + b'\0'  # the smallest key above it
        if isinstance(item, GreaterThanOrEqual):
            self._raise_lower(key)
        elif isinstance(item, GreaterThan):
            self._raise_lower(after)
        elif isinstance(item, LessThan):
            self._reduce_upper(key)
        elif isinstance(item, LessThanOrEqual):
            self._reduce_upper(after)
        elif isinstance(item, EqualTo):
            self._raise_lower(key)
            self._reduce_upper(after)
        else:
            return False
        return True

    def _raise_lower(self, key):
        self._lower = key if self._lower is None else max(self._lower, key)

    def _reduce_upper(self, key):
        self._upper = key if self._upper is None else min(self._upper, key)


def _bytes_of(options, name):
    text = options.get(name)
    if text is None:
        return None
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise ValueError(f'the option {name} must be hexadecimal digits; '
                         f'it is {text!r}') from None
