import type { AccountFacts } from "./account-facts.ts";
import type { Assessment } from "./assess.ts";
import { type AssessedSignIn, isNewSource, type SignIn } from "./note.ts";
import type { RiskResponse, RiskSettings } from "./risk-settings.ts";

/** What `enforce` does about a sign-in; empty for nothing. */
export interface RiskVerdict {
  readonly responses: ReadonlySet<RiskResponse>;
  /** Why it is refused; undefined if it is not. */
  readonly refusal: "deny" | "second_factor" | "hold_mail" | "hold_submission" | undefined;
}

const noResponses: ReadonlySet<RiskResponse> = new Set();

/** Whether the network stays unknown. Others must not keep an account from knowing its networks. */
export const isDoubted = ({ ownLevel, isKnown }: Pick<Assessment, "ownLevel" | "isKnown">): boolean =>
  ownLevel !== "ordinary" && !isKnown;

/** The protocols that a hold refuses, and whether it does so now: only where the account was not used before. */
export function heldBy(facts: AccountFacts | undefined, signIn: SignIn, settings: RiskSettings) {
  const hold = facts?.hold;
  const { protocol, minute } = signIn;
  if (facts === undefined || hold === undefined || hold.untilMinute <= minute) return undefined;
  if (!isNewSource(facts, signIn)) return undefined;
  const protocols = hold.kind === "mail" ? settings.legacyProtocols : settings.submissionProtocols;
  return protocols.has(protocol) || settings.submissionProtocols.has(protocol)
    ? (`hold_${hold.kind}` as const)
    : undefined;
}

/** The first of the responses that refuses the sign-in. */
function refusalBy(
  responses: ReadonlySet<RiskResponse>,
  { protocol, isOnPages }: AssessedSignIn,
  { legacyProtocols, submissionProtocols }: RiskSettings,
): RiskVerdict["refusal"] {
  if (responses.has("deny")) return "deny";
  if (responses.has("second_factor") && isOnPages === true) return "second_factor";
  if (responses.has("hold_mail") && legacyProtocols.has(protocol)) return "hold_mail";
  return responses.has("hold_submission") && submissionProtocols.has(protocol) ? "hold_submission" : undefined;
}

/**
 * The responses to an assessment, whatever the mode. Known networks and devices are never refused, and no signal that
 * an outsider can cause makes a difference between a refused sign-in and an accepted one.
 */
export function verdictOf(
  facts: AccountFacts | undefined,
  signIn: AssessedSignIn,
  { level, ownLevel, isKnown }: Assessment,
  settings: RiskSettings,
): RiskVerdict {
  const responses = level === "ordinary" ? noResponses : settings.responses[level];
  if (isKnown || signIn.isFactorNext === true) return { responses, refusal: undefined };
  const own = ownLevel === "ordinary" ? undefined : refusalBy(responses, signIn, settings);
  return { responses, refusal: heldBy(facts, signIn, settings) ?? own };
}

/** The hold that a verdict begins, if it begins one. */
export function holdOf(
  { responses }: RiskVerdict,
  found: Assessment,
  { minute, settings }: { readonly minute: number; readonly settings: RiskSettings },
): AccountFacts["hold"] {
  if (!isDoubted(found)) return undefined;
  const untilMinute = minute + settings.holdMinutes;
  if (responses.has("hold_mail")) return { kind: "mail", untilMinute };
  return responses.has("hold_submission") ? { kind: "submission", untilMinute } : undefined;
}
