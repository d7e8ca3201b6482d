import { randomUUID } from "node:crypto";
import { ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { sessionHeader } from "./header-names.ts";

/** A request that the HTTP parser cannot read, and how it is answered. */
interface UnreadableRequest {
  readonly status: 400 | 408 | 413 | 431;
  readonly error: string;
}

const refusals: Readonly<Record<string, UnreadableRequest>> = {
  HPE_HEADER_OVERFLOW: { status: 431, error: "request header fields are too large" },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, error: "chunk extensions are too large" },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, error: "the request took too long to arrive" },
};
const malformed: UnreadableRequest = { status: 400, error: "the request is not valid HTTP" };

const reasonPhrases = {
  400: "Bad Request",
  408: "Request Timeout",
  413: "Content Too Large",
  431: "Request Header Fields Too Large",
} as const;

/** Undefined where no response is possible: the connection broke, or the client did not speak TLS. */
function unreadableRequest(error: Error): UnreadableRequest | undefined {
  const code = "code" in error ? String(error.code) : "";
  return refusals[code] ?? (code.startsWith("HPE_") ? malformed : undefined);
}

/**
 * Node keeps the answer that is being written on the socket; another one must not be mixed into it. Node has no public property for it, and
 * this one is only read.
 */
function hasBegunAnswer(socket: object): boolean {
  const answer: unknown = Reflect.get(socket, "_httpMessage");
  return answer instanceof ServerResponse && answer.headersSent;
}

/**
 * Answers requests that no route ever sees in the format of all errors, `{"error": …}` with the session header, then closes the connection.
 * Node's own answer would be a status line only.
 */
export function answerUnreadable(error: Error, socket: Duplex, identifier: string): void {
  const refusal = unreadableRequest(error);
  if (refusal === undefined || !socket.writable || hasBegunAnswer(socket)) socket.destroy();
  else writeRefusal(socket, refusal, identifier);
}

/** Writes a response with an error to a connection that no response object serves, and closes it. */
export function writeRefusal(socket: Duplex, refusal: UnreadableRequest, identifier: string): void {
  if (!(socket instanceof Socket)) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ error: refusal.error });
  const lines = [
    `HTTP/1.1 ${refusal.status} ${reasonPhrases[refusal.status]}`,
    `${sessionHeader(identifier)}: ${randomUUID()}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    "",
    body,
  ];
  socket.write(lines.join("\r\n"));
  socket.destroySoon();
}
