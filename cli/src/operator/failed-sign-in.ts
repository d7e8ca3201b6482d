import type { FailedSignInRecord } from "@postern/shared/contracts";
import { reasonMeanings } from "@postern/shared/contracts";
import type { Static } from "typebox";
import { printable } from "../table.ts";
import { readFailedSignIn } from "./answers.ts";
import { type Api, ApiError } from "./api.ts";

export type FailedSignIn = Static<typeof FailedSignInRecord>;

/** Undefined if no record is stored. */
export async function askFailedSignIn(api: Api, reference: string): Promise<FailedSignIn | undefined> {
  try {
    return readFailedSignIn(await api.ask("getFailedSignIn", { path: { reference: reference.trim() } }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

function meaningOf({ outcome, reason, rule }: FailedSignIn): string {
  if (outcome === "blocked") return `the network is banned by the brute-force rule ${printable(rule ?? "?")}`;
  if (outcome === "undecided") return `temporary failure (${printable(reason)}); the password is not the cause`;
  return reasonMeanings[reason] ?? printable(reason);
}

export function failedSignInLines(failed: FailedSignIn): readonly string[] {
  const { reference, session, time, step, account, client_ip: address, kind, client } = failed;
  const whose = account === undefined ? "unknown" : printable(account);
  const application = client === undefined ? kind : `${kind}, ${printable(client)}`;
  return [
    `sign-in ${printable(reference)} failed: ${meaningOf(failed)}`,
    "",
    `when         ${printable(time)}`,
    `step         ${printable(step)}`,
    `account      ${whose}`,
    `from         ${printable(address)}`,
    `application  ${application}`,
    `session      ${printable(session)} (in the log)`,
    ...(failed.outcome === "blocked" ? ["", `to remove the ban: postern unban ${printable(address)}`] : []),
  ];
}
