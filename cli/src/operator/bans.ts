import type { Attacks, BanRecord } from "@postern/shared/contracts";
import { table } from "../table.ts";
import { readAttacks, readBans } from "./answers.ts";
import type { Api } from "./api.ts";
import { UsageError } from "./connection.ts";
import type { OperatorCommand } from "./operator-command.ts";

/** A terminal is good for this many; scripts use the HTTP interface. */
const mostBans = 10_000;
const largestPage = 500;

export function banTable(bans: readonly BanRecord[]): readonly string[] {
  return table(
    ["BANNED NETWORK", "RULE", "FAILURES", "SINCE", "UNTIL"],
    bans.map(({ network, rule, failures, start, end }) => [network, rule, String(failures ?? "-"), start, end]),
  );
}

function limitOf(text = "1000"): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > mostBans)
    throw new UsageError(`invalid --limit: use 1 to ${mostBans}`);
  return limit;
}

async function askBans(api: Api, limit: number, rule: string | undefined) {
  const bans: BanRecord[] = [];
  let cursor: string | undefined;
  let total = 0;
  do {
    const query = {
      limit: String(Math.min(limit - bans.length, largestPage)),
      ...(rule !== undefined && { rule }),
      ...(cursor !== undefined && { cursor }),
    };
    const page: ReturnType<typeof readBans> = readBans(await api.ask("listBansByEnd", { query }));
    bans.push(...page.bans);
    ({ total, next: cursor } = page);
  } while (cursor !== undefined && bans.length < limit);
  return { bans, total, isCut: cursor !== undefined };
}

function accountTable(title: string, accounts: Attacks["accounts"]): readonly string[] {
  const rows = accounts.map(({ account, addresses, wrong_passwords: wrong, delayed_until: until }) => [
    account,
    String(addresses),
    String(wrong ?? "-"),
    until ?? "-",
  ]);
  return rows.length === 0 ? [] : ["", ...table([title, "ADDRESSES", "WRONG PASSWORDS", "DELAYED UNTIL"], rows)];
}

export const bansCommand: OperatorCommand = {
  usage: "bans [--rule NAME] [--limit N]",
  summary: "list the current bans and accounts under attack",
  help: [
    "Lists the banned networks with the rule and the end of the ban, the latest end first, and some",
    "accounts for which wrong passwords were sent, with the end of the delay of their sign-ins. --limit N is 1000 by default,",
    "at most 10000. Use `postern why` for one account or address, `postern unban` to remove a ban, and `postern flush` to end",
    "the delay of an account.",
  ],
  operands: { min: 0, max: 0 },
  options: ["rule", "limit"],
  run: async ({ api, flags }) => {
    const limit = limitOf(flags.limit);
    const [{ bans, total, isCut }, { accounts }] = await Promise.all([
      askBans(api, limit, flags.rule),
      api.ask("showAttacks").then(readAttacks),
    ]);
    const isOld = ({ wrong_passwords: wrong }: (typeof accounts)[number]): boolean => wrong === 1;
    const attacked = [
      ...accountTable(
        "ATTACKED ACCOUNT",
        accounts.filter((one) => !isOld(one)),
      ),
      ...accountTable("OLD PASSWORD ON A DEVICE", accounts.filter(isOld)),
    ];
    const banned = bans.length === 0 ? ["no network is banned"] : banTable(bans);
    const more = isCut ? [`${bans.length} of ${total} bans are shown: use a larger --limit`] : [];
    return { lines: [...banned, ...more, ...attacked], json: { bans, total, accounts } };
  },
};
