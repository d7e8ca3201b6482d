import {
  BackendKind,
  type MfaRefusal,
  type MfaTarget,
  maxWebauthnCredentials,
  type mfaFactorsRead,
  type mfaRecoveryCodeRedeem,
  type mfaWebauthnDelete,
  type mfaWebauthnList,
  type mfaWebauthnSave,
  type mfaWebauthnUpdate,
  type Reply,
  type Request,
} from "@postern/shared/contracts";
import type { KeyRing } from "@postern/shared/crypto";
import type { WorkGate } from "@postern/shared/passwords";
import type { Directory } from "../directories/directory.ts";
import type { CallContext } from "../rpc/call-context.ts";
import { type FoundAccount, findAccount, isRefusal, requireKind } from "./find-account.ts";
import type { ArtefactKind } from "./mfa-artefacts.ts";
import { hashRecoveryCodes, matchRecoveryCode } from "./recovery-code.ts";
import { openTotpSecret, readTotpSecret, sealTotpSecret } from "./totp-secret.ts";
import { webauthnCredentialId } from "./webauthn-credential.ts";

export interface SecondFactorsDeps {
  /** In the order of `auth.backends.order`; a reload swaps them. */
  readonly directories: () => readonly Directory[];
  /** Absent while no encryption secret is configured: nothing can be sealed then. */
  readonly ring: KeyRing | undefined;
  /** Bounds the derivations of recovery codes. */
  readonly hashing: Pick<WorkGate, "run">;
}

type Done = { readonly outcome: "ok" } | MfaRefusal;

/** What the bus methods about second factors do. Each throws an `AppError` when the directory cannot answer. */
export interface SecondFactors {
  readonly read: (
    request: Request<typeof mfaFactorsRead>,
    context: CallContext,
  ) => Promise<Reply<typeof mfaFactorsRead>>;
  readonly setTotp: (request: MfaTarget & { readonly secret: string }, context: CallContext) => Promise<Done>;
  readonly deleteTotp: (request: MfaTarget, context: CallContext) => Promise<Done>;
  readonly setRecoveryCodes: (request: MfaTarget & { readonly codes: string[] }, context: CallContext) => Promise<Done>;
  readonly deleteRecoveryCodes: (request: MfaTarget, context: CallContext) => Promise<Done>;
  readonly redeemRecoveryCode: (
    request: Request<typeof mfaRecoveryCodeRedeem>,
    context: CallContext,
  ) => Promise<Reply<typeof mfaRecoveryCodeRedeem>>;
  readonly listWebauthn: (request: MfaTarget, context: CallContext) => Promise<Reply<typeof mfaWebauthnList>>;
  readonly saveWebauthn: (
    request: Request<typeof mfaWebauthnSave>,
    context: CallContext,
  ) => Promise<Reply<typeof mfaWebauthnSave>>;
  readonly updateWebauthn: (
    request: Request<typeof mfaWebauthnUpdate>,
    context: CallContext,
  ) => Promise<Reply<typeof mfaWebauthnUpdate>>;
  readonly deleteWebauthn: (
    request: Request<typeof mfaWebauthnDelete>,
    context: CallContext,
  ) => Promise<Reply<typeof mfaWebauthnDelete>>;
}

const done = { outcome: "ok" } as const;

function invalid(detail: string): MfaRefusal {
  return { outcome: "invalid", detail };
}

export function createSecondFactors({ directories, ring, hashing }: SecondFactorsDeps): SecondFactors {
  const on = async <R>(
    target: MfaTarget,
    kind: ArtefactKind,
    context: CallContext,
    work: (found: FoundAccount) => Promise<R>,
  ): Promise<R | MfaRefusal> => {
    const found = await findAccount(directories(), target, context);
    if (isRefusal(found)) return found;
    return requireKind(found, kind) ?? work(found);
  };

  return {
    async read(request, context) {
      const found = await findAccount(directories(), request, context);
      if (isRefusal(found)) return found;
      const { account, directory } = found;
      const { totpSecret, recoveryCodes, webauthnCredentials } = await account.readFactors(context);
      const appPasswords = account.supports.has("app_passwords") ? await account.listAppPasswords(context) : [];
      return {
        outcome: "ok",
        account: account.account,
        backend: BackendKind[directory.kind],
        backendName: directory.name,
        ...(account.displayName === undefined ? {} : { displayName: account.displayName }),
        ...(account.uniqueUserId === undefined ? {} : { uniqueUserId: account.uniqueUserId }),
        hasTotp: totpSecret !== undefined,
        ...(request.secrets === true && totpSecret !== undefined
          ? { totpSecret: openTotpSecret(totpSecret, ring) }
          : {}),
        recoveryCodesLeft: recoveryCodes.length,
        webauthnCredentials: [...webauthnCredentials],
        appPasswords: appPasswords.length,
      };
    },
    async setTotp(request, context) {
      const secret = readTotpSecret(request.secret);
      if (secret === undefined) return invalid("neither base32 of at least 10 bytes nor an otpauth URL");
      return on(request, "totp", context, async ({ account }) => {
        if (ring === undefined) {
          return { outcome: "unsupported", detail: "no encryption secret is configured" };
        }
        await account.replaceTotpSecret(sealTotpSecret(secret, ring), context);
        return done;
      });
    },
    deleteTotp: (request, context) =>
      on(request, "totp", context, async ({ account }) => {
        await account.replaceTotpSecret(undefined, context);
        return done;
      }),
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
    listWebauthn: (request, context) =>
      on(request, "webauthn", context, async ({ account }) => {
        const { webauthnCredentials } = await account.readFactors(context);
        return { outcome: "ok" as const, credentials: [...webauthnCredentials] };
      }),
    saveWebauthn: (request, context) =>
      on(request, "webauthn", context, async ({ account }) => {
        const id = webauthnCredentialId(request.credential);
        if (id === undefined) return invalid("the credential is no JSON object");
        const { webauthnCredentials: known } = await account.readFactors(context);
        const isKnown = (one: string): boolean =>
          one === request.credential || (id !== "" && webauthnCredentialId(one) === id);
        if (known.some(isKnown)) return { outcome: "exists" as const };
        if (known.length >= maxWebauthnCredentials) return invalid("the account has too many credentials");
        await account.addWebauthnCredential(request.credential, context);
        return done;
      }),
    updateWebauthn: (request, context) =>
      on(request, "webauthn", context, async ({ account }) => {
        const { credential, oldCredential } = request;
        if (webauthnCredentialId(credential) === undefined) return invalid("the credential is no JSON object");
        const isDone = await account.replaceWebauthnCredential(oldCredential, credential, context);
        return isDone ? done : { outcome: "conflict" as const };
      }),
    deleteWebauthn: (request, context) =>
      on(request, "webauthn", context, async ({ account }) => {
        const wasThere = await account.removeWebauthnCredential(request.credential, context);
        return wasThere ? done : { outcome: "absent" as const };
      }),
  };
}
