import type { ListAccountsReply, ListAccountsRequest } from "@postern/shared/contracts";
import { AppError, fromUnknown } from "@postern/shared/errors";
import type { Directory, DirectoryContext, DirectoryQuery, ListPosition } from "../directories/directory.ts";
import { formatListCursor, type ListCursor, parseListCursor } from "./list-cursor.ts";

export interface ListAccountsDeps {
  /** In the order of `auth.backends.order`; a reload swaps them. */
  readonly directories: () => readonly Directory[];
  /** What the bus calls this process. */
  readonly instance: string;
  readonly observe: (outcome: "ok" | "tempfail", seconds: number) => void;
  readonly onUndecided: (request: ListAccountsRequest, error: AppError) => void;
}

export type ListAccounts = (request: ListAccountsRequest, context: DirectoryContext) => Promise<ListAccountsReply>;

interface Page {
  readonly accounts: readonly string[];
  readonly next: ListCursor | undefined;
  readonly isHeld: boolean;
}

/**
 * The bus method `auth-engine.list-accounts`: one page. The directories follow one another, and what two of them have
 * is listed twice: to find out would need all names at once. A directory that cannot answer fails the listing, which
 * is never just shorter.
 */
export function createListAccounts(deps: ListAccountsDeps): ListAccounts {
  const { directories, instance, observe, onUndecided } = deps;
  return async (request, context) => {
    const started = performance.now();
    const seconds = (): number => (performance.now() - started) / 1000;
    try {
      if (request.limit === 0) return endListing(directories(), request);
      const { accounts, next, isHeld } = await readPage(directories(), request, context);
      observe("ok", seconds());
      if (next === undefined) return { accounts: [...accounts] };
      const cursor = formatListCursor(next);
      return { accounts: [...accounts], cursor, ...(isHeld ? { instance } : undefined) };
    } catch (thrown) {
      const error = fromUnknown(thrown);
      onUndecided(request, error);
      observe("tempfail", seconds());
      throw error;
    }
  };
}

const orderOf = (directories: readonly Directory[]): string => directories.map(({ name }) => name).join(" ");

/** A cursor of other directories than ours would leave some out or list some twice. */
function startOf(directories: readonly Directory[], { cursor }: ListAccountsRequest): ListCursor {
  const order = orderOf(directories);
  if (cursor === undefined) return { order, index: 0 };
  const start = parseListCursor(cursor);
  if (start.order === order) return start;
  throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "the directories changed while they were listed" });
}

async function readPage(
  directories: readonly Directory[],
  request: ListAccountsRequest,
  context: DirectoryContext,
): Promise<Page> {
  const { order, index: first, position } = startOf(directories, request);
  const after = (index: number, next: ListPosition | undefined): ListCursor | undefined => {
    if (next !== undefined) return { order, index, position: next.text };
    return index + 1 < directories.length ? { order, index: index + 1 } : undefined;
  };
  for (const [index, directory] of directories.entries()) {
    if (index < first) continue;
    const page = { limit: request.limit, position: index === first ? position : undefined };
    const outcome = await directory.listAccounts(directoryQuery(request), page, context);
    if (outcome.kind === "not_served") continue;
    const { accounts, next } = outcome;
    return { accounts, next: after(index, next), isHeld: next?.isHeld ?? false };
  }
  if (request.cursor !== undefined) return { accounts: [], next: undefined, isHeld: false };
  throw new AppError("DIRECTORY_NOT_CONFIGURED", { detail: `no directory lists accounts for ${request.protocol}` });
}

function directoryQuery(request: ListAccountsRequest): DirectoryQuery {
  const { username = "", protocol, clientIp, clientPort, localIp, localPort } = request;
  return { username, protocol, clientIp, clientPort, localIp, localPort };
}

function endListing(directories: readonly Directory[], request: ListAccountsRequest): ListAccountsReply {
  const { index, position } = startOf(directories, request);
  if (position !== undefined) directories[index]?.endListing(position);
  return { accounts: [] };
}
