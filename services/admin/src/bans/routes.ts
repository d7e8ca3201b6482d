import { Readable } from "node:stream";
import { type BruteForceList } from "@postern/shared/contracts";
import type { BanPage, BruteForceRecords } from "@postern/shared/domain/brute-force";
import { AppError, errorCodes } from "@postern/shared/platform/errors";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../context.ts";
import { malformed, serve, sessionOf } from "../read-request.ts";
import { delayedEntry, type Listing, type ListPart, listFiltered, listPage } from "./list-part.ts";
import { type ListRequest, readListRequest } from "./list-request.ts";

const bansAtATime = 1000;
/** Each account has up to 1000 addresses. */
const accountsAtATime = 100;
const namesAtATime = 1000;

type Entry = readonly [name: string, value: unknown];

async function* banEntries(state: Listing, first: BanPage): AsyncGenerator<readonly Entry[]> {
  let page = first;
  for (;;) {
    yield page.bans.map(({ network, rule }): Entry => [network, rule]);
    if (page.next === undefined) return;
    page = await state.listBans({ cursor: page.next, size: bansAtATime });
  }
}

async function* accountEntries(state: Listing): AsyncGenerator<readonly Entry[]> {
  let cursor: string | undefined;
  do {
    const page = await state.listGuessedAccounts({ cursor, size: accountsAtATime });
    yield page.accounts.map(({ account, addresses }): Entry => [account, addresses]);
    cursor = page.next;
  } while (cursor !== undefined);
}

/** Read in a second pass, because a JSON object is written member by member and nothing is buffered. */
async function* delayedEntries(state: Listing): AsyncGenerator<readonly Entry[]> {
  let cursor: string | undefined;
  do {
    const page = await state.listGuessedNames({ cursor, size: namesAtATime });
    yield (await state.delayedAmong(page.names)).map(delayedEntry);
    cursor = page.next;
  } while (cursor !== undefined);
}

interface Member {
  readonly name: string;
  readonly entries: AsyncGenerator<readonly Entry[]>;
  /** Omitted if it has no entries. */
  readonly isOptional?: true;
}

/** `"name":{…},` page by page; the object is closed even if an error occurs. */
async function* memberText({ name, entries, isOptional }: Member): AsyncGenerator<string> {
  const head = `${JSON.stringify(name)}:{`;
  let separator = head;
  if (isOptional !== true) {
    yield head;
    separator = "";
  }
  try {
    for await (const page of entries) {
      if (page.length === 0) continue;
      yield separator + page.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",");
      separator = ",";
    }
  } finally {
    if (separator !== head) yield "},";
  }
}

/** `{"name":{…},"error":null}`, page by page; a failure sets `error`, and the entries found so far remain. */
async function* part(members: readonly Member[], onError: (error: unknown) => void): AsyncGenerator<string> {
  yield "{";
  let error: string | null = null;
  for (const member of members) {
    try {
      yield* memberText(member);
    } catch (cause) {
      onError(cause);
      error = errorCodes.REDIS_UNAVAILABLE.publicMessage;
    }
  }
  yield `"error":${JSON.stringify(error)}}`;
}

/**
 * All bans and guessed accounts as the text of the response envelope, one page in memory at a time.
 *
 * @throws what Redis throws, before the first byte.
 */
export async function listEverything(
  state: Listing,
  session: string,
  onError: (error: unknown) => void,
): Promise<AsyncGenerator<string>> {
  const first = await state.listBans({ size: bansAtATime });
  const text = async function* (): AsyncGenerator<string> {
    yield `{"session":${JSON.stringify(session)},"object":"bruteforce","operation":"list","result":[`;
    yield* part([{ name: "ip_addresses", entries: banEntries(state, first) }], onError);
    yield ",";
    const accounts = { name: "accounts", entries: accountEntries(state) };
    yield* part([accounts, { name: "slowed", entries: delayedEntries(state), isOptional: true }], onError);
    yield "]}";
  };
  return text();
}

function failed(cause: unknown): AppError {
  if (cause instanceof RangeError) return malformed("cursor: must be the value of next from a previous page");
  return new AppError("REDIS_UNAVAILABLE", { detail: "bans cannot be listed", cause });
}

async function partOf(listRequest: ListRequest, state: BruteForceRecords): Promise<ListPart | undefined> {
  const { accounts, ipAddresses, page } = listRequest;
  if (accounts.length + ipAddresses.length > 0)
    return { result: await listFiltered(state, listRequest), next: undefined };
  return page === undefined ? undefined : listPage(state, page);
}

/**
 * `GET` and `POST /api/v1/bruteforce/list`. Without filters and pages, the answer is written while the list is read, so that a million bans
 * need one page of memory.
 */
async function listBruteForce(
  request: FastifyRequest,
  reply: FastifyReply,
  { bruteForce, logger }: AdminContext,
): Promise<BruteForceList | Readable> {
  const listRequest = readListRequest(Object(request.query), request.body);
  const session = sessionOf(request);
  const onError = (err: unknown): void => logger.error({ session, err }, "the list of bans was interrupted");
  try {
    const part = await partOf(listRequest, bruteForce);
    if (part !== undefined) {
      const { result, next } = part;
      return { session, object: "bruteforce", operation: "list", result, ...(next !== undefined && { next }) };
    }
    reply.type("application/json; charset=utf-8");
    return Readable.from(await listEverything(bruteForce, session, onError));
  } catch (error) {
    throw failed(error);
  }
}

export function registerBruteForceRoutes(app: FastifyInstance, context: AdminContext): void {
  serve(app, context, [
    ["listBruteForceEntries", listBruteForce],
    ["listFilteredBruteForceEntries", listBruteForce],
  ]);
}
