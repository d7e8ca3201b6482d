import type { BanPage, BruteForceState } from "@postern/shared/brute-force";
import { errorCodes } from "@postern/shared/errors";

type Listing = Pick<BruteForceState, "listBans" | "listGuessedAccounts">;

const bansAtATime = 1000;
/** Each has up to 1000 addresses. */
const accountsAtATime = 100;

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

/** `"name":{…},"error":null`, page by page; what fails on the way is the error, and what was found stays. */
async function* member(
  name: string,
  entries: AsyncGenerator<readonly Entry[]>,
  onError: (error: unknown) => void,
): AsyncGenerator<string> {
  yield `{${JSON.stringify(name)}:{`;
  let separator = "";
  let error: string | null = null;
  try {
    for await (const page of entries) {
      if (page.length === 0) continue;
      yield separator + page.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",");
      separator = ",";
    }
  } catch (cause) {
    onError(cause);
    error = errorCodes.REDIS_UNAVAILABLE.publicMessage;
  }
  yield `},"error":${JSON.stringify(error)}}`;
}

/**
 * Everything that is blocked as the text of the contract's envelope, a page in memory at a time.
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
    yield* member("ip_addresses", banEntries(state, first), onError);
    yield ",";
    yield* member("accounts", accountEntries(state), onError);
    yield "]}";
  };
  return text();
}
