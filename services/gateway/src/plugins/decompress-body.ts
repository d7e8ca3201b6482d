import { promisify } from "node:util";
import { brotliDecompress, constants, gunzip, type InputType, zstdDecompress } from "node:zlib";
import { AppError } from "@postern/shared/platform/errors";

export interface BodyParserSettings {
  /** `runtime.servers.http.middlewares.request_decompression` */
  readonly enabled: boolean;
  /** Maximum size of a body after expansion. */
  readonly maxBytes: number;
}

type Expand = (body: InputType, maxOutputLength: number) => Promise<Buffer>;

const expandGzip = promisify(gunzip);
const expandBrotli = promisify(brotliDecompress);
const expandZstd = promisify(zstdDecompress);

/** RFC 9659: the limit of every zstd decoder on the web, 8 MiB. A frame that requires more memory is rejected. */
const maxZstdWindowLog = 23;

const gzip: Expand = (body, maxOutputLength) => expandGzip(body, { maxOutputLength });

/** Content codings (RFC 9110 §8.4.1, RFC 7932, RFC 8878). */
const codings: Readonly<Record<string, Expand>> = {
  gzip,
  "x-gzip": gzip,
  br: (body, maxOutputLength) => expandBrotli(body, { maxOutputLength }),
  zstd: (body, maxOutputLength) =>
    expandZstd(body, { maxOutputLength, params: { [constants.ZSTD_d_windowLogMax]: maxZstdWindowLog } }),
};

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
export async function expandBody(contentEncoding: string, body: Buffer, settings: BodyParserSettings): Promise<Buffer> {
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
