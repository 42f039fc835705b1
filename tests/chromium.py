"""A headless Chromium, driven through its debugging protocol."""

import base64
import io
import itertools
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 90.0
"""Seconds until something that does not happen is an error; nothing is expected to take that long."""


class Chromium:
    """One browser with one page.

    Attributes
    ----------
    requests : list of str
        Addresses the page asked for.
    errors : list of str
        Exceptions and error messages of the page.
    """

    def __init__(self, size=(1000, 700)):
        from websockets.sync.client import connect

        program = next(filter(None, map(shutil.which, NAMES)), None)
        assert program, "these tests need Chromium (Debian: apt-get install chromium)"
        self._directory = tempfile.mkdtemp(prefix="chromium-")
        self._process = subprocess.Popen(
            [
                program,
                "--headless=new",
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--disable-gpu-sandbox",
                "--use-angle=swiftshader",
                "--enable-unsafe-swiftshader",
                "--no-first-run",
                "--no-proxy-server",
                "--disable-background-networking",
                "--disable-component-update",
                "--hide-scrollbars",
                "--force-device-scale-factor=1",
                f"--window-size={size[0]},{size[1]}",
                f"--user-data-dir={self._directory}",
                "--remote-debugging-port=0",
                "--remote-allow-origins=*",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            self._connection = connect(self._debugger_address(), max_size=None)
        except BaseException:
            self.close()
            raise
        self._numbers = itertools.count(1)
        self.requests, self.errors = [], []
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if hasattr(self, "_connection"):
            self._connection.close()
        self._process.terminate()
        try:
            self._process.wait(10.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._directory, ignore_errors=True)

    def _debugger_address(self):
        import urllib.request

        port_file = Path(self._directory, "DevToolsActivePort")
        wait_for(lambda: port_file.exists() and len(port_file.read_text().split()) == 2, "Chromium to start")
        port = port_file.read_text().split()[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list") as answer:
            pages = [page for page in json.load(answer) if page["type"] == "page"]
        return pages[0]["webSocketDebuggerUrl"]

    def call(self, method, **parameters):
        number = next(self._numbers)
        self._connection.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._connection.recv(PATIENCE))
            if message.get("id") == number:
                assert "error" not in message, f"{method}: {message['error']}"
                return message["result"]
            self._note(message)

    def _note(self, message):
        parameters = message.get("params", {})
        match message.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(parameters["request"]["url"])
            case "Network.webSocketCreated":
                self.requests.append(parameters["url"])
            case "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                self.errors.append(details.get("exception", {}).get("description", details["text"]))
            case "Log.entryAdded" if parameters["entry"]["level"] == "error":
                self.errors.append(parameters["entry"]["text"])

    def open(self, address):
        self.call("Page.navigate", url="about:blank")  # what the last page still says is not about this one
        self.wait("location.href === 'about:blank'")
        self.requests.clear()
        self.errors.clear()
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def run(self, expression):
        """Value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, expression):
        """Wait until a JavaScript expression is true."""
        wait_for(lambda: self.run(expression), expression)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drag(self, start, end, steps=8):
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=start[0], y=start[1], button="left", clickCount=1)
        for x, y in np.linspace(start, end, steps + 1)[1:]:
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, button="left", buttons=1)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=end[0], y=end[1], button="left", clickCount=1)

    def click_text(self, text):
        """Click the element that shows exactly this text once it is there, wherever a panel that fills moves it."""
        self.wait(
            f"""(() => {{
              const found = [...document.querySelectorAll('button, a, label, span, div, p')]
                .filter(e => e.textContent.trim() === {json.dumps(text)}).pop();
              found?.click();
              return Boolean(found); }})()"""
        )

    def slider(self, label, part):
        """Where to click to move the slider with this label to a part of its range."""
        return self.run(
            f"""(() => {{
              const label = [...document.querySelectorAll('label, p, div')]
                .filter(e => e.textContent.trim() === {json.dumps(label)}).pop();
              let row = label;
              while (!row.querySelector('[role=slider]')) row = row.parentElement;
              row.scrollIntoView({{block: 'center'}});
              const track = row.querySelector('[role=slider]').closest('[class*=Slider-root]').getBoundingClientRect();
              const y = row.querySelector('[role=slider]').getBoundingClientRect();
              return [track.left + {part} * track.width, y.top + y.height / 2]; }})()"""
        )

    def picture(self, path=None):
        """Screenshot as an array (height, width, 3) of bytes."""
        from PIL import Image

        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        if path is not None:
            Path(path).write_bytes(data)
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def wait_for(condition, what):
    """Ask until a condition holds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"waited {PATIENCE} s in vain for: {what}"
        time.sleep(0.05)
