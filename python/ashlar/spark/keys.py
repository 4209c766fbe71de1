"""Rows as keys and values, in expressions of Spark.

A key of one column, of bytes, text or whole numbers, is encoded by Spark
itself, and so is a value that is one column of bytes or text. All else is
encoded by the library in a Python function, which gets only the columns that
it needs. Both give the same bytes.
"""

from pyspark.sql import functions
from pyspark.sql.types import (BinaryType, IntegerType, LongType, StringType)

from ashlar.jobs.encode import columns_of, encode_batch

_BITS = {'i32be': 32, 'i64be': 64, 'u32be': 32, 'u64be': 64}
_WORDS_OF_TYPE = {LongType: 'i64be', IntegerType: 'i32be'}


def keys_and_values(df, key, value, place, order_by=None):
    """Returns a DataFrame with the binary columns key and value.

    With `order_by` it has that column too, named order.
    """
    wanted = columns_of(key, value)
    _check_names(df, wanted or columns_of(key, key))
    order = [] if order_by is None else [
        functions.col(_quoted(order_by)).alias('order')]
    native_key = _native_key(df, key)
    native_value = _native_value(df, value)
    if native_key is not None and native_value is not None:
        return df.select(native_key.alias('key'), native_value.alias('value'),
                         *order)
    schema = 'key binary, value binary'
    if order_by is not None:
        schema += f', order {df.schema[order_by].dataType.simpleString()}'
        if wanted is not None:
            wanted = list(dict.fromkeys([*wanted, order_by]))
    rows = df if wanted is None else df.select(
        *[functions.col(_quoted(name)) for name in wanted])

    def encode(batches):
        for batch in batches:
            yield encode_batch(batch, key, value, place, order_by)

    return rows.mapInArrow(encode, schema)


def _check_names(df, names):
    for name in names:
        if name not in df.columns:
            raise ValueError(f'there is no column {name!r}; the columns are '
                             f'{", ".join(df.columns)}')


def _native_key(df, key):
    if not isinstance(key, str):
        if not isinstance(key, (list, tuple)) or len(key) != 1:
            return None
        key = key[0]
        if not isinstance(key, str):
            return None
    name, *words = key.split(':')
    kind = type(df.schema[name].dataType)
    source = functions.col(_quoted(name))
    if kind is BinaryType and words in ([], ['bytes']):
        return source
    if kind is StringType and words in ([], ['text']):
        return source.cast('binary')
    if kind in _WORDS_OF_TYPE:
        words = words or [_WORDS_OF_TYPE[kind]]
        if len(words) == 1 and words[0] in _BITS:
            return _big_endian(source.cast('bigint'), words[0])
    return None


def _native_value(df, value):
    if not isinstance(value, str) or ':' in value:
        return None
    kind = type(df.schema[value].dataType)
    if kind not in (BinaryType, StringType):
        return None
    return functions.col(_quoted(value)).cast('binary')


def _big_endian(number, encoding):
    bits = _BITS[encoding]
    if encoding[0] == 'i':
        least, most = -(1 << bits - 1), (1 << bits - 1) - 1
    else:
        least, most = 0, min((1 << bits) - 1, (1 << 63) - 1)
    if (least, most) != (-(1 << 63), (1 << 63) - 1):
        # A number out of range ends the job, as everywhere in the library.
        outside = functions.concat(
            functions.lit('key '), number.cast('string'),
            functions.lit(f' is out of range of {encoding}'))
        number = functions.when(
            number.between(least, most) | number.isNull(),
            number).otherwise(functions.raise_error(outside).cast('bigint'))
    if encoding == 'i64be':
        number = number.bitwiseXOR(functions.lit(-(1 << 63)))
    elif encoding == 'i32be':
        number = number + (1 << 31)
    return functions.unhex(functions.lpad(functions.hex(number), bits // 4,
                                          '0'))


def _quoted(name):
    return '`' + name.replace('`', '``') + '`'
