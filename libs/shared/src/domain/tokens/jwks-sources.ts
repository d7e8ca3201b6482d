import { open } from "node:fs/promises";
import { AppError } from "../../platform/errors/app-error.ts";

/** Loads a JWK set as JSON; reads it again at each call. Rejects if it cannot be read. */
export type LoadKeySet = (signal: AbortSignal) => Promise<unknown>;

const maxBytes = 256 * 1024;

function parse(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString("utf8"));
}

function tooLarge(): AppError {
  return new AppError("UPSTREAM_UNAVAILABLE", { detail: `the JWK set is larger than ${maxBytes} bytes` });
}

export function keySetFile(path: string): LoadKeySet {
  return async () => {
    await using file = await open(path, "r");
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0);
    if (bytesRead > maxBytes) throw tooLarge();
    return parse(buffer.subarray(0, bytesRead));
  };
}

export function keySetUrl(url: string): LoadKeySet {
  return async (signal) => {
    const response = await fetch(url, { signal, redirect: "error", headers: { accept: "application/json" } });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new AppError("UPSTREAM_UNAVAILABLE", {
        detail: `the request for the JWK set returned status ${response.status}`,
      });
    }
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge();
      chunks.push(chunk);
    }
    return parse(Buffer.concat(chunks));
  };
}
