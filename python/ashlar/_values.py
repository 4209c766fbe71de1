"""Dates and times as numbers, and forms of values that are read back."""

import datetime
import json
import struct

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_EPOCH_DAY = datetime.date(1970, 1, 1).toordinal()
_MICROSECOND = datetime.timedelta(microseconds=1)


def days(date):
    """Returns the days of a date since 1970."""
    return date.toordinal() - _EPOCH_DAY


def date_of(number):
    return datetime.date.fromordinal(number + _EPOCH_DAY)


def microseconds(time):
    """Returns the microseconds since 1970. Without a zone, the time is UTC."""
    if time.tzinfo is None:
        time = time.replace(tzinfo=datetime.timezone.utc)
    return (time - _EPOCH) // _MICROSECOND


def time_of(number):
    return _EPOCH + number * _MICROSECOND


class Json:
    """A value that is a JSON object of these columns; of none: of all that are
    not in the key."""

    _kind = 2

    def __init__(self, *columns):
        self.columns = list(columns)


class MessagePack(Json):
    """The same as a map of MessagePack."""

    _kind = 3


class Salt:
    """The first part of a key: one byte, the CRC-32 of the rest of the key
    modulo `buckets`, so that neighbouring keys are spread over as many parts
    of the table."""

    def __init__(self, buckets):
        if not 1 <= buckets <= 256:
            raise ValueError('buckets: expected 1 to 256')
        self.buckets = buckets


def decode_json(value):
    """Returns what a value of the form Json has."""
    return json.loads(value)


class _Packed:
    """Reads MessagePack, as far as the package writes it."""

    def __init__(self, data):
        self.data = memoryview(data)
        self.at = 0

    def take(self, size):
        piece = self.data[self.at:self.at + size]
        if len(piece) != size:
            raise ValueError(f'MessagePack ends at byte {len(self.data)}, in '
                             'the middle of a value')
        self.at += size
        return piece

    def number(self, form):
        return struct.unpack('>' + form,
                             self.take(struct.calcsize('>' + form)))[0]

    def text(self, size):
        return str(self.take(size), 'utf-8')

    def array(self, size):
        return [self.value() for _ in range(size)]

    def map(self, size):
        return {self.value(): self.value() for _ in range(size)}

    def value(self):
        tag = self.number('B')
        if tag < 0x80:
            return tag
        if tag >= 0xe0:
            return tag - 0x100
        if tag < 0x90:
            return self.map(tag & 0xf)
        if tag < 0xa0:
            return self.array(tag & 0xf)
        if tag < 0xc0:
            return self.text(tag & 0x1f)
        if tag in (0xc0, 0xc2, 0xc3):
            return {0xc0: None, 0xc2: False, 0xc3: True}[tag]
        if tag in _NUMBERS:
            return self.number(_NUMBERS[tag])
        if tag in _SIZED:
            form, read = _SIZED[tag]
            return read(self, self.number(form))
        raise ValueError(f'MessagePack has the byte {tag:#x} at '
                         f'{self.at - 1}, which is not read')


_NUMBERS = {0xca: 'f', 0xcb: 'd', 0xcc: 'B', 0xcd: 'H', 0xce: 'I', 0xcf: 'Q',
            0xd0: 'b', 0xd1: 'h', 0xd2: 'i', 0xd3: 'q'}


def _bytes(packed, size):
    return bytes(packed.take(size))


_SIZED = {0xc4: ('B', _bytes), 0xc5: ('H', _bytes), 0xc6: ('I', _bytes),
          0xd9: ('B', _Packed.text), 0xda: ('H', _Packed.text),
          0xdb: ('I', _Packed.text), 0xdc: ('H', _Packed.array),
          0xdd: ('I', _Packed.array), 0xde: ('H', _Packed.map),
          0xdf: ('I', _Packed.map)}


def decode_message_pack(value):
    """Returns what a value of the form MessagePack has."""
    packed = _Packed(value)
    result = packed.value()
    if packed.at != len(packed.data):
        raise ValueError(f'{len(packed.data) - packed.at} bytes follow the '
                         'value of MessagePack')
    return result
