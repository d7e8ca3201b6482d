import { expect, test } from "vitest";
import { type Listing, listFiltered, listPage } from "./list-part.ts";
import { readListRequest } from "./list-request.ts";
import { listEverything } from "./routes.ts";

interface Content {
  readonly bans: readonly { readonly network: string; readonly rule: string }[];
  readonly accounts: readonly { readonly account: string; readonly addresses: readonly string[] }[];
  readonly slowed?: readonly string[];
}

const banOf = (ban: Content["bans"][number]) => ({ ...ban, bannedAtMs: 0, expiresAtMs: 1 });
const untilMs = Date.UTC(2026, 0, 1);
const shown = { wrong_passwords: 9, until: "2026-01-01T00:00:00.000Z" };

function pageOf<Entry>(all: readonly Entry[], cursor: string | undefined, size: number, bad?: number) {
  const from = Number(cursor ?? 0);
  if (bad !== undefined && from >= bad) throw new Error("Redis is unavailable");
  const next = from + size < all.length ? String(from + size) : undefined;
  return { page: all.slice(from, from + size), next };
}

/** An in-memory listing of the state; a cursor is the index of the next entry. Reading the entry `failsAt` fails. */
function stateOf(
  { bans, accounts, slowed = [] }: Content,
  failsAt?: { bans?: number; accounts?: number; slowed?: true },
) {
  const state: Listing = {
    listBans: async ({ cursor, size }) => {
      const { page, next } = pageOf(bans, cursor, Math.min(size, 2), failsAt?.bans);
      return { bans: page.map(banOf), next };
    },
    listGuessedAccounts: async ({ cursor, size }) => {
      const { page, next } = pageOf(accounts, cursor, Math.min(size, 2), failsAt?.accounts);
      return { accounts: page, next };
    },
    listGuessedNames: async ({ cursor, size }) => {
      const { page, next } = pageOf(accounts, cursor, size);
      return { names: page.map(({ account }) => account), next };
    },
    delayedAmong: async (names) => {
      if (failsAt?.slowed) throw new Error("Redis is unavailable");
      return slowed.filter((name) => names.includes(name)).map((account) => ({ account, wrongPasswords: 9, untilMs }));
    },
    bansOfAddress: async () => bans.map(banOf),
    addressesOf: async (account) => accounts.find((one) => one.account === account)?.addresses ?? [],
  };
  return state;
}

const ban = (index: number) => ({ network: `192.0.${index}.0/24`, rule: "wide" });
const guessed = (index: number) => ({ account: `user${index}@"x\\`, addresses: [`198.51.100.${index}`] });
const content: Content = {
  bans: [0, 1, 2, 3, 4].map(ban),
  accounts: [0, 1, 2].map(guessed),
  slowed: [guessed(2).account],
};

async function everything(state: Listing) {
  const errors: unknown[] = [];
  const parts: string[] = [];
  for await (const text of await listEverything(state, "s1", (error) => errors.push(error))) parts.push(text);
  return { errors, ...JSON.parse(parts.join("")) };
}

const bansShown = (count: number) =>
  Object.fromEntries(content.bans.slice(0, count).map(({ network, rule }) => [network, rule]));
const accountsShown = (count: number) =>
  Object.fromEntries(content.accounts.slice(0, count).map(({ account, addresses }) => [account, addresses]));
const failed = expect.stringMatching(/./u);

test("the whole list is one JSON document, whatever names it contains", async () => {
  expect(await everything(stateOf(content))).toEqual({
    errors: [],
    session: "s1",
    object: "bruteforce",
    operation: "list",
    result: [
      { ip_addresses: bansShown(5), error: null },
      { accounts: accountsShown(3), slowed: { [guessed(2).account]: shown }, error: null },
    ],
  });
});

test("an empty list has both members, but none for delayed accounts", async () => {
  expect((await everything(stateOf({ bans: [], accounts: [] }))).result).toEqual([
    { ip_addresses: {}, error: null },
    { accounts: {}, error: null },
  ]);
});

test.each([
  [
    "bans",
    { bans: 2 },
    [
      { ip_addresses: bansShown(2), error: failed },
      { accounts: accountsShown(3), slowed: expect.anything(), error: null },
    ],
  ],
  [
    "accounts",
    { accounts: 2 },
    [
      { ip_addresses: bansShown(5), error: null },
      { accounts: accountsShown(2), slowed: expect.anything(), error: failed },
    ],
  ],
  [
    "delays",
    { slowed: true as const },
    [
      { ip_addresses: bansShown(5), error: null },
      { accounts: accountsShown(3), error: failed },
    ],
  ],
])(
  "a failure while reading the %s is reported in the document, which remains valid",
  async (_where, failsAt, result) => {
    const { errors, result: read } = await everything(stateOf(content, failsAt));
    expect(read).toEqual(result);
    expect(errors).toHaveLength(1);
  },
);

test("a failure before the first byte rejects the request", async () => {
  await expect(listEverything(stateOf(content, { bans: 0 }), "s1", () => undefined)).rejects.toThrow("Redis");
});

test("the pages together contain every entry once, and a list that has ended is not read again", async () => {
  const state = stateOf(content);
  const seen = { bans: [] as string[], accounts: [] as string[] };
  let cursor: string | undefined;
  let pages = 0;
  do {
    const { page } = readListRequest({ limit: "2", ...(cursor === undefined ? {} : { cursor }) }, undefined);
    if (page === undefined) throw new Error("no page");
    const { result, next } = await listPage(state, page);
    seen.bans.push(...Object.keys(result[0].ip_addresses));
    seen.accounts.push(...Object.keys(result[1].accounts));
    cursor = next;
    pages += 1;
  } while (cursor !== undefined);
  expect(seen).toEqual({ bans: Object.keys(bansShown(5)), accounts: Object.keys(accountsShown(3)) });
  expect(pages).toBe(3);
});

test("a filter returns only the entries that it names: a network of exactly that length, with the rule that applies", async () => {
  const bans = [
    { network: "192.0.2.0/24", rule: "first" },
    { network: "192.0.2.0/24", rule: "second" },
    { network: "192.0.2.7/32", rule: "narrow" },
  ];
  const state = stateOf({ ...content, bans });
  expect(await listFiltered(state, { accounts: [], ipAddresses: ["192.0.2.0/24"], page: undefined })).toEqual([
    { ip_addresses: { "192.0.2.0/24": "first" }, error: null },
    { accounts: {}, error: null },
  ]);
  const accounts = [guessed(1).account, "nobody"];
  expect(await listFiltered(state, { accounts, ipAddresses: [], page: undefined })).toEqual([
    { ip_addresses: {}, error: null },
    { accounts: { [guessed(1).account]: guessed(1).addresses }, error: null },
  ]);
});
