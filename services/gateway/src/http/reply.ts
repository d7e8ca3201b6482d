import type { ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { WireNames } from "./naming.ts";

/** An answer in its final form, byte for byte. Header names keep their documented spelling. */
export interface HttpReply {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Bytes as latin1 text, which is written together with the headers; a Buffer takes two writes. */
  readonly body: string;
}

export type ReplyHeaders = HttpReply["headers"];

const jsonType = "application/json; charset=utf-8";

const plainText = /^[ -~]*$/;

/** Removes control characters, so that a value from a backend or caller cannot split a header. */
export function headerText(value: string): string {
  if (plainText.test(value)) return value;
  // oxlint-disable-next-line no-control-regex -- control characters are what this removes
  return Buffer.from(value.replaceAll(/[\u0000-\u001f\u007f]/g, " "), "utf8").toString("latin1");
}

export function utf8Body(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text, "utf8").toString("latin1");
}

export function jsonReply(status: number, headers: ReplyHeaders, value: unknown): HttpReply {
  return { status, headers: [...headers, ["Content-Type", jsonType]], body: utf8Body(JSON.stringify(value)) };
}

export function jsonNullReply(status: number, headers: ReplyHeaders): HttpReply {
  return { status, headers: [...headers, ["Content-Type", jsonType]], body: "null" };
}

/**
 * Writes a finished answer and bypasses Fastify, which would write every header in lower case. Does nothing if the client has disconnected.
 */
export function sendReply(reply: FastifyReply, { status, headers, body }: HttpReply): void {
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

interface ErrorAnswer {
  readonly status: number;
  readonly error: string;
  readonly headers?: ReplyHeaders;
}

/** Answers `{error}` in JSON, whatever the path. */
export function sendError(
  reply: FastifyReply,
  { session }: WireNames,
  { status, error, headers = [] }: ErrorAnswer,
): void {
  sendReply(reply, jsonReply(status, [[session, reply.request.id], ...headers], { error }));
}

/** Answers for a path that does not exist or is disabled. */
export function sendNotFound(reply: FastifyReply, { session }: WireNames): void {
  sendReply(reply, { status: 404, headers: [[session, reply.request.id]], body: "" });
}

/** A hook that answers 404 while an endpoint is disabled. */
export function notFoundUnless(isEnabled: () => boolean, names: WireNames) {
  return (_request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
    if (isEnabled()) next();
    else sendNotFound(reply, names);
  };
}

/** In whole seconds, at least 1. */
export function retryAfterSeconds(waitMs: number): string {
  return String(Math.max(1, Math.ceil(waitMs / 1000)));
}

export function sendTooManyRequests(reply: FastifyReply, { session }: WireNames, waitMs: number): void {
  const headers: ReplyHeaders = [
    [session, reply.request.id],
    ["Retry-After", retryAfterSeconds(waitMs)],
  ];
  sendReply(reply, { status: 429, headers, body: "" });
}
