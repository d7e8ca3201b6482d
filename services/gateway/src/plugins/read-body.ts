import type { IncomingMessage } from "node:http";
import { AppError } from "@postern/shared/errors";
import { type BodyParserSettings, expandBody } from "./decompress-body.ts";

/** Told once: the body, or why there is none. */
export type TakeBody = (body: Buffer, refused?: unknown) => void;

/** Reads a body of at most `maxBytes` as it is on the wire. */
export type ReadBody = (request: IncomingMessage, maxBytes: number, take: TakeBody) => void;

const noBody = Buffer.alloc(0);

/**
 * The bytes on the wire. Fastify's parsers for content types take 7 µs more a request, for a context that nothing here
 * uses. What comes after the limit is dropped as it comes.
 */
function collect(request: IncomingMessage, maxBytes: number, take: TakeBody): void {
  const chunks: Buffer[] = [];
  let received = 0;
  let isOver = false;
  const finish: TakeBody = (body, refused) => {
    if (isOver) return;
    isOver = true;
    take(body, refused);
  };
  const tooLarge = (): void => finish(noBody, new AppError("REQUEST_TOO_LARGE"));
  if (Number(request.headers["content-length"]) > maxBytes) {
    tooLarge();
    return;
  }
  request.on("data", (chunk: Buffer) => {
    received += chunk.length;
    if (received > maxBytes) tooLarge();
    else chunks.push(chunk);
  });
  request.on("end", () => finish(chunks.length === 1 ? (chunks[0] ?? noBody) : Buffer.concat(chunks)));
  // Its sender hung up.
  request.on("error", (cause) => finish(noBody, new AppError("REQUEST_MALFORMED", { cause })));
}

/**
 * The body as its sender meant it (contract, "Request body decompression"). Its expanded size is counted while it
 * expands, off the event loop, and it ends where the limit is passed. One coding at most: a list of them is a bomb's.
 */
export function createReadBody(settings: BodyParserSettings): ReadBody {
  const expand = async (contentEncoding: string, body: Buffer, take: TakeBody): Promise<void> => {
    const expanded = await expandBody(contentEncoding, body, settings).catch((refused: unknown) => ({ refused }));
    if (Buffer.isBuffer(expanded)) take(expanded);
    else take(noBody, expanded.refused);
  };
  return (request, maxBytes, take) => {
    const contentEncoding = request.headers["content-encoding"];
    if (contentEncoding === undefined) {
      collect(request, maxBytes, take);
      return;
    }
    collect(request, maxBytes, (body, refused) => {
      if (refused === undefined) void expand(contentEncoding, body, take);
      else take(body, refused);
    });
  };
}
