import { mfaFactorsRead, mfaRecoveryCodeRedeem } from "@postern/shared/contracts";
import type { Bus } from "@postern/shared/platform/bus";
import { AppError } from "@postern/shared/platform/errors";
import type { EngineCall } from "../login/engine-call.ts";
import type { EnrolledFactors } from "../login/needed-factors.ts";

/** The second factors in the backends. Every method throws AppError on a temporary failure. */
export interface Factors {
  /** Finds an account by the typed name, and takes as long for an unknown one; undefined if no backend has it, or its backend does not store factors. */
  find(username: string, context: EngineCall): Promise<(EnrolledFactors & { readonly account: string }) | undefined>;
  enrolled(account: string, context: EngineCall): Promise<EnrolledFactors>;
  /** Base32 or an otpauth URL; undefined if there is none. */
  totpSecret(account: string, context: EngineCall): Promise<string | undefined>;
  /** Uses up a recovery code. @returns whether the code was valid */
  redeemRecoveryCode(account: string, code: string, context: EngineCall): Promise<boolean>;
}

const none: EnrolledFactors = Object.freeze({ hasTotp: false, recoveryCodesLeft: 0, webauthnCredentials: 0 });

function undecided(outcome: string): AppError {
  return new AppError("UPSTREAM_UNAVAILABLE", { detail: `second factors could not be read: ${outcome}` });
}

/** Second factors, read from the backends through an engine. */
export function createFactors(bus: Bus): Factors {
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
    find: async (username, context) => {
      const { session, deadline, signal } = context;
      const request = { session, username, secrets: false, hidesUnknown: true };
      const reply = await bus.request(mfaFactorsRead, request, { deadline, signal });
      if (reply.outcome === "unknown_user" || reply.outcome === "unsupported") return undefined;
      if (reply.outcome !== "ok") throw undecided(reply.outcome);
      const { account, hasTotp, recoveryCodesLeft, webauthnCredentials } = reply;
      return { account, hasTotp, recoveryCodesLeft, webauthnCredentials: webauthnCredentials.length };
    },
    enrolled: async (account, context) => {
      const found = await read(account, context, false);
      if (found === undefined) return none;
      const { hasTotp, recoveryCodesLeft, webauthnCredentials } = found;
      return { hasTotp, recoveryCodesLeft, webauthnCredentials: webauthnCredentials.length };
    },
    totpSecret: async (account, context) => (await read(account, context, true))?.totpSecret,
    redeemRecoveryCode: async (account, code, { session, deadline, signal }) => {
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
