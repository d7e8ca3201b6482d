import { mfaFactorsRead, mfaRecoveryCodeRedeem } from "@postern/shared/contracts";
import type { Bus } from "@postern/shared/platform/bus";
import { AppError } from "@postern/shared/platform/errors";
import type { EngineCall } from "../visit/engine-call.ts";
import type { EnrolledFactors } from "./needed-factors.ts";

const none: EnrolledFactors = Object.freeze({ hasTotp: false, recoveryCodesLeft: 0, webauthnCredentials: 0 });

function undecided(outcome: string): AppError {
  return new AppError("UPSTREAM_UNAVAILABLE", { detail: `second factors could not be read: ${outcome}` });
}

type Stored = Pick<EnrolledFactors, "hasTotp" | "recoveryCodesLeft"> & {
  readonly webauthnCredentials: readonly string[];
};

function enrolledOf({ hasTotp, recoveryCodesLeft, webauthnCredentials }: Stored): EnrolledFactors {
  return { hasTotp, recoveryCodesLeft, webauthnCredentials: webauthnCredentials.length };
}

/** Second factors, read from the backends through an engine. Every method throws AppError on a temporary failure. */
export function createFactors(bus: Bus) {
  /** `hidesUnknown`: an unknown name takes as long as an account, and is no failure. */
  const read = async (username: string, context: EngineCall, secrets: boolean, hidesUnknown = false) => {
    const request = { session: context.session, username, secrets, ...(hidesUnknown && { hidesUnknown }) };
    const { deadline, signal } = context;
    const reply = await bus.request(mfaFactorsRead, request, { deadline, signal });
    // A backend that does not store factors has none of its users'.
    if (reply.outcome === "unsupported" || (hidesUnknown && reply.outcome === "unknown_user")) return undefined;
    if (reply.outcome !== "ok") throw undecided(reply.outcome);
    return reply;
  };
  return {
    /** Finds an account by the typed name, and takes as long for an unknown one; undefined if no backend has it, or its backend does not store factors. */
    find: async (
      username: string,
      context: EngineCall,
    ): Promise<(EnrolledFactors & { readonly account: string }) | undefined> => {
      const found = await read(username, context, false, true);
      return found && { account: found.account, ...enrolledOf(found) };
    },
    enrolled: async (account: string, context: EngineCall): Promise<EnrolledFactors> => {
      const found = await read(account, context, false);
      return found === undefined ? none : enrolledOf(found);
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
