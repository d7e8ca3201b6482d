import { randomUUID } from "node:crypto";
import { maxUserNameLength } from "@postern/shared/contracts";
import { untilOver } from "@postern/shared/platform/concurrency";
import { AppError } from "@postern/shared/platform/errors";
import { steadyClock } from "@postern/shared/platform/time";
import type { AccountPage, BackendContext, ListOutcome } from "../backend.ts";
import { faultOf, headerOf, sessionOf } from "./answer.ts";
import type { HttpClient, OpenAnswer, RemoteRequest } from "./http-client.ts";
import type { HttpBackendSettings } from "./http-settings.ts";
import { RemoteFault } from "./remote-fault.ts";

/** Each listing keeps a connection to the other server. */
const maxOpen = 8;
/** The gateway waits less for a slow reader. */
const idleMs = 45_000;
/** A name has at most 3 bytes in UTF-8 for each of its UTF-16 units. */
const maxLine = maxUserNameLength;

/** The names of a body of lines; lines of any length are refused, and so is what is not UTF-8. */
export async function* namesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let rest = "";
  const decoded = (part?: Uint8Array): string => {
    try {
      return part === undefined ? decoder.decode() : decoder.decode(part, { stream: true });
    } catch (cause) {
      throw new RemoteFault("malformed", "the list is not UTF-8", { cause });
    }
  };
  const checked = (line: string): string => {
    if (line.length > maxLine) throw new RemoteFault("malformed", "a name in the list is too long");
    return line;
  };
  for await (const part of body) {
    const lines = `${rest}${decoded(part)}`.split("\n");
    rest = checked(lines.pop() ?? "");
    for (const line of lines) {
      const name = checked(line.endsWith("\r") ? line.slice(0, -1) : line);
      if (name !== "") yield name;
    }
  }
  const last = checked(`${rest}${decoded()}`.replace(/\r$/, ""));
  if (last !== "") yield last;
}

/** Without a length or chunks, a connection that breaks looks like the end of the list. */
function checkList(answer: OpenAnswer, { headers }: Pick<HttpBackendSettings, "headers">): void {
  if (answer.status !== 200) throw faultOf(answer.status, sessionOf(answer, headers.session));
  const [type = ""] = (headerOf(answer, "content-type") ?? "").split(";");
  if (type.trim().toLowerCase() !== "text/plain") throw new RemoteFault("malformed", "the list is not text/plain");
  const isChunked = headerOf(answer, "transfer-encoding")?.toLowerCase() === "chunked";
  if (!isChunked && headerOf(answer, "content-length") === undefined) {
    throw new RemoteFault("malformed", "the list has neither a length nor chunks");
  }
}

interface OpenListing {
  readonly names: AsyncGenerator<string, undefined>;
  readonly abort: AbortController;
  /** Ends a listing that was abandoned; undefined while a page is being read. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * The listing of another server: one response that is read page by page, in this process only. It has one reader, who requests one page after
 * the other; a page that fails ends it.
 */
export function createAccountListing(
  settings: Pick<HttpBackendSettings, "headers" | "name">,
  client: Pick<HttpClient, "open">,
) {
  const listings = new Map<string, OpenListing>();

  const end = (position: string): void => {
    const listing = listings.get(position);
    clearTimeout(listing?.timer);
    listings.delete(position);
    listing?.abort.abort(new RemoteFault("unreachable", "the listing was ended"));
  };

  const readPage = async ({ names }: OpenListing, limit: number): Promise<{ accounts: string[]; isLast: boolean }> => {
    const accounts: string[] = [];
    while (accounts.length < limit) {
      const { done, value } = await names.next();
      if (done === true) return { accounts, isLast: true };
      accounts.push(value);
    }
    return { accounts, isLast: false };
  };

  const advance = async (
    position: string,
    listing: OpenListing,
    limit: number,
    context: BackendContext,
  ): Promise<ListOutcome> => {
    clearTimeout(listing.timer);
    listing.timer = undefined;
    try {
      const wait = { context, clock: steadyClock, waitingFor: `a page of the accounts of ${settings.name}` };
      const { accounts, isLast } = await untilOver(readPage(listing, limit), wait);
      if (isLast) {
        listings.delete(position);
        return { kind: "ok", accounts };
      }
      listing.timer = setTimeout(end, idleMs, position).unref();
      return { kind: "ok", accounts, next: { text: position, isOpenHere: true } };
    } catch (error) {
      end(position);
      throw error;
    }
  };

  const begin = async (request: RemoteRequest, limit: number, context: BackendContext): Promise<ListOutcome> => {
    const abort = new AbortController();
    const answer = await client.open(request, context, abort.signal);
    try {
      checkList(answer, settings);
    } catch (error) {
      abort.abort(error);
      // Its error is that of the abort.
      answer.body.on("error", () => undefined);
      throw error;
    }
    const position = randomUUID();
    const listing: OpenListing = { names: namesOf(answer.body), abort, timer: undefined };
    listings.set(position, listing);
    return advance(position, listing, limit, context);
  };

  return {
    /** @throws AppError or RemoteFault; a list never ends early */
    listAccounts: async (
      requestOf: () => RemoteRequest,
      { position, limit }: AccountPage,
      context: BackendContext,
    ): Promise<ListOutcome> => {
      if (position !== undefined) {
        const listing = listings.get(position);
        if (listing?.timer !== undefined) return advance(position, listing, limit, context);
        throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "the listing has expired or is open in another engine" });
      }
      if (listings.size >= maxOpen) {
        throw new AppError("DIRECTORY_OVERLOADED", { detail: `${maxOpen} listings of ${settings.name} are open` });
      }
      return begin(requestOf(), limit, context);
    },
    endListing: end,
    close: (): void => {
      for (const position of listings.keys()) end(position);
    },
  };
}
