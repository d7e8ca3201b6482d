import { reasonMeanings } from "@postern/shared/contracts";

interface Reasoned {
  readonly outcome: string;
  readonly reason: string;
  readonly rule?: string | undefined;
  /** Step of a sign-in on the pages; empty for others. */
  readonly step?: string | undefined;
}

const succeeded: Readonly<Record<string, string>> = {
  password: "the password was correct",
  totp: "the password and the code of the authenticator app were correct",
  recovery: "the password and the recovery code were correct",
  webauthn: "the password and the passkey were correct",
  passkey: "the passkey was correct",
  remembered_device: "the password was correct, and the user is not asked for the second factor on this device",
  lost_phone: "the password and the code from the help desk were correct",
};

/** Why a sign-in ended as it did, in a clause for operators. */
export function reasonText({ outcome, reason, rule, step = "" }: Reasoned): string {
  if (outcome === "ok") return succeeded[step] ?? "the sign-in succeeded";
  if (outcome === "blocked") return `the network was banned by the rule ${rule ?? "?"}`;
  if (outcome === "undecided") return `temporary failure (${reason}); the password is not the cause`;
  return reasonMeanings[reason] ?? reason;
}
