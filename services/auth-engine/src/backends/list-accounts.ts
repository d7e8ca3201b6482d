import { type ListAccountsReply, type ListAccountsRequest, normalisedProtocol } from "@postern/shared/contracts";
import { AppError, fromUnknown } from "@postern/shared/platform/errors";
import type { Backend, BackendContext, BackendQuery, ListPosition } from "./backend.ts";

/** Where a listing continues: the order of the backends, the backend, and the position in it. */
interface ListCursor {
  readonly order: string;
  readonly index: number;
  /** The backend's own position; absent at its beginning. */
  readonly position?: string | undefined;
}

export function formatListCursor({ order, index, position }: ListCursor): string {
  return JSON.stringify(position === undefined ? [order, index] : [order, index, position]);
}

function readFields(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(cursor);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** Throws `REQUEST_MALFORMED` for anything that `formatListCursor` did not write. */
export function parseListCursor(cursor: string): ListCursor {
  const [order, index, position] = readFields(cursor);
  const isIndex = typeof index === "number" && Number.isSafeInteger(index) && index >= 0;
  if (typeof order !== "string" || !isIndex) throw new AppError("REQUEST_MALFORMED", { detail: "invalid list cursor" });
  if (position === undefined) return { order, index };
  if (typeof position !== "string") throw new AppError("REQUEST_MALFORMED", { detail: "invalid list cursor" });
  return { order, index, position };
}

/** What a caller may list. */
export interface Listable {
  readonly backends: readonly Backend[];
  readonly isWithin: (account: string) => boolean;
}

interface ListAccountsDeps {
  /** In the order of `auth.backends.order`; a reload replaces them. */
  readonly backends: () => readonly Backend[];
  /** For a caller that is limited to domains. @throws AppError DIRECTORY_UNAVAILABLE if it cannot be decided */
  readonly listableWithin: (domains: readonly string[]) => Promise<Listable>;
  /** The name of this engine on the bus. */
  readonly engineId: string;
  readonly observe: (outcome: "ok" | "tempfail", seconds: number) => void;
  readonly onUndecided: (request: ListAccountsRequest, error: AppError) => void;
}

interface Page {
  readonly accounts: readonly string[];
  readonly next: ListCursor | undefined;
  readonly isOpenHere: boolean;
}

/**
 * The bus method `auth-engine.list-accounts`: returns one page. Backends are listed one after the other; an account
 * that two of them know is listed twice, because detecting it would need all names in memory. If a backend cannot
 * answer, the listing fails; it is never shortened.
 */
export function createListAccounts(deps: ListAccountsDeps) {
  const { backends, listableWithin, engineId, observe, onUndecided } = deps;
  const listable = async ({
    callerDomains,
  }: ListAccountsRequest): Promise<Partial<Listable> & Pick<Listable, "backends">> =>
    callerDomains === undefined ? { backends: backends() } : listableWithin(callerDomains);
  return async (request: ListAccountsRequest, context: BackendContext): Promise<ListAccountsReply> => {
    const started = performance.now();
    const seconds = (): number => (performance.now() - started) / 1000;
    try {
      const { backends: among, isWithin } = await listable(request);
      if (request.limit === 0) return endListing(among, request);
      const page = await readPage(among, request, context);
      const { next, isOpenHere } = page;
      const accounts = isWithin === undefined ? [...page.accounts] : page.accounts.filter(isWithin);
      observe("ok", seconds());
      if (next === undefined) return { accounts };
      const cursor = formatListCursor(next);
      return { accounts, cursor, ...(isOpenHere ? { instance: engineId } : undefined) };
    } catch (thrown) {
      const error = fromUnknown(thrown);
      onUndecided(request, error);
      observe("tempfail", seconds());
      throw error;
    }
  };
}

const orderOf = (backends: readonly Backend[]): string => backends.map(({ name }) => name).join(" ");

/** A cursor from another set of backends would skip some accounts or list some twice. */
function startOf(backends: readonly Backend[], { cursor }: ListAccountsRequest): ListCursor {
  const order = orderOf(backends);
  if (cursor === undefined) return { order, index: 0 };
  const start = parseListCursor(cursor);
  if (start.order === order) return start;
  throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "the backends changed during the listing" });
}

async function readPage(
  backends: readonly Backend[],
  request: ListAccountsRequest,
  context: BackendContext,
): Promise<Page> {
  const { order, index: first, position } = startOf(backends, request);
  const after = (index: number, next: ListPosition | undefined): ListCursor | undefined => {
    if (next !== undefined) return { order, index, position: next.text };
    return index + 1 < backends.length ? { order, index: index + 1 } : undefined;
  };
  for (const [index, backend] of backends.entries()) {
    if (index < first) continue;
    const page = { limit: request.limit, position: index === first ? position : undefined };
    const outcome = await backend.listAccounts(backendQuery(request), page, context);
    if (outcome.kind === "not_served") continue;
    const { accounts, next } = outcome;
    return { accounts, next: after(index, next), isOpenHere: next?.isOpenHere ?? false };
  }
  if (request.cursor !== undefined) return { accounts: [], next: undefined, isOpenHere: false };
  throw new AppError("DIRECTORY_NOT_CONFIGURED", { detail: `no backend lists accounts for ${request.protocol}` });
}

function backendQuery(request: ListAccountsRequest): BackendQuery {
  const { username = "", protocol, clientIp, clientPort, localIp, localPort } = request;
  return { username, protocol: normalisedProtocol(protocol), clientIp, clientPort, localIp, localPort, request };
}

function endListing(backends: readonly Backend[], request: ListAccountsRequest): ListAccountsReply {
  const { index, position } = startOf(backends, request);
  if (position !== undefined) backends[index]?.endListing(position);
  return { accounts: [] };
}
