import type { Explanation, FailedSignInRecord } from "@postern/shared/contracts";
import type { Static } from "typebox";
import { momentText } from "./phrases.ts";
import { reasonText } from "./reason-text.ts";
import { remedyOf } from "./remedies.ts";

const states: Readonly<Record<string, string>> = { blocked: "blocked", undecided: "undecided" };

/** The explanation of a reference that only the identity provider knows, because no decision history is kept. */
export function explainedFailure(
  explanation: Explanation,
  failed: Static<typeof FailedSignInRecord>,
  nowMs: number,
): Explanation {
  const { account, time, client_ip: address, outcome, step, reason } = failed;
  const whose = account === undefined ? "" : ` of ${account}`;
  const place = address === "" ? "" : ` from ${address}`;
  const remedy = remedyOf(reason, account);
  return {
    ...explanation,
    state: states[outcome] ?? "denied",
    verdict: `This sign-in${whose} failed at ${momentText(time, nowMs)}${place} on the sign-in pages, step ${step}: ${reasonText(failed)}.`,
    ...(account !== undefined && { account }),
    ...(remedy !== undefined && { remedy }),
  };
}
