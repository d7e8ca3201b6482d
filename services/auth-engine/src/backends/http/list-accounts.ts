import { maxUserNameLength } from "@postern/shared/contracts";
import { steadyClock } from "@postern/shared/platform/time";
import type { AccountPage, BackendContext, ListOutcome } from "../backend.ts";
import { createOpenListings, type ListingPages } from "../servers/open-listings.ts";
import { faultOf, headerOf, mediaTypeOf, sessionOf } from "./answer.ts";
import { malformed, type OpenAnswer, RemoteFault, type RemoteRequest } from "./exchange.ts";
import type { HttpClient } from "./http-client.ts";
import type { HttpBackendSettings } from "./http-settings.ts";

/** Lines are names of users. */
function checked(line: string): string {
  if (line.length > maxUserNameLength) throw malformed("a name in the list is too long");
  return line;
}

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
  if (mediaTypeOf(answer) !== "text/plain") throw malformed("the list is not text/plain");
  const isChunked = headerOf(answer, "transfer-encoding")?.toLowerCase() === "chunked";
  if (!isChunked && headerOf(answer, "content-length") === undefined)
    throw malformed("the list has neither a length nor chunks");
}

/** Closes the connection of a list that is not read to its end. */
async function* pagesOf(
  names: AsyncGenerator<string, undefined>,
  limit: number,
): AsyncGenerator<readonly string[], undefined> {
  let page: string[] = [];
  for await (const name of names) {
    page.push(name);
    if (page.length < limit) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** The listing of another server: one response that is read page by page. */
export function createAccountListing(settings: Pick<HttpBackendSettings, "headers">, client: Pick<HttpClient, "open">) {
  const listings = createOpenListings("HTTP", steadyClock);

  const open = async (request: RemoteRequest, limit: number, context: BackendContext): Promise<ListingPages> => {
    const abort = new AbortController();
    const answer = await client.open(request, context, abort.signal);
    // After a page failed, nobody reads the body, whose error would otherwise be unhandled.
    answer.body.on("error", () => undefined);
    try {
      checkList(answer, settings);
    } catch (error) {
      abort.abort(error);
      throw error;
    }
    const cancel = (): void => abort.abort(new RemoteFault("unreachable", "the listing was ended"));
    return { iterator: pagesOf(namesOf(answer.body), limit), cancel };
  };

  return {
    /** @throws AppError or RemoteFault; a list never ends early */
    listAccounts: (
      requestOf: () => RemoteRequest,
      { position, limit }: AccountPage,
      context: BackendContext,
    ): Promise<ListOutcome> =>
      position === undefined
        ? listings.begin(() => open(requestOf(), limit, context), context)
        : listings.readOn(position, context),
    endListing: listings.end,
    close: listings.close,
  };
}
