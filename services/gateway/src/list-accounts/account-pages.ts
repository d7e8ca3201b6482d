import { setImmediate } from "node:timers/promises";
import {
  type AuthRequest,
  type ListAccountsMethod,
  type ListAccountsRequest,
  listAccounts,
  listAccountsAt,
} from "@postern/shared/contracts";
import type { Bus } from "@postern/shared/platform/bus";
import { AppError } from "@postern/shared/platform/errors";
import type { Clock } from "@postern/shared/platform/time";

export interface AccountsPage {
  readonly accounts: readonly string[];
  readonly isLast: boolean;
}

/** About 16 KiB of typical names: small pages are collected by the garbage collector while young. */
const accountsPerPage = 500;

/** Where the next page begins, and the engine that must return it, if not any can. */
type PagePosition = {
  readonly method: ListAccountsMethod;
  readonly cursor: string;
  readonly instance: string | undefined;
};

function firstPage(request: AuthRequest): ListAccountsRequest {
  const { session, protocol, username, clientIp, clientPort, localIp, localPort, hops, callerDomains } = request;
  return {
    session,
    protocol,
    limit: accountsPerPage,
    ...(username === "" ? undefined : { username }),
    ...(clientIp === undefined ? undefined : { clientIp }),
    ...(clientPort === undefined ? undefined : { clientPort }),
    ...(localIp === undefined ? undefined : { localIp }),
    ...(localPort === undefined ? undefined : { localPort }),
    ...(hops === undefined ? undefined : { hops }),
    ...(callerDomains === undefined ? undefined : { callerDomains }),
  };
}

/** Any engine can return the next page, or only the one that keeps the listing open. */
function positionAfter(cursor: string, instance: string | undefined, before: PagePosition | undefined): PagePosition {
  if (instance === undefined) return { method: listAccounts, cursor, instance };
  // A newly created method would compile its schemas again.
  const method = before?.instance === instance ? before.method : listAccountsAt(instance);
  return { method, cursor, instance };
}

function throwIfLeft({ aborted }: AbortSignal): void {
  if (aborted) throw new AppError("REQUEST_ABORTED", { detail: "the client disconnected" });
}

/**
 * The pages of one list, each requested when it is needed, within `timeoutMs`. Throws an `AppError`; a list that ends normally is complete.
 * If `signal` aborts, the page that is being read is awaited first, so that its listing can be closed at the engine.
 */
export function createAccountPages(bus: Pick<Bus, "request">, clock: Clock, timeoutMs: () => number) {
  return async function* accountPages(
    request: AuthRequest,
    signal: AbortSignal,
  ): AsyncGenerator<AccountsPage, undefined> {
    throwIfLeft(signal);
    const first = firstPage(request);
    let position: PagePosition | undefined;
    try {
      do {
        const body = position === undefined ? first : { ...first, cursor: position.cursor };
        const method: ListAccountsMethod = position?.method ?? listAccounts;
        // Without the reader's signal: only the reply says which listing to end if the reader leaves while it is
        // awaited.
        const { accounts, cursor, instance } = await bus.request(method, body, { deadline: clock.now() + timeoutMs() });
        position = cursor === undefined ? undefined : positionAfter(cursor, instance, position);
        throwIfLeft(signal);
        yield { accounts, isLast: position === undefined };
        // An engine of this process may answer, and the socket accept, without a turn of the event loop, in which nothing else would be served.
        if (position !== undefined) await setImmediate();
      } while (position !== undefined);
    } finally {
      // The rest will not be requested, so the engine can end the listing now.
      if (position?.instance !== undefined) {
        const end = { ...first, cursor: position.cursor, limit: 0 };
        bus.request(position.method, end, { deadline: clock.now() + timeoutMs() }).catch(() => undefined);
      }
    }
    return undefined;
  };
}

export type AccountPages = ReturnType<typeof createAccountPages>;
