import { type ReviewedSignIn, safeName } from "@postern/shared/domain/risk";
import type { Attempt } from "../pipeline/attempt.ts";
import type { RiskFacts } from "./scored-sign-in.ts";

/** What is kept of a suspicious sign-in. */
export function reviewOf(
  { session }: Attempt,
  { scored, score, level, signals, verdict, isRefused, mode }: RiskFacts,
): ReviewedSignIn {
  const { network, minute, place, protocol, client } = scored.signIn;
  const { country, system } = place;
  return {
    session,
    minute,
    network,
    country,
    system,
    protocol: safeName(protocol),
    client,
    score,
    level,
    signals: signals.map(({ signal, reason }) => `${signal}: ${reason}`),
    refusal: verdict.refusal ?? "",
    isRefused,
    mode,
    responses: [...verdict.responses],
    ...(scored.credentialSince !== undefined && { credentialSince: scored.credentialSince }),
  };
}
