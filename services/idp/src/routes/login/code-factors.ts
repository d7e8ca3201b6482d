import { AppError } from "@postern/shared/errors";
import { matchTotp } from "../../mfa/totp.ts";
import { recoveryPage, totpPage } from "../../pages/templates/factors.ts";
import type { LoginDeps } from "./deps.ts";
import type { CodeFactor } from "./factor-route.ts";

/** A time step counts once, at whatever replica (RFC 6238 §5.2). */
export function totpFactor({ factors, guard, nowMs, totpSkew: skew }: LoginDeps): CodeFactor {
  return {
    method: "totp",
    page: totpPage,
    failed: "totp.failed",
    verify: async (account, code, context) => {
      const stored = await factors.totpSecret(account, context);
      if (stored === undefined) return false;
      const step = matchStored({ stored, code, nowMs: nowMs(), skew });
      return step !== undefined && guard.claimTotpStep(account, step);
    },
  };
}

function matchStored(check: Parameters<typeof matchTotp>[0]): number | undefined {
  try {
    return matchTotp(check);
  } catch (cause) {
    throw new AppError("DIRECTORY_DATA", { detail: "a stored TOTP secret cannot be used", cause });
  }
}

export function recoveryFactor({ factors }: LoginDeps): CodeFactor {
  return {
    method: "recovery",
    page: recoveryPage,
    failed: "recovery.failed",
    used: "recovery_code_used",
    verify: (account, code, context) => factors.redeemRecoveryCode(account, code, context),
  };
}
