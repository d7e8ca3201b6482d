import type { IncomingMessage, ServerResponse } from "node:http";
import type { AuthRequest } from "@postern/shared/contracts";
import { AppError, logFields } from "@postern/shared/platform/errors";
import { engineError } from "../engine-error.ts";
import type { Foundation } from "../foundation.ts";
import type { AccountPages, AccountsPage } from "./account-pages.ts";
import { negotiateListType } from "./negotiate.ts";
import { createListRenderer, isListable, type ListRenderer } from "./render.ts";

/** How long a reader may accept no data: shorter than the time for which engines keep a listing open for the next page. */
const stallMs = 30_000;

/**
 * `mode=list-accounts`: writes page after page. The next page is requested when the socket has accepted the previous one, so a list of any
 * length needs one page of memory. The dialect answers a failure before the first byte. After it the connection is reset, because a body
 * that ends normally would be mistaken for the whole list.
 *
 * The result says how the listing ended. With an error before the first byte, the caller has not been answered yet.
 */
export function createAnswerListing(pages: AccountPages, { names, logger }: Foundation) {
  /** @throws AppError ACCEPT_UNSUPPORTED before an engine is called. */
  return async (authRequest: AuthRequest, request: IncomingMessage, response: ServerResponse) => {
    const type = negotiateListType(request.headers.accept);
    if (type === undefined) throw new AppError("ACCEPT_UNSUPPORTED");
    const started = performance.now();
    const seconds = (): number => (performance.now() - started) / 1000;
    const writer = createListWriter(response, createListRenderer(type), [names.session, authRequest.session]);
    const left = new AbortController();
    const onClose = (): void => left.abort(new AppError("REQUEST_ABORTED", { detail: "the client disconnected" }));
    response.once("close", onClose);
    // The client may have disconnected while its body was read.
    if (response.destroyed) onClose();
    let firstPageSeconds: number | undefined;
    let error: AppError | undefined;
    try {
      for await (const page of pages(authRequest, left.signal)) {
        firstPageSeconds ??= seconds();
        writer.write(page);
        if (!page.isLast) await untilTaken(response, left.signal);
      }
    } catch (thrown) {
      error = engineError(thrown);
      logger[error.row.logLevel]({ session: authRequest.session, ...logFields(error) }, "the list of accounts failed");
      if (response.headersSent) cut(response);
    } finally {
      response.off("close", onClose);
    }
    const total = seconds();
    return {
      outcome: error === undefined ? ("ok" as const) : ("tempfail" as const),
      error,
      isBegun: response.headersSent,
      ...writer.counts(),
      firstPageSeconds: firstPageSeconds ?? total,
      seconds: total,
    };
  };
}

function createListWriter(response: ServerResponse, renderer: ListRenderer, sessionHeader: readonly [string, string]) {
  let accounts = 0;
  let leftOut = 0;
  const headers = ["Auth-Status", "OK", ...sessionHeader, "Content-Type", renderer.contentType];
  return {
    write: ({ accounts: found, isLast }: AccountsPage): void => {
      const listed = found.filter(isListable);
      accounts += listed.length;
      leftOut += found.length - listed.length;
      const bytes = renderer.page(listed, isLast);
      if (!response.headersSent) {
        response.writeHead(200, isLast ? [...headers, "Content-Length", String(bytes.length)] : headers);
      }
      if (isLast) response.end(bytes);
      else if (bytes.length > 0) response.write(bytes);
    },
    counts: () => ({ accounts, leftOut }),
  };
}

/** Resolves when the reader has accepted what was written. */
async function untilTaken(response: ServerResponse, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (!response.writableNeedDrain) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = (): void => reject(signal.reason);
  const timer = setTimeout(() => {
    reject(new AppError("DEADLINE_EXCEEDED", { detail: "the client does not read the list" }));
  }, stallMs);
  response.once("drain", resolve);
  signal.addEventListener("abort", onAbort);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    response.off("drain", resolve);
    signal.removeEventListener("abort", onAbort);
  }
}

/**
 * Resets the connection if that is possible: without chunks (HTTP/1.0), a normal end of the connection is a normal end of the body.
 */
function cut(response: ServerResponse): void {
  const { socket } = response;
  if (socket === null || "encrypted" in socket) response.destroy();
  else socket.resetAndDestroy();
}
