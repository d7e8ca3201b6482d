import { readBans } from "./answers.ts";
import type { Api } from "./api.ts";
import type { OperatorCommand } from "./command.ts";
import { table } from "./table.ts";

export interface Bans {
  readonly networks: readonly (readonly [network: string, rule: string])[];
  readonly accounts: readonly (readonly [account: string, addresses: readonly string[]])[];
  /** What kept the list from being whole. */
  readonly errors: readonly string[];
}

export interface BanFilter {
  readonly accounts?: readonly string[];
  readonly ip_addresses?: readonly string[];
}

/** What is blocked; with a filter only what it names. */
export async function askBans(api: Api, filter?: BanFilter): Promise<Bans> {
  const path = "/api/v1/bruteforce/list";
  const answer = filter === undefined ? await api.ask("GET", path) : await api.ask("POST", path, filter);
  const [byNetwork, byAccount] = readBans(answer).result;
  return {
    networks: Object.entries(byNetwork.ip_addresses),
    accounts: Object.entries(byAccount.accounts),
    errors: [byNetwork.error, byAccount.error].filter((error) => error !== null),
  };
}

export function banLines({ networks, accounts, errors }: Bans): readonly string[] {
  return [
    ...(networks.length === 0 ? [] : table(["BLOCKED", "RULE"], networks)),
    ...(networks.length > 0 && accounts.length > 0 ? [""] : []),
    ...(accounts.length === 0
      ? []
      : table(
          ["GUESSED ACCOUNT", "FROM"],
          accounts.map(([account, from]) => [account, from.join(" ")]),
        )),
    ...errors.map((error) => `incomplete: ${error}`),
  ];
}

export const bansCommand: OperatorCommand = {
  usage: "bans",
  summary: "what is blocked now",
  help: [
    "Shows the networks that guessing has blocked, each with the rule that did it, and the accounts that were guessed",
    "at with the addresses it came from. `why` looks one user or address up, `unban` lets one in again.",
  ],
  operands: { least: 0, most: 0 },
  run: async ({ api }) => {
    const bans = await askBans(api);
    const lines = banLines(bans);
    return {
      exitCode: bans.errors.length > 0 ? 1 : 0,
      lines: lines.length > 0 ? lines : ["nothing is blocked"],
      json: bans,
    };
  },
};
