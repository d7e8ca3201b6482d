import { isUtf8 } from "node:buffer";
import type { FastifyInstance } from "fastify";

/** A body that is not one JSON value (RFC 8259), or an object in it with duplicate member names. */
export class StrictJsonError extends Error {
  override readonly name = "StrictJsonError";
  /** The status with which frameworks answer it. */
  readonly statusCode = 400;
}

const colon = 0x3a;
const quote = 0x22;
const backslash = 0x5c;
const byteOrderMark = Buffer.from("\ufeff");

/**
 * Number of colons, inside and outside of strings: never less than the number of members. Many times faster than examining each byte.
 */
function colons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(":"); at >= 0; at = text.indexOf(":", at + 1)) count += 1;
  return count;
}

/** Number of members in a valid JSON text: the colons outside of strings. Bytes above 0x7f occur only in strings. */
function writtenMembers(text: Buffer): number {
  let members = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === quote) inString = !inString;
    else if (inString && byte === backslash) at += 1;
    else if (byte === colon && !inString) members += 1;
  }
  return members;
}

/** Number of members in a value and all nested values. Not recursive, because a body may nest as deep as it is long. */
function heldMembers(value: unknown): number {
  let members = 0;
  // Most bodies have no nested value, and need no list of those that wait.
  let waiting: unknown[] | undefined;
  for (let next = value; typeof next === "object" && next !== null; next = waiting?.pop()) {
    const items: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    if (items !== next) members += items.length;
    for (const item of items) if (typeof item === "object" && item !== null) (waiting ??= []).push(item);
  }
  return members;
}

/**
 * Parses a body as JSON: UTF-8 without byte order mark (RFC 8259 §8.1) and replacement characters, and without duplicate members at any
 * level. `JSON.parse` keeps the last duplicate, other parsers keep the first. A duplicate is detected because the value then has fewer
 * members than the text.
 *
 * @throws StrictJsonError
 */
export function parseStrictJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new StrictJsonError("the body is not UTF-8");
  if (body[0] === byteOrderMark[0] && body.subarray(0, byteOrderMark.length).equals(byteOrderMark)) {
    throw new StrictJsonError("the body begins with a byte order mark");
  }
  const text = body.toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new StrictJsonError("the body is not valid JSON");
  }
  const held = heldMembers(value);
  if (colons(text) !== held && writtenMembers(body) !== held)
    throw new StrictJsonError("the body has a duplicate member");
  return value;
}

/**
 * Replaces Fastify's JSON parser for all routes of the scope. An empty body is accepted whatever its content type: clients send a type with
 * a DELETE that has no body, and a route that requires a body rejects the request itself.
 */
export function takeStrictJson(scope: FastifyInstance): void {
  scope.removeContentTypeParser("application/json");
  scope.addContentTypeParser("application/json", { parseAs: "buffer" }, async (_request: unknown, body: Buffer) =>
    body.length === 0 ? undefined : withoutPrototypes(parseStrictJson(body)),
  );
}

/** Rejects the one name that code which merges objects would treat as the prototype. */
function withoutPrototypes(value: unknown): unknown {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    if (Object.hasOwn(next, "__proto__")) throw new StrictJsonError("the body must not have a member named __proto__");
    for (const item of Object.values(next)) if (typeof item === "object") waiting.push(item);
  }
  return value;
}
