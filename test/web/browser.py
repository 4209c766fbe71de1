"""Drives Chromium without a window, through its pipe for debuggers.

Needs nothing but Python and Chromium. The browser resolves no names, so that
nothing can be fetched, and its list of network events says what was tried.
"""

import json
import os
import pathlib
import shutil
import subprocess
import time

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
SECONDS = 120  # for anything that the page does


def take_pipes(commands, events):
    """Makes the pipes descriptors 3 and 4, where Chromium looks for them."""
    # Out of the way first, in case one of them is 3 or 4 already.
    commands, events = os.dup(commands), os.dup(events)
    while min(commands, events) < 5:
        commands, events = os.dup(commands), os.dup(events)
    os.dup2(commands, 3)
    os.dup2(events, 4)


class Browser:
    """One page in a browser. Fails at once if the console has an error."""

    def __init__(self, folder):
        self.log = pathlib.Path(folder) / "net.json"
        for_browser, self.commands = os.pipe()
        self.events, from_browser = os.pipe()
        command = [
            BROWSER, "--headless=new", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update",
            "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--log-net-log={self.log}", "--remote-debugging-pipe",
            f"--user-data-dir={pathlib.Path(folder) / 'profile'}"]
        if os.geteuid() == 0:
            command.append("--no-sandbox")
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False,
            preexec_fn=lambda: take_pipes(for_browser, from_browser))
        os.close(for_browser)
        os.close(from_browser)
        self.rest = b""
        self.next_id = 1
        self.session = None
        self.complaints = []
        target = self.call("Target.createTarget", url="about:blank")
        self.session = self.call(
            "Target.attachToTarget", targetId=target["targetId"],
            flatten=True)["sessionId"]
        for part in ("Page", "Runtime", "Log", "DOM"):
            self.call(f"{part}.enable")

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait(timeout=SECONDS)
        os.close(self.commands)
        os.close(self.events)

    def call(self, method, **parameters):
        message = {"id": self.next_id, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.next_id += 1
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == message["id"]:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def receive(self):
        while b"\0" not in self.rest:
            piece = os.read(self.events, 1 << 16)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def note(self, event):
        method = event.get("method")
        if method == "Runtime.exceptionThrown":
            self.complaints.append(str(event["params"]["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(str(event["params"]["args"]))
        elif method == "Log.entryAdded":
            self.complaints.append(event["params"]["entry"]["text"])

    def open(self, path):
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        self.wait("document.documentElement?.dataset.ready === 'yes'")

    def evaluate(self, script):
        answer = self.call("Runtime.evaluate", expression=script,
                           returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, condition):
        """Returns once the condition holds. The page says when, not a clock."""
        end = time.monotonic() + SECONDS
        while not self.evaluate(condition):
            if time.monotonic() > end:
                raise RuntimeError(f"not in {SECONDS} s: {condition}; "
                                   f"{self.complaints}")
            time.sleep(0.02)

    def choose(self, selector, path):
        """Chooses a file, as a person would in the window for that."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)
        self.call("DOM.setFileInputFiles", files=[str(path)],
                  nodeId=node["nodeId"])

    def requests(self):
        """The addresses in the network that pages asked for, after close."""
        text = self.log.read_text()
        try:
            events = json.loads(text)["events"]
        except ValueError:  # the list was not ended
            events = json.loads(text.rstrip().rstrip(",") + "]}")["events"]
        urls = [event["params"]["url"] for event in events
                if event.get("params", {}).get("initiator", "not an origin")
                != "not an origin"]
        return [url for url in urls if url.startswith("http")]
