import type { IncomingMessage } from "node:http";
import { AppError } from "@postern/shared/platform/errors";
import { type BodyParserSettings, expandBody } from "./decompress-body.ts";

/**
 * Reads a body of at most `maxBytes` and removes its content coding.
 *
 * @throws AppError REQUEST_TOO_LARGE, REQUEST_MALFORMED, REQUEST_MEDIA_TYPE
 */
export type ReadBody = (request: IncomingMessage, maxBytes: number) => Promise<Buffer>;

function joined(chunks: readonly Buffer[]): Buffer {
  const [first, second] = chunks;
  return first !== undefined && second === undefined ? first : Buffer.concat(chunks);
}

/** The bytes of a request that has been received completely, as most have been when their caller is authenticated. */
function completeBody(request: IncomingMessage): Buffer {
  const chunks: Buffer[] = [];
  for (let chunk: unknown = request.read(); Buffer.isBuffer(chunk); chunk = request.read()) chunks.push(chunk);
  return joined(chunks);
}

/** Collects the bytes as sent. Data beyond the limit is dropped as it arrives. */
function collect(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const refuse = (code: "REQUEST_TOO_LARGE" | "REQUEST_MALFORMED", cause?: unknown): void =>
      reject(new AppError(code, { cause }));
    // The client disconnected before, so no event follows.
    if (request.destroyed) return refuse("REQUEST_MALFORMED");
    if (Number(request.headers["content-length"]) > maxBytes || request.readableLength > maxBytes)
      return refuse("REQUEST_TOO_LARGE");
    if (request.complete) return resolve(completeBody(request));
    const chunks: Buffer[] = [];
    let received = 0;
    request.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (received > maxBytes) refuse("REQUEST_TOO_LARGE");
      else chunks.push(chunk);
    });
    request.on("end", () => resolve(joined(chunks)));
    // The client disconnected.
    request.on("error", (cause) => refuse("REQUEST_MALFORMED", cause));
  });
}

/**
 * The expanded size is counted during expansion, off the event loop, which stops at the limit. At most one coding is accepted, because a
 * list of codings could be a decompression bomb.
 */
export function createReadBody(settings: BodyParserSettings): ReadBody {
  return (request, maxBytes) => {
    const collected = collect(request, maxBytes);
    const contentEncoding = request.headers["content-encoding"];
    if (contentEncoding === undefined) return collected;
    return collected.then((body) => expandBody(contentEncoding, body, settings));
  };
}
