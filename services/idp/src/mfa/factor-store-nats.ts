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
import type { EngineCall } from "../login/engine-call.ts";

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

/** The second factors and app passwords in the backends. Every method throws AppError on a temporary failure. */
export interface FactorStore {
  /** Undefined if the account's backend does not store factors. */
  read(account: string, context: EngineCall): Promise<FactorState | undefined>;
  /**
   * The account that holds a passkey, whatever its name; undefined if none does.
   *
   * @param name the name under which it is searched for first
   */
  holderOf(credentialId: string, name: string, context: EngineCall): Promise<string | undefined>;
  setTotp(account: string, secret: string, context: EngineCall): Promise<Change>;
  deleteTotp(account: string, context: EngineCall): Promise<Change>;
  setRecoveryCodes(account: string, codes: readonly string[], context: EngineCall): Promise<Change>;
  deleteRecoveryCodes(account: string, context: EngineCall): Promise<Change>;
  /** `exists`: the credential is already stored. */
  addCredential(account: string, credential: string, context: EngineCall): Promise<Change | "exists">;
  /** `conflict`: `old` is no longer stored. */
  replaceCredential(
    account: string,
    change: { readonly old: string; readonly next: string },
    context: EngineCall,
  ): Promise<Change | "conflict">;
  deleteCredential(account: string, credential: string, context: EngineCall): Promise<Change>;
  appPasswords(account: string, context: EngineCall): Promise<readonly AppPassword[]>;
  /** `full`: the account has reached its maximum. Undefined: refused. */
  createAppPassword(
    account: string,
    label: string,
    context: EngineCall,
  ): Promise<{ readonly password: string; readonly label: string } | "full" | undefined>;
  revokeAppPassword(account: string, id: string, context: EngineCall): Promise<Change>;
}

const target = (account: string, { session }: EngineCall) => ({ session, username: account });

/** The account no longer exists, or the reply is unexpected: a temporary failure. */
function changeOf({ outcome }: { readonly outcome: string }): Change {
  if (outcome === "ok" || outcome === "absent") return "done";
  if (outcome === "unsupported" || outcome === "invalid") return "refused";
  throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `second factors could not be changed: ${outcome}` });
}

function createCredentialStore(
  bus: Bus,
): Pick<FactorStore, "addCredential" | "replaceCredential" | "deleteCredential"> {
  return {
    addCredential: async (account, credential, context) => {
      const reply = await bus.request(mfaWebauthnSave, { ...target(account, context), credential }, context);
      return reply.outcome === "exists" ? "exists" : changeOf(reply);
    },
    replaceCredential: async (account, { old, next }, context) => {
      const request = { ...target(account, context), credential: next, oldCredential: old };
      const reply = await bus.request(mfaWebauthnUpdate, request, context);
      return reply.outcome === "conflict" ? "conflict" : changeOf(reply);
    },
    deleteCredential: async (account, credential, context) =>
      changeOf(await bus.request(mfaWebauthnDelete, { ...target(account, context), credential }, context)),
  };
}

function createAppPasswordStore(
  bus: Bus,
): Pick<FactorStore, "appPasswords" | "createAppPassword" | "revokeAppPassword"> {
  return {
    appPasswords: async (account, context) => {
      const reply = await bus.request(mfaAppPasswordsList, target(account, context), context);
      if (reply.outcome === "ok") return reply.appPasswords;
      changeOf(reply);
      return [];
    },
    createAppPassword: async (account, label, context) => {
      const request = { ...target(account, context), label, protocols: [] };
      const reply = await bus.request(mfaAppPasswordCreate, request, context);
      if (reply.outcome === "full") return "full";
      if (reply.outcome === "ok") return { password: reply.password, label: reply.appPassword.label };
      changeOf(reply);
      return undefined;
    },
    revokeAppPassword: async (account, id, context) =>
      changeOf(await bus.request(mfaAppPasswordRevoke, { ...target(account, context), id }, context)),
  };
}

/** Second factors and app passwords, stored in the backends through an engine. */
export function createFactorStore(bus: Bus): FactorStore {
  return {
    ...createCredentialStore(bus),
    ...createAppPasswordStore(bus),
    read: async (account, context) => {
      const reply = await bus.request(mfaFactorsRead, target(account, context), context);
      if (reply.outcome === "unsupported") return undefined;
      if (reply.outcome !== "ok") throw new AppError("UPSTREAM_UNAVAILABLE", { detail: reply.outcome });
      const { displayName, hasTotp, recoveryCodesLeft, webauthnCredentials, appPasswords } = reply;
      return { account: reply.account, displayName, hasTotp, recoveryCodesLeft, webauthnCredentials, appPasswords };
    },
    holderOf: async (credentialId, name, context) => {
      const reply = await bus.request(mfaFactorsRead, { ...target(name, context), credentialId }, context);
      if (reply.outcome === "unknown_user" || reply.outcome === "unsupported") return undefined;
      if (reply.outcome !== "ok") throw new AppError("UPSTREAM_UNAVAILABLE", { detail: reply.outcome });
      return reply.account;
    },
    setTotp: async (account, secret, context) =>
      changeOf(await bus.request(mfaTotpSet, { ...target(account, context), secret }, context)),
    deleteTotp: async (account, context) =>
      changeOf(await bus.request(mfaTotpDelete, target(account, context), context)),
    setRecoveryCodes: async (account, codes, context) =>
      changeOf(await bus.request(mfaRecoveryCodesSet, { ...target(account, context), codes: [...codes] }, context)),
    deleteRecoveryCodes: async (account, context) =>
      changeOf(await bus.request(mfaRecoveryCodesDelete, target(account, context), context)),
  };
}
