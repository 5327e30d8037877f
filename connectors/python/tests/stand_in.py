"""A stand-in for the gateway. It accepts and records every request, and answers as the SDK requires."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, List, NamedTuple
from urllib.parse import unquote


class Request(NamedTuple):
    method: str
    path: str
    authorization: str
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class StandIn(ThreadingHTTPServer):
    daemon_threads = True
    # A multicast of 500 messages opens 500 connections at once.
    request_queue_size = 512

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: List[Request] = []
        # Scripted answers (status and body), which come before the normal ones.
        self.script: List[tuple] = []
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    def paths(self) -> List[str]:
        return [f"{request.method} {request.path}" for request in self.requests]

    def stop(self) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: StandIn

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.requests.append(
            Request(self.command, self.path, self.headers.get("Authorization", ""), body))
        status, content = self.server.script.pop(0) if self.server.script else (200, self.usual(body))
        text = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_DELETE = answer

    def usual(self, body: bytes) -> Dict[str, Any]:
        if self.path.endswith("/token"):
            return {"access_token": "minted", "expires_in": 3600, "token_type": "Bearer"}
        if self.path.endswith(":send"):
            return {"name": f"projects/p/messages/{json.loads(body)['message'].get('token')}"}
        if "/v1:batch" in self.path:
            return {"results": [{} for _ in json.loads(body)["registration_tokens"]]}
        return {"name": unquote(self.path)}

    def log_message(self, *_: Any) -> None:
        pass
