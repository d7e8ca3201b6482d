import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import type { DialectReply } from "../dialects/reply.ts";

/**
 * Writes a finished answer and bypasses Fastify, which would write every header in lower case. Does nothing if the client has disconnected.
 */
export function sendReply(reply: FastifyReply, { status, headers, body }: DialectReply): void {
  reply.hijack();
  const raw: string[] = [];
  for (const [name, value] of headers) raw.push(name, value);
  raw.push("Content-Length", String(body.length));
  writeRaw(reply.raw, status, raw, body);
}

/** @param body bytes as latin1 text */
export function writeRaw(response: ServerResponse, status: number, headers: string[], body: string): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, headers).end(body, "latin1");
}
