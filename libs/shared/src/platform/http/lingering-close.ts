import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";

/** Time for a client to finish its upload after the answer. */
const longestMs = 2000;

/** Reads on after the answer, until the body ends or the client hangs up. */
function linger(socket: Socket, upload: IncomingMessage): void {
  const timer = setTimeout(() => socket.destroy(), longestMs);
  socket.once("close", () => clearTimeout(timer));
  upload.once("end", () => socket.destroy());
  upload.resume();
  socket.end();
}

/**
 * Closes connections in order although their clients are still sending (RFC 9112 §9.6). A connection that is closed while bytes arrive unread is
 * reset, and the client's machine then discards the answer: the client would see a broken connection in place of 413.
 */
export function lingerOnClose(server: Pick<Server, "prependListener">): void {
  const latest = new WeakMap<Socket, IncomingMessage>();
  server.prependListener("request", (request: IncomingMessage) => {
    const { socket } = request;
    const isKnown = latest.has(socket);
    latest.set(socket, request);
    if (isKnown) return;
    const close = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      const upload = latest.get(socket);
      if (upload === undefined || upload.complete || socket.destroyed) close();
      else linger(socket, upload);
    };
  });
}
