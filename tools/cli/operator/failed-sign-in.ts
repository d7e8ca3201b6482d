import type { FailedSignInRecord } from "@postern/shared/contracts";
import type { Static } from "typebox";
import { readFailedSignIn } from "./answers.ts";
import { type Api, ApiError } from "./api.ts";
import { printable } from "./table.ts";

export type FailedSignIn = Static<typeof FailedSignInRecord>;

/** Whether a text is a reference that a sign-in page showed, or the whole GUID. */
export function isReference(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}(?:-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})?$/iu.test(text.trim());
}

/** Undefined if no record is stored. */
export async function askFailedSignIn(api: Api, reference: string): Promise<FailedSignIn | undefined> {
  try {
    return readFailedSignIn(await api.ask("getFailedSignIn", { path: { reference: reference.trim() } }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

const meanings: Readonly<Record<string, string>> = {
  wrong_password: "the password was wrong",
  wrong_password_before: "the second factor was correct, but the password before it was wrong",
  unknown_user: "no backend has an account of this name",
  account_disabled: "the account is disabled",
  empty_password: "the password was empty",
  empty_username: "the user name was empty",
  policy: "a policy denied the sign-in",
  script: "a script denied the sign-in",
  wrong_code: "the code was wrong or had been used before",
  wrong_signature: "the signature of the passkey was wrong",
  malformed_answer: "the browser sent an invalid passkey response",
  factor_not_accepted: "the application does not accept this factor",
  too_many_attempts: "there were too many attempts at the second factor of the account",
  factor_locked: "this second factor is locked after too many consecutive wrong codes",
  account_throttled:
    "the account had too many attempts at its second factor; the page of this application does not say so",
  no_usable_factor: "the application accepts none of the second factors of the account",
  expired: "the sign-in took too long or was completed in another tab",
};

function meaningOf({ outcome, reason, rule }: FailedSignIn): string {
  if (outcome === "blocked") return `the network is banned by the brute-force rule ${printable(rule ?? "?")}`;
  if (outcome === "undecided") return `temporary failure (${printable(reason)}); the password is not the cause`;
  return meanings[reason] ?? printable(reason);
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
