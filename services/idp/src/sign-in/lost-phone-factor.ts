import { lostPhonePage } from "../pages/templates/factors.ts";
import type { CodeFactor } from "./code-factors.ts";
import type { SignInContext } from "./context.ts";
import { acceptsLostPhoneCode } from "./judge-factor.ts";

/**
 * A code that an operator has created for a user who lost the second factor. Wrong codes are counted with those of recovery codes. What it
 * completes is no proof of the user: see `lostPhoneTs`.
 */
export function lostPhoneFactor(deps: Pick<SignInContext, "lostPhone" | "suspiciousSignIns" | "audit">): CodeFactor {
  const { lostPhone, suspiciousSignIns, audit } = deps;
  return {
    method: "recovery",
    step: "lost_phone",
    page: lostPhonePage,
    failed: "lost_phone.failed",
    used: "lost_phone_code_used",
    isOffered: (pending) => acceptsLostPhoneCode(deps, pending),
    verify: async (account, code, { session, clientIp }, flowId) => {
      // A suspicious sign-in since the code was created: its user may not be the owner.
      if (lostPhone === undefined || (await suspiciousSignIns.isDoubted(account))) return undefined;
      const outcome = await lostPhone.redeem(account, code, flowId);
      if (outcome === "wrong") return undefined;
      const isRepeated = outcome === "repeated";
      const about = { actor: account, target: account, clientIp, session };
      if (!isRepeated) audit.record({ event: "lost_phone.use", outcome: "ok", ...about });
      return { kind: "recovery", part: "", isRepeated };
    },
    pretend: async () => undefined,
  };
}
