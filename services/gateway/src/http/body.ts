import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, constants, gunzip, zstdDecompress } from "node:zlib";
import { AppError } from "@postern/shared/platform/errors";

const expandGzip = promisify(gunzip);
const expandBrotli = promisify(brotliDecompress);
const expandZstd = promisify(zstdDecompress);

/** RFC 9659: the limit of every zstd decoder on the web, 8 MiB. A frame that requires more memory is rejected. */
const maxZstdWindowLog = 23;

type Expand = (body: Buffer, maxOutputLength: number) => Promise<Buffer>;

const gzip: Expand = (body, maxOutputLength) => expandGzip(body, { maxOutputLength });

/** Content codings (RFC 9110 §8.4.1, RFC 7932, RFC 8878). */
const codings: Readonly<Record<string, Expand>> = {
  gzip,
  "x-gzip": gzip,
  br: (body, maxOutputLength) => expandBrotli(body, { maxOutputLength }),
  zstd: (body, maxOutputLength) =>
    expandZstd(body, { maxOutputLength, params: { [constants.ZSTD_d_windowLogMax]: maxZstdWindowLog } }),
};

/** `runtime.servers.http.middlewares.request_decompression`, and the maximum size of a body after expansion. */
export type DecompressionSettings = { readonly enabled: boolean; readonly maxBytes: number };

/** Whether a body has a content coding other than `identity`. */
export function isCoded(contentEncoding: string | undefined): boolean {
  return contentEncoding !== undefined && contentEncoding.trim().toLowerCase() !== "identity";
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
}

/**
 * Removes the single content coding of a body.
 *
 * @throws AppError REQUEST_MEDIA_TYPE, REQUEST_TOO_LARGE, REQUEST_MALFORMED
 */
export async function expandBody(
  contentEncoding: string,
  body: Buffer,
  settings: DecompressionSettings,
): Promise<Buffer> {
  const coding = contentEncoding.trim().toLowerCase();
  if (coding === "identity") return body;
  const expand = settings.enabled && Object.hasOwn(codings, coding) ? codings[coding] : undefined;
  if (expand === undefined) {
    throw new AppError("REQUEST_MEDIA_TYPE", { publicMessage: "Unsupported content encoding" });
  }
  try {
    return await expand(body, settings.maxBytes);
  } catch (cause) {
    if (isTooLarge(cause)) throw new AppError("REQUEST_TOO_LARGE", { cause });
    throw new AppError("REQUEST_MALFORMED", { publicMessage: `the body is not valid ${coding}`, cause });
  }
}

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

/** Collects a stream of at most `maxBytes`; rejects with the given error if it is longer. */
export async function bytesOf(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLong: () => AppError,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > maxBytes) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
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
 * Reads a body of at most `maxBytes` and removes its content coding. The expanded size is counted during expansion, off the event loop,
 * which stops at the limit. At most one coding is accepted, because a list of codings could be a decompression bomb.
 *
 * @throws AppError REQUEST_TOO_LARGE, REQUEST_MALFORMED, REQUEST_MEDIA_TYPE
 */
export function createReadBody(settings: DecompressionSettings) {
  return (request: IncomingMessage, maxBytes: number): Promise<Buffer> => {
    const collected = collect(request, maxBytes);
    const contentEncoding = request.headers["content-encoding"];
    if (contentEncoding === undefined) return collected;
    return collected.then((body) => expandBody(contentEncoding, body, settings));
  };
}
