import {
  type AppPassword,
  mfaAppPasswordCreate,
  mfaAppPasswordRevoke,
  mfaAppPasswordsList,
  mfaFactorsRead,
  mfaRecoveryCodesDelete,
  mfaRecoveryCodesSet,
  mfaTotpDelete,
  mfaTotpSet,
  mfaWebauthnDelete,
  mfaWebauthnSave,
  mfaWebauthnUpdate,
} from "@postern/shared/contracts";
import type { Bus } from "@postern/shared/platform/bus";
import { AppError } from "@postern/shared/platform/errors";
import type { EngineCall } from "../visit/engine-call.ts";

/** The factors of an account, without secrets. */
export interface FactorState {
  readonly account: string;
  readonly displayName: string | undefined;
  readonly hasTotp: boolean;
  readonly recoveryCodesLeft: number;
  /** The stored texts, unchanged. */
  readonly webauthnCredentials: readonly string[];
  readonly appPasswords: number;
}

/** `refused`: the backend does not store this kind of factor, or accepts no more. */
export type Change = "done" | "refused";

const target = (account: string, { session }: EngineCall) => ({ session, username: account });

/** The account no longer exists, or the reply is unexpected: a temporary failure. */
function changeOf({ outcome }: { readonly outcome: string }): Change {
  if (outcome === "ok" || outcome === "absent") return "done";
  if (outcome === "unsupported" || outcome === "invalid") return "refused";
  throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `second factors could not be changed: ${outcome}` });
}

function createCredentialStore(bus: Bus) {
  return {
    /** `exists`: the credential is already stored. */
    addCredential: async (account: string, credential: string, context: EngineCall): Promise<Change | "exists"> => {
      const reply = await bus.request(mfaWebauthnSave, { ...target(account, context), credential }, context);
      return reply.outcome === "exists" ? "exists" : changeOf(reply);
    },
    /** `conflict`: `old` is no longer stored. */
    replaceCredential: async (
      account: string,
      { old, next }: { readonly old: string; readonly next: string },
      context: EngineCall,
    ): Promise<Change | "conflict"> => {
      const request = { ...target(account, context), credential: next, oldCredential: old };
      const reply = await bus.request(mfaWebauthnUpdate, request, context);
      return reply.outcome === "conflict" ? "conflict" : changeOf(reply);
    },
    deleteCredential: async (account: string, credential: string, context: EngineCall): Promise<Change> =>
      changeOf(await bus.request(mfaWebauthnDelete, { ...target(account, context), credential }, context)),
  };
}

function createAppPasswordStore(bus: Bus) {
  return {
    appPasswords: async (account: string, context: EngineCall): Promise<readonly AppPassword[]> => {
      const reply = await bus.request(mfaAppPasswordsList, target(account, context), context);
      if (reply.outcome === "ok") return reply.appPasswords;
      changeOf(reply);
      return [];
    },
    /** `full`: the account has reached its maximum. Undefined: refused. */
    createAppPassword: async (account: string, label: string, context: EngineCall) => {
      const request = { ...target(account, context), label, protocols: [] };
      const reply = await bus.request(mfaAppPasswordCreate, request, context);
      if (reply.outcome === "full") return "full" as const;
      if (reply.outcome === "ok") return { password: reply.password, label: reply.appPassword.label };
      changeOf(reply);
      return undefined;
    },
    revokeAppPassword: async (account: string, id: string, context: EngineCall): Promise<Change> =>
      changeOf(await bus.request(mfaAppPasswordRevoke, { ...target(account, context), id }, context)),
  };
}

/**
 * Second factors and app passwords, stored in the backends through an engine. Every method throws AppError on a temporary
 * failure.
 */
export function createFactorStore(bus: Bus) {
  return {
    ...createCredentialStore(bus),
    ...createAppPasswordStore(bus),
    /** Undefined if the account's backend does not store factors. */
    read: async (account: string, context: EngineCall): Promise<FactorState | undefined> => {
      const reply = await bus.request(mfaFactorsRead, target(account, context), context);
      if (reply.outcome === "unsupported") return undefined;
      if (reply.outcome !== "ok") throw new AppError("UPSTREAM_UNAVAILABLE", { detail: reply.outcome });
      const { displayName, hasTotp, recoveryCodesLeft, webauthnCredentials, appPasswords } = reply;
      return { account: reply.account, displayName, hasTotp, recoveryCodesLeft, webauthnCredentials, appPasswords };
    },
    /**
     * The account that holds a passkey, whatever its name; undefined if none does.
     * @param name the name under which it is searched for first
     */
    holderOf: async (credentialId: string, name: string, context: EngineCall): Promise<string | undefined> => {
      const reply = await bus.request(mfaFactorsRead, { ...target(name, context), credentialId }, context);
      if (reply.outcome === "unknown_user" || reply.outcome === "unsupported") return undefined;
      if (reply.outcome !== "ok") throw new AppError("UPSTREAM_UNAVAILABLE", { detail: reply.outcome });
      return reply.account;
    },
    setTotp: async (account: string, secret: string, context: EngineCall): Promise<Change> =>
      changeOf(await bus.request(mfaTotpSet, { ...target(account, context), secret }, context)),
    deleteTotp: async (account: string, context: EngineCall): Promise<Change> =>
      changeOf(await bus.request(mfaTotpDelete, target(account, context), context)),
    setRecoveryCodes: async (account: string, codes: readonly string[], context: EngineCall): Promise<Change> =>
      changeOf(await bus.request(mfaRecoveryCodesSet, { ...target(account, context), codes: [...codes] }, context)),
    deleteRecoveryCodes: async (account: string, context: EngineCall): Promise<Change> =>
      changeOf(await bus.request(mfaRecoveryCodesDelete, target(account, context), context)),
  };
}

export type FactorStore = ReturnType<typeof createFactorStore>;
