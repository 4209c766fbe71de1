#!/usr/bin/env python3
"""An example of the server behind http_queue.h: compaction jobs over HTTP.

    plugin/compaction_jobs/example_queue.py --port=8080

Databases leave jobs, and workers claim them; http_queue.h has the requests. The
jobs are in memory: if the server is killed, the databases compact themselves.
It checks no passwords and speaks no TLS. So it listens on the local machine,
unless --host says another address. With --port=0 the system chooses a port,
which the first line of the output names.
"""

import argparse
import http.server
import json
import re
import sys
import threading
import time
import urllib.parse

MOST_BYTES = 16 << 20
MOST_JOBS = 1000
KEPT_SECONDS = 24 * 3600
JOB = re.compile(r'/jobs/([\w-]{1,128})', re.ASCII)
RESULT = re.compile(r'/results/([\w-]{1,128})', re.ASCII)
CLAIM = re.compile(r'/claims/([\w-]{1,128})/(\d{1,18})/(renewal|result)',
                   re.ASCII)


class Job:
    """A job: pending, claimed until a time, or done."""

    def __init__(self, text):
        self.text = text
        self.attempt = 0
        self.claimed_until = None  # None: nobody runs it
        self.result = None
        self.touched = time.monotonic()  # when a party last asked for it


class Queue:
    """The jobs by id, the oldest first. Any thread may call it."""

    def __init__(self, lease, attempts, kept=KEPT_SECONDS,
                 most_jobs=MOST_JOBS):
        self.lease = lease
        self.attempts = attempts
        self.kept = kept
        self.most_jobs = most_jobs
        self.jobs = {}
        self.lock = threading.Lock()

    def submit(self, job_id, text):
        with self.lock:
            self.drop_old()
            if job_id in self.jobs:
                return 409
            if len(self.jobs) >= self.most_jobs:
                return 503
            self.jobs[job_id] = Job(text)
            return 201

    def drop_old(self):
        """A database that was killed asks for its jobs no more."""
        oldest = time.monotonic() - self.kept
        self.jobs = {job_id: job for job_id, job in self.jobs.items()
                     if job.touched >= oldest}

    def result(self, job_id):
        with self.lock:
            job = self.jobs.get(job_id)
            if job is None:
                return 404, b''
            job.touched = time.monotonic()
            return (204, b'') if job.result is None else (200, job.result)

    def remove(self, job_id, only_pending):
        with self.lock:
            job = self.jobs.get(job_id)
            if job is None:
                return 404
            runs = (job.claimed_until is not None and
                    job.claimed_until > time.monotonic())
            if only_pending and (runs or job.result is not None):
                return 409
            del self.jobs[job_id]
            return 200

    def claim(self):
        """Returns (id, attempt, text), or None if there is no job."""
        now = time.monotonic()
        with self.lock:
            for job_id, job in self.jobs.items():
                if job.result is not None or (
                        job.claimed_until is not None and
                        job.claimed_until > now):
                    continue
                if job.attempt >= self.attempts:
                    self.give_up(job_id, job)
                    continue
                job.attempt += 1
                job.claimed_until = now + self.lease
                return job_id, job.attempt, job.text
        return None

    @staticmethod
    def give_up(job_id, job):
        """A job that kills its workers must not go on for ever."""
        job.result = json.dumps({
            'format': 'ashlar-compaction-result', 'version': 1, 'id': job_id,
            'attempt': job.attempt, 'worker': '', 'by': 'nobody',
            'library_obstacle': '',
            'error': f'{job.attempt} workers have claimed the job, and none '
                     'has finished it',
            'output_path': '', 'output_level': 0, 'output_files': [],
            'bytes_read': 0, 'bytes_written': 0, 'stats': {},
            'output_level_stats': {}, 'has_proximal_level_output': False,
            'proximal_level_stats': {}}).encode()

    def renew(self, job_id, attempt):
        with self.lock:
            job = self.claimed(job_id, attempt)
            if job is None:
                return 410
            job.touched = time.monotonic()
            job.claimed_until = job.touched + self.lease
            return 200

    def complete(self, job_id, attempt, text):
        with self.lock:
            job = self.claimed(job_id, attempt)
            if job is None:
                return 410
            job.result = text
            return 200

    def claimed(self, job_id, attempt):
        """Returns the job if that attempt is the one that counts. A claim whose
        time is over counts until another worker claims the job."""
        job = self.jobs.get(job_id)
        if job is None or job.attempt != attempt or job.result is not None:
            return None
        return job


class Handler(http.server.BaseHTTPRequestHandler):
    queue = None
    timeout = 30  # seconds, of a client that says nothing

    def do_GET(self):
        match = RESULT.fullmatch(self.path)
        if match is None:
            return self.answer(404)
        return self.answer(*self.queue.result(match[1]))

    def do_PUT(self):
        body = self.body()
        job, claim = JOB.fullmatch(self.path), CLAIM.fullmatch(self.path)
        if body is None:
            return None
        if job is not None:
            return self.answer(self.queue.submit(job[1], body))
        if claim is not None and claim[3] == 'result':
            return self.answer(
                self.queue.complete(claim[1], int(claim[2]), body))
        return self.answer(404)

    def do_POST(self):
        if self.body() is None:
            return None
        claim = CLAIM.fullmatch(self.path)
        if claim is not None and claim[3] == 'renewal':
            return self.answer(self.queue.renew(claim[1], int(claim[2])))
        if urllib.parse.urlsplit(self.path).path != '/claims':
            return self.answer(404)
        claimed = self.queue.claim()
        if claimed is None:
            return self.answer(204)
        job_id, attempt, text = claimed
        return self.answer(200, text, f'/claims/{job_id}/{attempt}')

    def do_DELETE(self):
        url = urllib.parse.urlsplit(self.path)
        match = JOB.fullmatch(url.path)
        if match is None:
            return self.answer(404)
        return self.answer(
            self.queue.remove(match[1], url.query == 'if=pending'))

    def body(self):
        """Returns the request's body, or answers, and returns None."""
        length = self.headers.get('Content-Length', '0')
        if not re.fullmatch(r'\d{1,18}', length, re.ASCII):
            self.answer(400)
        elif int(length) > MOST_BYTES:
            self.answer(413)
        else:
            # The client may be killed while it sends.
            body = self.rfile.read(int(length))
            if len(body) == int(length):
                return body
            self.answer(400)
        return None

    def answer(self, status, body=b'', location=None):
        self.send_response(status)
        if location is not None:
            self.send_header('Location', location)
        if status != 204:
            self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        # A client that was killed is no fault of the server's.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--host', default='127.0.0.1')
    parser.add_argument('--port', type=int, default=8080)
    parser.add_argument('--lease', type=float, default=30,
                        help='seconds that a claim lasts without a renewal')
    parser.add_argument('--attempts', type=int, default=3,
                        help='how often a job is claimed before it fails')
    flags = parser.parse_args()
    Handler.queue = Queue(flags.lease, flags.attempts)
    server = Server((flags.host, flags.port), Handler)
    print(f'http://{flags.host}:{server.server_address[1]}', flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == '__main__':
    main()
