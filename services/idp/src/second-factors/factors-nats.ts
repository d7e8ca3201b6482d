import { mfaFactorsRead, mfaRecoveryCodeRedeem } from "@postern/shared/contracts";
import type { Bus } from "@postern/shared/platform/bus";
import { AppError } from "@postern/shared/platform/errors";
import type { EngineCall } from "../visit/engine-call.ts";
import type { EnrolledFactors } from "./needed-factors.ts";

const none: EnrolledFactors = Object.freeze({ hasTotp: false, recoveryCodesLeft: 0, webauthnCredentials: 0 });

function undecided(outcome: string): AppError {
  return new AppError("UPSTREAM_UNAVAILABLE", { detail: `second factors could not be read: ${outcome}` });
}

/** Second factors, read from the backends through an engine. Every method throws AppError on a temporary failure. */
export function createFactors(bus: Bus) {
  const ask = (username: string, { session, deadline, signal }: EngineCall, secrets: boolean) =>
    bus.request(mfaFactorsRead, { session, username, secrets }, { deadline, signal });
  const read = async (account: string, context: EngineCall, secrets: boolean) => {
    const reply = await ask(account, context, secrets);
    // The backend does not store factors, so its users have none.
    if (reply.outcome === "unsupported") return undefined;
    if (reply.outcome !== "ok") throw undecided(reply.outcome);
    return reply;
  };
  return {
    /** Finds an account by the typed name, and takes as long for an unknown one; undefined if no backend has it, or its backend does not store factors. */
    find: async (
      username: string,
      context: EngineCall,
    ): Promise<(EnrolledFactors & { readonly account: string }) | undefined> => {
      const { session, deadline, signal } = context;
      const request = { session, username, secrets: false, hidesUnknown: true };
      const reply = await bus.request(mfaFactorsRead, request, { deadline, signal });
      if (reply.outcome === "unknown_user" || reply.outcome === "unsupported") return undefined;
      if (reply.outcome !== "ok") throw undecided(reply.outcome);
      const { account, hasTotp, recoveryCodesLeft, webauthnCredentials } = reply;
      return { account, hasTotp, recoveryCodesLeft, webauthnCredentials: webauthnCredentials.length };
    },
    enrolled: async (account: string, context: EngineCall): Promise<EnrolledFactors> => {
      const found = await read(account, context, false);
      if (found === undefined) return none;
      const { hasTotp, recoveryCodesLeft, webauthnCredentials } = found;
      return { hasTotp, recoveryCodesLeft, webauthnCredentials: webauthnCredentials.length };
    },
    /** Base32 or an otpauth URL; undefined if there is none. */
    totpSecret: async (account: string, context: EngineCall): Promise<string | undefined> =>
      (await read(account, context, true))?.totpSecret,
    /** Uses up a recovery code. @returns whether the code was valid */
    redeemRecoveryCode: async (
      account: string,
      code: string,
      { session, deadline, signal }: EngineCall,
    ): Promise<boolean> => {
      const reply = await bus.request(
        mfaRecoveryCodeRedeem,
        { session, username: account, code },
        { deadline, signal },
      );
      if (reply.outcome === "ok") return true;
      if (reply.outcome === "rejected" || reply.outcome === "invalid") return false;
      throw undecided(reply.outcome);
    },
  };
}

export type Factors = ReturnType<typeof createFactors>;
