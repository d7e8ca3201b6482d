import type { BruteForceListResult, DelayedAccount as DelayedAccountShown } from "@postern/shared/contracts";
import type { BruteForceRecords, DelayedAccount } from "@postern/shared/domain/brute-force";
import { flushedAddress } from "@postern/shared/domain/flush";
import { encodeCursor, type ListPage, type ListRequest } from "./list-request.ts";

/** Each account has up to 1000 addresses. */
const maxAccounts = 100;

/** What the list reads of the brute-force state. */
export type Listing = Pick<
  BruteForceRecords,
  "listBans" | "bansOfAddress" | "listGuessedAccounts" | "listGuessedNames" | "addressesOf" | "delayedAmong"
>;

export interface ListPart {
  readonly result: BruteForceListResult;
  readonly next: string | undefined;
}

/** The member is absent if no account is delayed. */
export function delayedEntry({
  account,
  wrongPasswords,
  untilMs,
}: DelayedAccount): readonly [account: string, shown: DelayedAccountShown] {
  return [account, { wrong_passwords: wrongPasswords, until: new Date(untilMs).toISOString() }];
}

interface Accounts {
  readonly guessed: readonly (readonly [account: string, addresses: readonly string[]])[];
  readonly delayed: readonly DelayedAccount[];
}

function resultOf(
  bans: Iterable<readonly [network: string, rule: string]>,
  { guessed, delayed }: Accounts,
): BruteForceListResult {
  return [
    { ip_addresses: Object.fromEntries(bans), error: null },
    {
      accounts: Object.fromEntries(guessed.map(([account, addresses]) => [account, [...addresses]])),
      ...(delayed.length > 0 && { slowed: Object.fromEntries(delayed.map(delayedEntry)) }),
      error: null,
    },
  ];
}

async function bansOf(state: Listing, text: string): Promise<readonly (readonly [string, string])[]> {
  const bans = await state.bansOfAddress(flushedAddress(text) ?? "");
  const wanted = text.includes("/") ? bans.filter(({ network }) => network.endsWith(`/${text.split("/")[1]}`)) : bans;
  // The first rule that bans is the one that rejects requests, so it is written last.
  return wanted.map(({ network, rule }) => [network, rule] as const).toReversed();
}

/** What the filters select; if only one kind is filtered, none of the other kind. */
export async function listFiltered(
  state: Listing,
  { accounts, ipAddresses }: ListRequest,
): Promise<BruteForceListResult> {
  const [bans, guessed, delayed] = await Promise.all([
    Promise.all(ipAddresses.map((text) => bansOf(state, text))),
    Promise.all(accounts.map(async (account) => [account, await state.addressesOf(account)] as const)),
    state.delayedAmong(accounts),
  ]);
  return resultOf(bans.flat(), { guessed: guessed.filter(([, addresses]) => addresses.length > 0), delayed });
}

/** A page of everything. @throws RangeError for a cursor that no page returned. */
export async function listPage(state: Listing, { limit, cursor }: ListPage): Promise<ListPart> {
  const [bans, guessed] = await Promise.all([
    cursor?.bans === null ? { bans: [], next: undefined } : state.listBans({ cursor: cursor?.bans, size: limit }),
    cursor?.accounts === null
      ? { accounts: [], next: undefined }
      : state.listGuessedAccounts({ cursor: cursor?.accounts, size: Math.min(limit, maxAccounts) }),
  ]);
  const delayed = await state.delayedAmong(guessed.accounts.map(({ account }) => account));
  const isOver = bans.next === undefined && guessed.next === undefined;
  return {
    result: resultOf(
      bans.bans.map(({ network, rule }) => [network, rule] as const),
      { guessed: guessed.accounts.map(({ account, addresses }) => [account, addresses] as const), delayed },
    ),
    next: isOver ? undefined : encodeCursor({ bans: bans.next ?? null, accounts: guessed.next ?? null }),
  };
}
