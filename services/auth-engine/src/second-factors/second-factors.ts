import {
  BackendKind,
  type MfaRefusal,
  type MfaTarget,
  type mfaFactorsRead,
  type Request,
} from "@postern/shared/contracts";
import type { WorkGate } from "@postern/shared/domain/passwords";
import type { KeyRing } from "@postern/shared/platform/crypto";
import type { BackendsByName } from "../backends/backends-by-name.ts";
import type { CallContext } from "../pipeline/attempt.ts";
import {
  createOnAccount,
  done,
  type FoundAccount,
  findAccount,
  findCredentialHolder,
  invalid,
  isRefusal,
  type OnAccount,
} from "./find-account.ts";
import {
  hashRecoveryCodes,
  matchRecoveryCode,
  openTotpSecret,
  readTotpSecret,
  sealTotpSecret,
} from "./stored-secrets.ts";
import { createWebauthnCredentials } from "./webauthn-credentials.ts";

/** The requests to backends that another name would have caused, so that the time does not reveal which of them knows the name. */
async function spendAsMuch(
  byName: BackendsByName,
  { request, found }: { readonly request: MfaTarget; readonly found: FoundAccount | MfaRefusal },
  context: CallContext,
): Promise<void> {
  const { username, protocol } = request;
  const backends = await byName.of(username);
  if (!isRefusal(found)) {
    const left = backends.slice(backends.indexOf(found.backend) + 1);
    for (const { mfa } of left) await mfa?.findAccount({ username, protocol }, context).catch(() => undefined);
    return;
  }
  const account = await backends
    .find(({ mfa }) => mfa !== undefined)
    ?.mfa?.pretendAccount({ username, protocol }, context);
  await account?.readFactors(context).catch(() => undefined);
  if (account?.supports.has("app_passwords")) await account.listAppPasswords(context).catch(() => undefined);
}

function createReadFactors(backends: BackendsByName, ring: KeyRing | undefined) {
  return async (request: Request<typeof mfaFactorsRead>, context: CallContext) => {
    const { credentialId: id } = request;
    const found =
      id === undefined
        ? await findAccount(backends, request, context)
        : await findCredentialHolder(backends, request, id, context);
    if (request.hidesUnknown === true) await spendAsMuch(backends, { request, found }, context);
    if (isRefusal(found)) return found;
    const { account, backend } = found;
    const { totpSecret, recoveryCodes, webauthnCredentials } = await account.readFactors(context);
    const appPasswords = account.supports.has("app_passwords") ? await account.listAppPasswords(context) : [];
    return {
      outcome: "ok" as const,
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

type CodesRequest = MfaTarget & { readonly codes: readonly string[] };

function createRecoveryCodes(on: OnAccount, hashing: Pick<WorkGate, "run">) {
  return {
    setRecoveryCodes: (request: CodesRequest, context: CallContext) =>
      on(request, "recovery_codes", context, async ({ account }) => {
        const stored = await hashing.run(() => hashRecoveryCodes(request.codes), context);
        await account.replaceRecoveryCodes(stored, context);
        return done;
      }),
    deleteRecoveryCodes: (request: MfaTarget, context: CallContext) =>
      on(request, "recovery_codes", context, async ({ account }) => {
        await account.replaceRecoveryCodes([], context);
        return done;
      }),
    redeemRecoveryCode: (request: MfaTarget & { readonly code: string }, context: CallContext) =>
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

/**
 * What the bus methods about second factors do. Each throws an `AppError` if the backend cannot answer.
 *
 * @param backends a reload replaces them
 * @param ring absent if no encryption secret is configured; then nothing can be encrypted
 * @param hashing limits how many recovery-code hashes run concurrently
 */
export function createSecondFactors(
  backends: BackendsByName,
  ring: KeyRing | undefined,
  hashing: Pick<WorkGate, "run">,
) {
  const on = createOnAccount(backends);
  return {
    readFactors: createReadFactors(backends, ring),
    setTotp: async (request: MfaTarget & { readonly secret: string }, context: CallContext) => {
      const secret = readTotpSecret(request.secret);
      if (secret === undefined)
        return invalid("invalid TOTP secret: send base32 of at least 10 bytes or an otpauth URL");
      return on(request, "totp", context, async ({ account }) => {
        if (ring === undefined) {
          return { outcome: "unsupported" as const, detail: "no encryption secret is configured" };
        }
        await account.replaceTotpSecret(sealTotpSecret(secret, ring), context);
        return done;
      });
    },
    deleteTotp: (request: MfaTarget, context: CallContext) =>
      on(request, "totp", context, async ({ account }) => {
        await account.replaceTotpSecret(undefined, context);
        return done;
      }),
    ...createRecoveryCodes(on, hashing),
    ...createWebauthnCredentials(on, backends),
  };
}

export type SecondFactors = ReturnType<typeof createSecondFactors>;
