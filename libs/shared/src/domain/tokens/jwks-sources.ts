import { open } from "node:fs/promises";
import { guardedDocument, type RefuseAddress, readDocument, tooLarge, wrongStatus } from "./guarded-document.ts";

/** Loads a JWK set as JSON; reads it again at each call. Rejects if it cannot be read. */
export type LoadKeySet = (signal: AbortSignal) => Promise<unknown>;

const maxBytes = 256 * 1024;
const wanted = { what: "JWK set", accept: "application/json", maxBytes } as const;

function parse(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString("utf8"));
}

export function keySetFile(path: string): LoadKeySet {
  return async () => {
    await using file = await open(path, "r");
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0);
    if (bytesRead > maxBytes) throw tooLarge(wanted);
    return parse(buffer.subarray(0, bytesRead));
  };
}

export function keySetUrl(url: string): LoadKeySet {
  return async (signal) => {
    const response = await fetch(url, { signal, redirect: "error", headers: { accept: wanted.accept } });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw wrongStatus(wanted, response.status);
    }
    return parse(await readDocument(response.body, wanted));
  };
}

/** Reads a URL that anyone may have chosen. */
export function guardedKeySetUrl(text: string, refuse: RefuseAddress): LoadKeySet {
  return async (signal) => parse(await guardedDocument(text, { refuse, wanted, signal }));
}
