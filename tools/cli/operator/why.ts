import { isIP } from "node:net";
import { askBans, type Bans, banLines } from "./bans.ts";
import type { OperatorCommand } from "./command.ts";
import { printable } from "./table.ts";

function isAddress(text: string): boolean {
  return isIP(text.split("/")[0] ?? "") > 0;
}

function verdict(asked: string, { networks, accounts }: Bans): string {
  const name = printable(asked);
  if (networks.length > 0) return `${name} is blocked by brute-force protection`;
  if (accounts.length > 0) return `${name} was guessed at, but none of the addresses is blocked now`;
  return `${name} is not blocked by brute-force protection`;
}

function advice(asked: string, { networks }: Bans): readonly string[] {
  if (networks.length > 0) {
    const [[network] = [""]] = networks;
    return [
      "",
      isAddress(asked) ? `let it in again: postern unban ${asked}` : `let one in again: postern unban ${network}`,
    ];
  }
  return [
    "",
    "If the login fails all the same: the password or a policy says no. The line of the decision is in the gateway's log,",
    "by user name or by X-Service-Session; `postern flush USER` makes engines forget what they cached of the user.",
  ];
}

export const whyCommand: OperatorCommand = {
  usage: "why USER|ADDRESS",
  summary: "why a user or an address is kept out",
  help: [
    "For an address: the bans that hold for it, its networks included. For a user: the addresses from which the account",
    "was guessed, and which of them are blocked. Ends with 1 when something is blocked, so scripts may ask.",
  ],
  operands: { least: 1, most: 1 },
  run: async ({ api, operands: [asked = ""] }) => {
    const bans = isAddress(asked) ? await askBans(api, { ip_addresses: [asked] }) : await bansOfUser(asked);
    const exitCode = bans.networks.length + bans.errors.length > 0 ? 1 : 0;
    return { exitCode, lines: [verdict(asked, bans), ...banLines(bans), ...advice(asked, bans)], json: bans };

    async function bansOfUser(user: string): Promise<Bans> {
      const guessed = await askBans(api, { accounts: [user] });
      const addresses = guessed.accounts.flatMap(([, from]) => from);
      if (addresses.length === 0) return guessed;
      const blocked = await askBans(api, { ip_addresses: addresses.slice(0, 1000) });
      return { ...blocked, accounts: guessed.accounts, errors: [...guessed.errors, ...blocked.errors] };
    }
  },
};
