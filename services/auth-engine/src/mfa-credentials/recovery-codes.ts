import type { WorkGate } from "@postern/shared/domain/passwords";
import { done, type OnAccount } from "./on-account.ts";
import { hashRecoveryCodes, matchRecoveryCode } from "./recovery-code.ts";
import type { SecondFactors } from "./second-factors.ts";

type RecoveryCodeMethods = "setRecoveryCodes" | "deleteRecoveryCodes" | "redeemRecoveryCode";

export function createRecoveryCodes(
  on: OnAccount,
  hashing: Pick<WorkGate, "run">,
): Pick<SecondFactors, RecoveryCodeMethods> {
  return {
    setRecoveryCodes: (request, context) =>
      on(request, "recovery_codes", context, async ({ account }) => {
        const stored = await hashing.run(() => hashRecoveryCodes(request.codes), context);
        await account.replaceRecoveryCodes(stored, context);
        return done;
      }),
    deleteRecoveryCodes: (request, context) =>
      on(request, "recovery_codes", context, async ({ account }) => {
        await account.replaceRecoveryCodes([], context);
        return done;
      }),
    redeemRecoveryCode: (request, context) =>
      on(request, "recovery_codes", context, async ({ account }) => {
        const { recoveryCodes } = await account.readFactors(context);
        const fitting = await hashing.run(() => matchRecoveryCode(request.code, recoveryCodes), context);
        if (fitting === undefined) return { outcome: "rejected" as const };
        const isMine = await account.removeRecoveryCode(fitting, context);
        if (!isMine) return { outcome: "rejected" as const };
        return { outcome: "ok" as const, left: Math.max(0, recoveryCodes.length - 1) };
      }),
  };
}
