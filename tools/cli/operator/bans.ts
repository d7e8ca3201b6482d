import type { DelayedAccount } from "@postern/shared/contracts";
import { readBans } from "./answers.ts";
import type { Api } from "./api.ts";
import type { OperatorCommand } from "./command.ts";
import { table } from "./table.ts";

export interface Bans {
  readonly networks: readonly (readonly [network: string, rule: string])[];
  readonly accounts: readonly (readonly [account: string, addresses: readonly string[]])[];
  /** Accounts whose logins from networks they do not know are delayed. */
  readonly slowed: readonly (readonly [account: string, how: DelayedAccount])[];
  /** Reasons why the list is incomplete. */
  readonly errors: readonly string[];
}

export interface BanFilter {
  readonly accounts?: readonly string[];
  readonly ip_addresses?: readonly string[];
}

/** The current bans; with a filter, only those that it names. */
export async function askBans(api: Api, filter?: BanFilter): Promise<Bans> {
  const answer =
    filter === undefined
      ? await api.ask("listBruteForceEntries")
      : await api.ask("listFilteredBruteForceEntries", { body: filter });
  const [byNetwork, byAccount] = readBans(answer).result;
  return {
    networks: Object.entries(byNetwork.ip_addresses),
    accounts: Object.entries(byAccount.accounts),
    slowed: Object.entries(byAccount.slowed ?? {}),
    errors: [byNetwork.error, byAccount.error].filter((error) => error !== null),
  };
}

function withBlankLines(tables: readonly (readonly string[])[]): readonly string[] {
  return tables.filter((lines) => lines.length > 0).flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

export function banLines({ networks, accounts, slowed, errors }: Bans): readonly string[] {
  const tables = [
    networks.length === 0 ? [] : table(["BANNED NETWORK", "RULE"], networks),
    slowed.length === 0
      ? []
      : table(
          ["DELAYED ACCOUNT", "WRONG PASSWORDS", "UNTIL"],
          slowed.map(([account, how]) => [account, String(how.wrong_passwords), how.until]),
        ),
    accounts.length === 0
      ? []
      : table(
          ["ATTACKED ACCOUNT", "FROM"],
          accounts.map(([account, from]) => [account, from.join(" ")]),
        ),
  ];
  return [...withBlankLines(tables), ...errors.map((error) => `incomplete: ${error}`)];
}

export const bansCommand: OperatorCommand = {
  usage: "bans",
  summary: "list the current bans and account delays",
  help: [
    "Lists the banned networks with the rule that banned them; the accounts whose logins from unknown networks are delayed,",
    "and until when; and the accounts for which wrong passwords were sent, with the addresses. Use `postern why` for one",
    "user or address, `postern unban` to remove a ban, and `postern flush` to end the delay of an account.",
  ],
  operands: { min: 0, max: 0 },
  run: async ({ api }) => {
    const bans = await askBans(api);
    const lines = banLines(bans);
    return {
      exitCode: bans.errors.length > 0 ? 1 : 0,
      lines: lines.length > 0 ? lines : ["no network is banned"],
      json: bans,
    };
  },
};
