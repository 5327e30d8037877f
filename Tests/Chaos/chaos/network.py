"""The network between a gateway and a server, which can be down."""

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Coroutine
from typing import Any
from urllib.parse import urlsplit

SIZE = 1 << 16


class Network:
    """Forwards the connections to a port of its own. While it is down the port refuses, and all connections have ended."""

    def __init__(self, url: str):
        address = urlsplit(url)
        self.scheme, self.host, self.server = address.scheme, address.hostname, address.port
        self.port = 0
        self.listener: asyncio.Server | None = None
        self.writers: set[asyncio.StreamWriter] = set()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    def __enter__(self) -> "Network":
        self.thread.start()
        self.bring_up()
        return self

    def __exit__(self, *_: Any) -> None:
        self.take_down()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}"

    def bring_up(self) -> None:
        self.run(self.listen())

    def take_down(self) -> None:
        self.run(self.end())

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self.loop).result()

    async def listen(self) -> None:
        self.listener = await asyncio.start_server(self.forward, self.host, self.port)
        self.port = self.listener.sockets[0].getsockname()[1]

    async def end(self) -> None:
        if self.listener:
            self.listener.close()
            self.listener = None
        for writer in self.writers:
            reset(writer)

    async def forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with self.noted(writer):
            try:
                far_reader, far_writer = await asyncio.open_connection(self.host, self.server)
            except OSError:
                return
            with self.noted(far_writer):
                if self.listener:
                    await asyncio.gather(copy(reader, far_writer), copy(far_reader, writer))

    @contextlib.contextmanager
    def noted(self, writer: asyncio.StreamWriter) -> Any:
        self.writers.add(writer)
        try:
            yield
        finally:
            self.writers.discard(writer)
            writer.close()


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copies bytes and their end. A connection that breaks breaks the other one."""
    try:
        while part := await reader.read(SIZE):
            writer.write(part)
            await writer.drain()
        writer.write_eof()
    except OSError:
        reset(writer)


def reset(writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        # Without a wait for what is not yet sent, the kernel ends the connection with RST.
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
