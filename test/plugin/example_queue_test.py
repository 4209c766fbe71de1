#!/usr/bin/env python3
"""What the example server refuses and drops. job_queue_test.cc has the rest."""

import importlib.util
import pathlib
import socket
import threading
import unittest

PATH = (pathlib.Path(__file__).resolve().parents[2] /
        'plugin/compaction_jobs/example_queue.py')
SPEC = importlib.util.spec_from_file_location('example_queue', PATH)
example_queue = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(example_queue)


class ExampleQueueTest(unittest.TestCase):
    def test_refuses_jobs_above_its_limit(self):
        queue = example_queue.Queue(30, 3, most_jobs=1)
        self.assertEqual(queue.submit('a', b''), 201)
        self.assertEqual(queue.submit('b', b''), 503)
        self.assertEqual(queue.submit('a', b''), 409)

    def test_drops_what_nobody_asks_for(self):
        queue = example_queue.Queue(30, 3, most_jobs=1, kept=60)
        self.assertEqual(queue.submit('a', b''), 201)
        queue.jobs['a'].touched -= 61
        self.assertEqual(queue.submit('b', b''), 201)
        self.assertEqual(queue.result('a')[0], 404)
        # Asking for a job keeps it.
        queue.jobs['b'].touched -= 61
        self.assertEqual(queue.result('b')[0], 204)
        self.assertEqual(queue.submit('c', b''), 503)

    def test_refuses_a_body_that_was_cut_short(self):
        queue = example_queue.Queue(30, 3)
        example_queue.Handler.queue = queue
        server = example_queue.Server(('127.0.0.1', 0), example_queue.Handler)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            with socket.create_connection(server.server_address) as client:
                client.sendall(b'PUT /jobs/a HTTP/1.0\r\n'
                               b'Content-Length: 10\r\n\r\n{}')
                client.shutdown(socket.SHUT_WR)
                with client.makefile('rb') as answer:
                    self.assertIn(b' 400 ', answer.readline())
            self.assertEqual(queue.jobs, {})
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


if __name__ == '__main__':
    unittest.main()
