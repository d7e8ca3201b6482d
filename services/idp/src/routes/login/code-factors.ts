import { randomBytes } from "node:crypto";
import { typedCode } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { matchTotpAt } from "../../mfa/totp.ts";
import { recoveryPage, totpPage } from "../../pages/templates/factors.ts";
import type { CodeFactor } from "./code-factor.ts";
import type { LoginDeps } from "./deps.ts";

/** A time step is accepted once, on any replica (RFC 6238 §5.2). */
export function totpFactor({ factors, guard, totpTimesMs, totpSkew: skew }: LoginDeps): CodeFactor {
  return {
    method: "totp",
    page: totpPage,
    failed: "totp.failed",
    verify: async (account, code, context, flowId) => {
      const stored = await factors.totpSecret(account, context);
      if (stored === undefined) return undefined;
      const step = matchStored(totpTimesMs(), { stored, code, skew });
      const isRight = step !== undefined && (await guard.claimTotpStep({ account, stored, step, flowId }));
      return isRight ? { kind: "totp", part: stored } : undefined;
    },
  };
}

function matchStored(...args: Parameters<typeof matchTotpAt>): number | undefined {
  try {
    return matchTotpAt(...args);
  } catch (cause) {
    throw new AppError("DIRECTORY_DATA", { detail: "invalid stored TOTP secret", cause });
  }
}

/**
 * No account has this code, and checking it costs as much; a code without letters or digits is rejected without a
 * derivation.
 */
function unusable(code: string): string {
  return typedCode(code) !== "" ? randomBytes(64).toString("hex") : code;
}

export function recoveryFactor({ factors }: LoginDeps): CodeFactor {
  const redeem: CodeFactor["verify"] = async (account, code, context) =>
    (await factors.redeemRecoveryCode(account, code, context)) ? { kind: "recovery", part: "" } : undefined;
  return {
    method: "recovery",
    page: recoveryPage,
    failed: "recovery.failed",
    used: "recovery_code_used",
    verify: redeem,
    pretend: (account, code, ...rest) => redeem(account, unusable(code), ...rest),
  };
}
