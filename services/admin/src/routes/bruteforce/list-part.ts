import type { BruteForceState } from "@postern/shared/brute-force";
import type { BruteForceListResult } from "@postern/shared/contracts";
import { flushedAddress } from "@postern/shared/flush";
import { encodeCursor, type ListPage, type ListQuestion } from "./list-question.ts";

/** Each has up to 1000 addresses. */
const maxAccounts = 100;

export interface ListPart {
  readonly result: BruteForceListResult;
  readonly next: string | undefined;
}

function resultOf(
  bans: Iterable<readonly [network: string, rule: string]>,
  accounts: readonly (readonly [account: string, addresses: readonly string[]])[],
): BruteForceListResult {
  return [
    { ip_addresses: Object.fromEntries(bans), error: null },
    { accounts: Object.fromEntries(accounts.map(([account, addresses]) => [account, [...addresses]])), error: null },
  ];
}

async function bansOf(state: BruteForceState, text: string): Promise<readonly (readonly [string, string])[]> {
  const bans = await state.bansOfAddress(flushedAddress(text) ?? "");
  const wanted = text.includes("/") ? bans.filter(({ network }) => network.endsWith(`/${text.split("/")[1]}`)) : bans;
  // The first rule that bans is the one that refuses, so it is written last.
  return wanted.map(({ network, rule }) => [network, rule] as const).toReversed();
}

/** What the filters name, and nothing of the other kind when only one kind is filtered. */
export async function listFiltered(
  state: BruteForceState,
  { accounts, ipAddresses }: ListQuestion,
): Promise<BruteForceListResult> {
  const [bans, guessed] = await Promise.all([
    Promise.all(ipAddresses.map((text) => bansOf(state, text))),
    Promise.all(accounts.map(async (account) => [account, await state.addressesOf(account)] as const)),
  ]);
  return resultOf(
    bans.flat(),
    guessed.filter(([, addresses]) => addresses.length > 0),
  );
}

/** A page of everything. @throws RangeError for a cursor that no page gave. */
export async function listPage(state: BruteForceState, { limit, cursor }: ListPage): Promise<ListPart> {
  const [bans, guessed] = await Promise.all([
    cursor?.bans === null ? { bans: [], next: undefined } : state.listBans({ cursor: cursor?.bans, size: limit }),
    cursor?.accounts === null
      ? { accounts: [], next: undefined }
      : state.listGuessedAccounts({ cursor: cursor?.accounts, size: Math.min(limit, maxAccounts) }),
  ]);
  const isOver = bans.next === undefined && guessed.next === undefined;
  return {
    result: resultOf(
      bans.bans.map(({ network, rule }) => [network, rule] as const),
      guessed.accounts.map(({ account, addresses }) => [account, addresses] as const),
    ),
    next: isOver ? undefined : encodeCursor({ bans: bans.next ?? null, accounts: guessed.next ?? null }),
  };
}
