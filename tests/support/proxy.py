"""A TCP proxy on loopback in front of a server: a slow, frozen or cut link, and how often it was crossed."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator

from psycopg.conninfo import conninfo_to_dict, make_conninfo

_CHUNK = 1 << 16


class Proxy:
    """Runs in a thread of its own with its own event loop; every method may be called from any thread."""

    def __init__(self, upstream_dsn: str, *, delay_s: float = 0.0) -> None:
        #: Added to every round trip, half of it each way. May be changed at any time.
        self.delay_s = delay_s
        #: Round trips: how often the client sent again after it had received something.
        self.flights = 0
        #: Connections that were made, the cut ones too.
        self.accepted = 0
        self._target = _address(upstream_dsn)
        self._loop = asyncio.new_event_loop()
        self._links: set[_Link] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(5)
        #: The upstream's DSN by way of the proxy.
        self.dsn = make_conninfo(
            upstream_dsn, host="127.0.0.1", hostaddr="127.0.0.1", port=str(self.port)
        )

    @property
    def port(self) -> int:
        return int(self._server.sockets[0].getsockname()[1])

    def freeze(self) -> None:
        """The link stays up and carries nothing, in both directions."""
        self._call(self._flowing.clear)

    def thaw(self) -> None:
        """What was held back flows on."""
        self._call(self._flowing.set)

    def cut(self) -> None:
        """Resets every connection; new ones are served."""
        self._call(self._abort_all)

    def close(self) -> None:
        """Stops listening, resets every connection and ends the thread."""
        asyncio.run_coroutine_threadsafe(self._shut(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    def _abort_all(self) -> None:
        for link in list(self._links):
            link.abort()

    def _call(self, action: Callable[[], None]) -> None:
        async def run() -> None:
            action()

        asyncio.run_coroutine_threadsafe(run(), self._loop).result(5)

    async def _listen(self) -> asyncio.Server:
        return await asyncio.start_server(self._serve, "127.0.0.1", 0)

    async def _shut(self) -> None:
        self._server.close()
        self._abort_all()
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        try:
            host, port = self._target
            up_reader, up_writer = await (
                asyncio.open_unix_connection(f"{host}/.s.PGSQL.{port}")
                if host.startswith("/")
                else asyncio.open_connection(host, port)
            )
        except OSError:
            writer.transport.abort()
            return
        link = _Link(self, writer, up_writer)
        self._links.add(link)
        try:
            await asyncio.gather(
                link.carry(reader, up_writer, link.sent),
                link.carry(up_reader, writer, link.received),
            )
        finally:
            link.abort()
            self._links.discard(link)

    async def pass_on(self, due: float) -> None:
        """Waits until a chunk that came in may go out."""
        await asyncio.sleep(max(0.0, due - self._loop.time()))
        await self._flowing.wait()


class _Link:
    """One client's connection and the upstream's."""

    def __init__(
        self, proxy: Proxy, client: asyncio.StreamWriter, upstream: asyncio.StreamWriter
    ) -> None:
        self._proxy = proxy
        self._writers = (client, upstream)
        self._clients_turn = True

    def sent(self) -> None:
        if self._clients_turn:
            self._proxy.flights += 1
            self._clients_turn = False

    def received(self) -> None:
        self._clients_turn = True

    def abort(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    async def carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seen: Callable[[], None]
    ) -> None:
        """One direction, until its end. A chunk waits for its time without holding up the next read."""
        chunks: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        reading = asyncio.create_task(self._read(reader, chunks, seen))
        with contextlib.suppress(OSError):
            while True:
                due, chunk = await chunks.get()
                await self._proxy.pass_on(due)
                if not chunk:
                    writer.write_eof()
                    break
                writer.write(chunk)
                if seen == self.received:
                    seen()
                await writer.drain()
        reading.cancel()

    async def _read(
        self,
        reader: asyncio.StreamReader,
        chunks: asyncio.Queue[tuple[float, bytes]],
        seen: Callable[[], None],
    ) -> None:
        chunk = b"."
        while chunk:
            try:
                chunk = await reader.read(_CHUNK)
            except OSError:
                chunk = b""
            if chunk and seen == self.sent:
                seen()
            loop = asyncio.get_running_loop()
            chunks.put_nowait((loop.time() + self._proxy.delay_s / 2, chunk))


@contextlib.contextmanager
def proxied(upstream_dsn: str, *, delay_s: float = 0.0) -> Iterator[Proxy]:
    """A proxy for as long as the block runs."""
    proxy = Proxy(upstream_dsn, delay_s=delay_s)
    try:
        yield proxy
    finally:
        proxy.close()


def _address(dsn: str) -> tuple[str, int]:
    given = conninfo_to_dict(dsn)
    host = given.get("hostaddr") or given.get("host") or "127.0.0.1"
    return str(host), int(str(given.get("port") or 5432))
