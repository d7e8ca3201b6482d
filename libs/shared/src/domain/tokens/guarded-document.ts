import { lookup } from "node:dns";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { AppError } from "../../platform/errors/app-error.ts";
import { canonicalIp } from "../../platform/net/ip.ts";

/** Why no connection is made to this address; undefined if it is permitted. */
export type RefuseAddress = (address: string) => string | undefined;

/** The document that is fetched. */
export interface WantedDocument {
  /** Names the document in errors, such as "JWK set". */
  readonly what: string;
  readonly accept: string;
  readonly maxBytes: number;
}

export function wrongStatus({ what }: WantedDocument, status: number): AppError {
  return new AppError("UPSTREAM_UNAVAILABLE", { detail: `the request for the ${what} returned status ${status}` });
}

export function tooLarge({ what, maxBytes }: WantedDocument): AppError {
  return new AppError("UPSTREAM_UNAVAILABLE", { detail: `the ${what} is larger than ${maxBytes} bytes` });
}

/** The body of a response. Rejects if it is larger than the document may be. */
export async function readDocument(body: AsyncIterable<Uint8Array>, wanted: WantedDocument): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > wanted.maxBytes) throw tooLarge(wanted);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refusedHost({ what }: WantedDocument, why: string): AppError {
  return new AppError("UPSTREAM_UNAVAILABLE", {
    detail: `the host of the ${what} has an address that is not used: ${why}`,
  });
}

/** Resolves names as usual, and fails if any of the addresses is refused: the connection may go to each of them. */
function guardedLookup(refuse: RefuseAddress, wanted: WantedDocument): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      const found = addresses ?? [];
      const why = found.map(({ address }) => refuse(address)).find((reason) => reason !== undefined);
      const [first] = found;
      if (error !== null || first === undefined) return done(error ?? new Error(`${host} has no address`), []);
      if (why !== undefined) return done(refusedHost(wanted, why), []);
      return options.all === true ? done(null, found) : done(null, first.address, first.family);
    });
  };
}

interface Guarded {
  readonly refuse: RefuseAddress;
  readonly wanted: WantedDocument;
  readonly signal: AbortSignal;
}

function send(url: URL, { refuse, wanted, signal }: Guarded): Promise<IncomingMessage> {
  const request = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const headers = { accept: wanted.accept };
    // No agent: a connection that was checked is not kept for other requests.
    const sent = request(url, { agent: false, headers, signal, lookup: guardedLookup(refuse, wanted) }, resolve);
    sent.once("error", reject);
    sent.end();
  });
}

/**
 * Fetches a document from a URL that anyone may have chosen: every address that the host resolves to is checked before the
 * connection is made, and redirects are not followed.
 */
export async function guardedDocument(text: string, guarded: Guarded): Promise<Buffer> {
  const { refuse, wanted } = guarded;
  const url = new URL(text);
  // Names are checked when they are resolved; addresses are not resolved.
  const literal = canonicalIp(url.hostname);
  const why = literal === undefined ? undefined : refuse(literal);
  if (why !== undefined) throw refusedHost(wanted, why);
  const response = await send(url, guarded);
  const { statusCode = 0 } = response;
  if (statusCode !== 200) {
    response.destroy();
    throw wrongStatus(wanted, statusCode);
  }
  return readDocument(response, wanted);
}
