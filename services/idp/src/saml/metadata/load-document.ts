import { createReadStream } from "node:fs";
import type { SamlRefusal } from "../protocol/refusal.ts";
import { bytesWithin } from "../xml/limits.ts";

/** Why metadata was not accepted. A closed set, because it labels a metric. */
export const metadataFailures = ["unreachable", "too_large", "not_metadata", "signature", "expired"] as const;

export type MetadataFailure = (typeof metadataFailures)[number];

/** Metadata was not accepted; the previous version remains in use. The detail is for the log. */
export class MetadataError extends Error {
  readonly failure: MetadataFailure;

  constructor(failure: MetadataFailure, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.name = "MetadataError";
    this.failure = failure;
  }
}

const signatureReasons: ReadonlySet<string> = new Set([
  "signature_missing",
  "signature_shape",
  "signature_wrong",
  "algorithm",
  "no_certificate",
]);

/** Maps a refusal of the reader to a failure. */
export function failureOf({ reason }: SamlRefusal): MetadataFailure {
  if (signatureReasons.has(reason)) return "signature";
  if (reason === "too_large") return "too_large";
  return reason === "time" ? "expired" : "not_metadata";
}

/** `url` is empty for a file. */
export type Place = Readonly<Record<"url" | "file", string>>;

const utf8 = new TextDecoder("utf-8", { fatal: true });

function textOf(bytes: Uint8Array, maxBytes: number): string {
  if (bytes.length > maxBytes) throw new MetadataError("too_large", `more than ${maxBytes} bytes`);
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new MetadataError("not_metadata", "not UTF-8", { cause });
  }
}

/** Requests only the configured URL and does not follow redirects. */
async function bytesOfUrl(url: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  const headers = { accept: "application/samlmetadata+xml, application/xml;q=0.9, text/xml;q=0.8, */*;q=0.1" };
  const response = await fetch(url, { signal, redirect: "error", headers });
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new MetadataError("unreachable", `status ${response.status}`);
  }
  return bytesWithin(response.body, maxBytes);
}

/** Loads the text of a document, at most `maxBytes`. Rejects with MetadataError. */
export async function loadDocument({ url, file }: Place, maxBytes: number, signal: AbortSignal): Promise<string> {
  try {
    const body = url === "" ? bytesWithin(createReadStream(file), maxBytes) : bytesOfUrl(url, maxBytes, signal);
    return textOf(await body, maxBytes);
  } catch (cause) {
    if (cause instanceof MetadataError) throw cause;
    const { message } = cause instanceof Error && cause.cause instanceof Error ? cause.cause : Object(cause);
    throw new MetadataError("unreachable", String(message), { cause });
  }
}
