"""An S3 server (moto) that can be lost and come back with its objects.

While it is lost, it closes each connection without an answer, as a machine
does that has gone. The server is in this process; any process may use it.
"""

import socket
import threading

BUCKET = 'tables'


class LosableStore:
    def __init__(self):
        from moto.server import DomainDispatcherApplication, create_backend_app
        from werkzeug.serving import make_server
        self._store = DomainDispatcherApplication(create_backend_app)
        self._server = make_server('127.0.0.1', 0, self._serve, threaded=True)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self._lock = threading.Lock()
        self._is_lost = False
        self._writes_left = None  # before it is lost; None: it stays

    @property
    def options(self):
        """Options of fsspec for its users, who give up early."""
        return {'key': 'any', 'secret': 'any',
                'endpoint_url': f'http://127.0.0.1:{self._server.server_port}',
                'client_kwargs': {'region_name': 'us-east-1'},
                'config_kwargs': {'retries': {'max_attempts': 0}}}

    def lose_after(self, writes):
        """It answers so many further requests that write tables."""
        with self._lock:
            self._writes_left = writes

    def find(self):
        """It is back."""
        with self._lock:
            self._is_lost, self._writes_left = False, None

    def stop(self):
        self._server.shutdown()
        self._thread.join()

    def _serve(self, environ, start_response):
        if self._answers(environ):
            return self._store(environ, start_response)
        environ['werkzeug.socket'].shutdown(socket.SHUT_RDWR)
        start_response('503 Service Unavailable', [])
        return []

    def _answers(self, environ):
        with self._lock:
            if (self._writes_left is not None and not self._is_lost and
                    environ['REQUEST_METHOD'] in ('PUT', 'POST') and
                    environ['PATH_INFO'].endswith('.sst')):
                self._is_lost = self._writes_left == 0
                self._writes_left -= 1
            return not self._is_lost


def folder_of(store, name):
    """Returns the URI of a folder for one test, and a file system for it."""
    import s3fs
    system = s3fs.S3FileSystem(skip_instance_cache=True, **store.options)
    if not system.exists(BUCKET):
        system.call_s3('create_bucket', Bucket=BUCKET)
    return f's3://{BUCKET}/{name}', system


def assert_nothing_is_left(store, uri, system):
    """No set appeared, and what the job left can be removed."""
    from ashlar.jobs import remove_leftovers
    store.find()
    system.invalidate_cache()
    assert not system.exists(uri + '/table-manifest.json')
    remove_leftovers(uri, storage_options=store.options, older_than=-1)
    system.invalidate_cache()
    assert system.find(uri) == []
    folder = uri.split('/', 3)[3]
    assert not system.call_s3('list_multipart_uploads', Bucket=BUCKET,
                              Prefix=folder).get('Uploads')
