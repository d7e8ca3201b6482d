import { reasonMeanings } from "@postern/shared/contracts";

interface Reasoned {
  readonly outcome: string;
  readonly reason: string;
  readonly rule?: string | undefined;
}

/** Why a sign-in ended as it did, in a clause for operators. */
export function reasonText({ outcome, reason, rule }: Reasoned): string {
  if (outcome === "ok") return "the sign-in succeeded";
  if (outcome === "blocked") return `the network was banned by the rule ${rule ?? "?"}`;
  if (outcome === "undecided") return `temporary failure (${reason}); the password is not the cause`;
  return reasonMeanings[reason] ?? reason;
}
