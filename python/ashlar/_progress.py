"""A bar on the terminal."""

import sys
import time


class Bar:
    """Shows how far a work is, on one line of a terminal; elsewhere nothing."""

    def __init__(self, total=None, stream=None):
        self._total = total
        self._stream = stream or sys.stderr
        self._is_shown = self._stream.isatty()
        self._start = time.monotonic()
        self._width = 0

    def __call__(self, progress):
        if not self._is_shown:
            return
        rows = progress['rows']
        seconds = time.monotonic() - self._start
        text = f'{progress["step"]}: {rows:,} rows'
        total = progress.get('of') or self._total
        if total:
            share = min(rows / total, 1)
            text += f' {"#" * round(20 * share):<20} {share:4.0%}'
        if seconds > 0:
            text += f', {rows / seconds:,.0f} rows/s'
        self._stream.write('\r' + text.ljust(self._width))
        self._stream.flush()
        self._width = len(text)

    def close(self):
        if self._is_shown and self._width:
            self._stream.write('\n')
            self._stream.flush()


def as_callback(progress):
    """Returns (callback or None, what is called in the end)."""
    if progress is True:
        bar = Bar()
        return bar, bar.close
    return progress or None, lambda: None
