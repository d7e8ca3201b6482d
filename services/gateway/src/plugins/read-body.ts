import type { IncomingMessage } from "node:http";
import { AppError } from "@postern/shared/platform/errors";
import { type BodyParserSettings, expandBody } from "./decompress-body.ts";

/** Called once: with the body, or with the reason why there is none. */
export type TakeBody = (body: Buffer, refused?: unknown) => void;

/** Reads a body of at most `maxBytes`, as sent. */
export type ReadBody = (request: IncomingMessage, maxBytes: number, take: TakeBody) => void;

const noBody = Buffer.alloc(0);

/**
 * Collects the bytes as sent. Fastify's content-type parsers cost 7 µs more per request, for a context that is not used here. Data beyond
 * the limit is dropped as it arrives.
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
  // The client disconnected.
  request.on("error", (cause) => finish(noBody, new AppError("REQUEST_MALFORMED", { cause })));
}

/**
 * Reads and expands a body. The expanded size is counted during expansion, off the event loop, which stops at the limit. At most one coding
 * is accepted, because a list of codings could be a decompression bomb.
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
