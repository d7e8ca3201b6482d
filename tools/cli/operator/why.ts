import { isIP } from "node:net";
import { type Api, ApiError } from "./api.ts";
import { askBans, type Bans, banLines } from "./bans.ts";
import type { OperatorCommand } from "./command.ts";
import { askFailedSignIn, type FailedSignIn, failedSignInLines, isReference } from "./failed-sign-in.ts";
import { printable } from "./table.ts";

function isAddress(text: string): boolean {
  return isIP(text.split("/")[0] ?? "") > 0;
}

function verdict(subject: string, { networks, accounts, slowed }: Bans): string {
  const name = printable(subject);
  if (networks.length > 0) return `${name} is banned by brute-force protection`;
  if (slowed.length > 0) return `${name} is not banned, but logins from networks unknown to the account are delayed`;
  if (accounts.length > 0) return `wrong passwords were sent for ${name}, but none of the addresses is banned now`;
  return `${name} is not banned by brute-force protection`;
}

function advice(subject: string, { networks, slowed }: Bans): readonly string[] {
  if (networks.length > 0) {
    const [[network] = [""]] = networks;
    return [
      "",
      isAddress(subject) ? `to remove the ban: postern unban ${subject}` : `to remove a ban: postern unban ${network}`,
    ];
  }
  if (slowed.length > 0) {
    return [
      "",
      "Responses are delayed by a few seconds; correct passwords succeed. Networks from which the account has signed in are not",
      `affected. To end the delay: postern flush ${printable(subject)}`,
    ];
  }
  return [
    "",
    "If the login still fails, the cause is the password, a control or a policy: see the line `decided` in the gateway's log,",
    "by user name or by X-Service-Session. `postern flush USER` removes the cached results of the user.",
  ];
}

function unknownReference(reference: string): readonly string[] {
  return [
    `no failed sign-in with the reference ${printable(reference)} is stored, and no wrong passwords were sent for a user of that name`,
    "",
    "References are stored for seven days. Search the log for a `session` that begins with it.",
  ];
}

function unaskedReference(reference: string): readonly string[] {
  return [
    `no wrong passwords were sent for a user named ${printable(reference)}; it could not be looked up as a reference,`,
    "because the identity provider is unavailable",
  ];
}

/** A site without the identity provider may still have users whose names look like references. */
async function failedSignInOf(api: Api, reference: string): Promise<{ failed?: FailedSignIn; isUnasked?: boolean }> {
  if (!isReference(reference)) return {};
  try {
    const failed = await askFailedSignIn(api, reference);
    return failed === undefined ? {} : { failed };
  } catch (error) {
    if (error instanceof ApiError && error.status >= 500) return { isUnasked: true };
    throw error;
  }
}

export const whyCommand: OperatorCommand = {
  usage: "why USER|ADDRESS|REFERENCE",
  summary: "show why a user or an address is refused, or why a sign-in failed",
  help: [
    "ADDRESS: the bans of the address and of the networks that contain it.",
    "USER: the addresses that sent wrong passwords for the account, which of them are banned, and until when logins are delayed.",
    "REFERENCE: why the sign-in failed whose page showed this reference. References are stored for seven days.",
    "The exit code is 1 if there is a ban, a delay or a failed sign-in.",
  ],
  operands: { min: 1, max: 1 },
  run: async ({ api, operands: [subject = ""] }) => {
    const { failed, isUnasked } = await failedSignInOf(api, subject);
    if (failed !== undefined) return { exitCode: 1, lines: failedSignInLines(failed), json: failed };
    const bans = isAddress(subject) ? await askBans(api, { ip_addresses: [subject] }) : await bansOfUser(subject);
    const lines = [verdict(subject, bans), ...banLines(bans), ...advice(subject, bans)];
    if (isReference(subject) && bans.networks.length + bans.accounts.length + bans.slowed.length === 0) {
      return { exitCode: 1, lines: isUnasked ? unaskedReference(subject) : unknownReference(subject), json: null };
    }
    return { exitCode: bans.networks.length + bans.slowed.length + bans.errors.length > 0 ? 1 : 0, lines, json: bans };

    async function bansOfUser(user: string): Promise<Bans> {
      const guessed = await askBans(api, { accounts: [user] });
      const addresses = guessed.accounts.flatMap(([, from]) => from);
      if (addresses.length === 0) return guessed;
      const blocked = await askBans(api, { ip_addresses: addresses.slice(0, 1000) });
      return {
        ...blocked,
        accounts: guessed.accounts,
        slowed: guessed.slowed,
        errors: [...guessed.errors, ...blocked.errors],
      };
    }
  },
};
