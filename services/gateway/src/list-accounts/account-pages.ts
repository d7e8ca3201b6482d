import type { Bus } from "@postern/shared/bus";
import {
  type AuthRequest,
  type ListAccountsMethod,
  type ListAccountsRequest,
  listAccounts,
  listAccountsAt,
} from "@postern/shared/contracts";
import type { Clock } from "@postern/shared/time";

export interface AccountsPage {
  readonly accounts: readonly string[];
  readonly isLast: boolean;
}

/** The pages of one list, each asked for when it is wanted. Throws an `AppError`; a list that ends is a whole one. */
export type AccountPages = (request: AuthRequest, signal: AbortSignal) => AsyncGenerator<AccountsPage, undefined>;

export interface AccountPagesDeps {
  readonly bus: Pick<Bus, "request">;
  readonly clock: Clock;
  /** How long one page may take, in milliseconds. */
  readonly timeoutMs: () => number;
}

/** About 16 KiB of usual names: small pages are garbage before they grow old. */
const accountsPerPage = 500;

interface Place {
  readonly method: ListAccountsMethod;
  readonly cursor: string;
  readonly instance: string | undefined;
}

function firstPage(request: AuthRequest): ListAccountsRequest {
  const { session, protocol, username, clientIp, clientPort, localIp, localPort } = request;
  return {
    session,
    protocol,
    limit: accountsPerPage,
    ...(username === "" ? undefined : { username }),
    ...(clientIp === undefined ? undefined : { clientIp }),
    ...(clientPort === undefined ? undefined : { clientPort }),
    ...(localIp === undefined ? undefined : { localIp }),
    ...(localPort === undefined ? undefined : { localPort }),
  };
}

/** Any engine has the next page, or the one that holds the listing open. */
function placeAfter(cursor: string, instance: string | undefined, before: Place | undefined): Place {
  if (instance === undefined) return { method: listAccounts, cursor, instance };
  // A method that is made anew compiles its schemas anew.
  const method = before?.instance === instance ? before.method : listAccountsAt(instance);
  return { method, cursor, instance };
}

export function createAccountPages({ bus, clock, timeoutMs }: AccountPagesDeps): AccountPages {
  return async function* accountPages(request, signal) {
    const first = firstPage(request);
    let place: Place | undefined;
    try {
      do {
        const body = place === undefined ? first : { ...first, cursor: place.cursor };
        const method: ListAccountsMethod = place?.method ?? listAccounts;
        const { accounts, cursor, instance } = await bus.request(method, body, {
          deadline: clock.now() + timeoutMs(),
          signal,
        });
        place = cursor === undefined ? undefined : placeAfter(cursor, instance, place);
        yield { accounts, isLast: place === undefined };
      } while (place !== undefined);
    } finally {
      // Nobody will ask for the rest: the engine need not keep it until it notices.
      if (place?.instance !== undefined) {
        const end = { ...first, cursor: place.cursor, limit: 0 };
        bus.request(place.method, end, { deadline: clock.now() + timeoutMs() }).catch(() => undefined);
      }
    }
    return undefined;
  };
}
