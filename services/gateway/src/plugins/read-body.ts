import type { IncomingMessage } from "node:http";
import { AppError } from "@postern/shared/platform/errors";
import { type BodyParserSettings, expandBody } from "./decompress-body.ts";

/**
 * Reads a body of at most `maxBytes` and removes its content coding.
 *
 * @throws AppError REQUEST_TOO_LARGE, REQUEST_MALFORMED, REQUEST_MEDIA_TYPE
 */
export type ReadBody = (request: IncomingMessage, maxBytes: number) => Promise<Buffer>;

/** Collects the bytes as sent. Data beyond the limit is dropped as it arrives. */
function collect(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers["content-length"]) > maxBytes) {
      reject(new AppError("REQUEST_TOO_LARGE"));
      return;
    }
    const chunks: Buffer[] = [];
    let received = 0;
    request.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (received > maxBytes) reject(new AppError("REQUEST_TOO_LARGE"));
      else chunks.push(chunk);
    });
    request.on("end", () => {
      const [first, second] = chunks;
      resolve(first !== undefined && second === undefined ? first : Buffer.concat(chunks));
    });
    // The client disconnected.
    request.on("error", (cause) => reject(new AppError("REQUEST_MALFORMED", { cause })));
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
