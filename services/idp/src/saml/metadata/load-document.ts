import { createReadStream } from "node:fs";
import { bytesWithin } from "../xml/limits.ts";
import { MetadataError } from "./metadata-failure.ts";

export interface Place {
  /** Empty for a file. */
  readonly url: string;
  readonly file: string;
}

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
