import { BackendKind, type MfaRefusal, type MfaTarget } from "@postern/shared/contracts";
import type { WorkGate } from "@postern/shared/domain/passwords";
import type { KeyRing } from "@postern/shared/platform/crypto";
import type { Backend } from "../backends/backend.ts";
import type { CallContext } from "../decision/call-context.ts";
import { type FoundAccount, findAccount, isRefusal } from "./find-account.ts";
import { findCredentialHolder } from "./find-credential-holder.ts";
import { createOnAccount, done, invalid, type OnAccount } from "./on-account.ts";
import { hashRecoveryCodes, matchRecoveryCode } from "./recovery-code.ts";
import type { SecondFactors } from "./second-factors.ts";
import { openTotpSecret, readTotpSecret, sealTotpSecret } from "./totp-secret.ts";
import { createWebauthnCredentials } from "./webauthn-credentials.ts";

type RecoveryCodeMethods = "setRecoveryCodes" | "deleteRecoveryCodes" | "redeemRecoveryCode";

function createRecoveryCodes(on: OnAccount, hashing: Pick<WorkGate, "run">): Pick<SecondFactors, RecoveryCodeMethods> {
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

export interface SecondFactorsDeps {
  /** In the order of `auth.backends.order`; a reload replaces them. */
  readonly backends: () => readonly Backend[];
  /** Absent if no encryption secret is configured; then nothing can be encrypted. */
  readonly ring: KeyRing | undefined;
  /** Limits how many recovery-code hashes run concurrently. */
  readonly hashing: Pick<WorkGate, "run">;
}

/** The requests to backends that another name would have caused, so that the time does not reveal which of them knows the name. */
async function spendAsMuch(
  backends: readonly Backend[],
  { request, found }: { readonly request: MfaTarget; readonly found: FoundAccount | MfaRefusal },
  context: CallContext,
): Promise<void> {
  const { username, protocol } = request;
  if (!isRefusal(found)) {
    const left = backends.slice(backends.indexOf(found.backend) + 1);
    for (const { mfa } of left) await mfa?.find({ username, protocol }, context).catch(() => undefined);
    return;
  }
  const account = await backends.find(({ mfa }) => mfa !== undefined)?.mfa?.pretend({ username, protocol }, context);
  await account?.readFactors(context).catch(() => undefined);
  if (account?.supports.has("app_passwords")) await account.listAppPasswords(context).catch(() => undefined);
}

function createReadFactors({ backends, ring }: Pick<SecondFactorsDeps, "backends" | "ring">): SecondFactors["read"] {
  return async (request, context) => {
    const { credentialId: id } = request;
    const found =
      id === undefined
        ? await findAccount(backends(), request, context)
        : await findCredentialHolder(backends(), { target: request, id }, context);
    if (request.hidesUnknown === true) await spendAsMuch(backends(), { request, found }, context);
    if (isRefusal(found)) return found;
    const { account, backend } = found;
    const { totpSecret, recoveryCodes, webauthnCredentials } = await account.readFactors(context);
    const appPasswords = account.supports.has("app_passwords") ? await account.listAppPasswords(context) : [];
    return {
      outcome: "ok",
      account: account.account,
      backend: BackendKind[backend.kind],
      backendName: backend.name,
      ...(account.displayName === undefined ? {} : { displayName: account.displayName }),
      ...(account.uniqueUserId === undefined ? {} : { uniqueUserId: account.uniqueUserId }),
      hasTotp: totpSecret !== undefined,
      ...(request.secrets === true && totpSecret !== undefined ? { totpSecret: openTotpSecret(totpSecret, ring) } : {}),
      recoveryCodesLeft: recoveryCodes.length,
      webauthnCredentials: [...webauthnCredentials],
      appPasswords: appPasswords.length,
    };
  };
}

export function createSecondFactors({ backends, ring, hashing }: SecondFactorsDeps): SecondFactors {
  const on = createOnAccount(backends);
  return {
    read: createReadFactors({ backends, ring }),
    async setTotp(request, context) {
      const secret = readTotpSecret(request.secret);
      if (secret === undefined)
        return invalid("invalid TOTP secret: send base32 of at least 10 bytes or an otpauth URL");
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
    ...createRecoveryCodes(on, hashing),
    ...createWebauthnCredentials(on, backends),
  };
}
