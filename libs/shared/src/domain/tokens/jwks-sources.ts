import { lookup } from "node:dns";
import { open } from "node:fs/promises";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { AppError } from "../../platform/errors/app-error.ts";
import { canonicalIp } from "../../platform/net/ip.ts";

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

/** The body of a response, as JSON. */
async function readSet(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return parse(Buffer.concat(chunks));
}

function wrongStatus(status: number): AppError {
  return new AppError("UPSTREAM_UNAVAILABLE", { detail: `the request for the JWK set returned status ${status}` });
}

export function keySetUrl(url: string): LoadKeySet {
  return async (signal) => {
    const response = await fetch(url, { signal, redirect: "error", headers: { accept: "application/json" } });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw wrongStatus(response.status);
    }
    return readSet(response.body);
  };
}

/** Why no connection is made to this address; undefined if it is permitted. */
export type RefuseAddress = (address: string) => string | undefined;

function refusedHost(why: string): AppError {
  return new AppError("UPSTREAM_UNAVAILABLE", {
    detail: `the host of the JWK set has an address that is not used: ${why}`,
  });
}

/** Resolves names as usual, and fails if any of the addresses is refused: the connection may go to each of them. */
function guardedLookup(refuse: RefuseAddress): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      const found = addresses ?? [];
      const why = found.map(({ address }) => refuse(address)).find((reason) => reason !== undefined);
      const [first] = found;
      if (error !== null || first === undefined) return done(error ?? new Error(`${host} has no address`), []);
      if (why !== undefined) return done(refusedHost(why), []);
      return options.all === true ? done(null, found) : done(null, first.address, first.family);
    });
  };
}

function requestSet(url: URL, refuse: RefuseAddress, signal: AbortSignal): Promise<IncomingMessage> {
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const headers = { accept: "application/json" };
    // No agent: a connection that was checked is not kept for other requests.
    const request = send(url, { agent: false, headers, signal, lookup: guardedLookup(refuse) }, resolve);
    request.once("error", reject);
    request.end();
  });
}

/**
 * The same for a URL that anyone may have chosen: every address that the host resolves to is checked before the connection is made, and
 * redirects are not followed.
 */
export function guardedKeySetUrl(text: string, refuse: RefuseAddress): LoadKeySet {
  return async (signal) => {
    const url = new URL(text);
    // Names are checked when they are resolved; addresses are not resolved.
    const literal = canonicalIp(url.hostname);
    const why = literal === undefined ? undefined : refuse(literal);
    if (why !== undefined) throw refusedHost(why);
    const response = await requestSet(url, refuse, signal);
    const { statusCode = 0 } = response;
    if (statusCode !== 200) {
      response.destroy();
      throw wrongStatus(statusCode);
    }
    return readSet(response);
  };
}
