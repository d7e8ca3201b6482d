import { BackendKind } from "@postern/shared/contracts";
import type { KeyRing } from "@postern/shared/crypto";
import type { WorkGate } from "@postern/shared/passwords";
import type { Directory } from "../directories/directory.ts";
import { findAccount, isRefusal } from "./find-account.ts";
import { createOnAccount, done, invalid } from "./on-account.ts";
import { createRecoveryCodes } from "./recovery-codes.ts";
import type { SecondFactors } from "./second-factors.ts";
import { openTotpSecret, readTotpSecret, sealTotpSecret } from "./totp-secret.ts";
import { createWebauthnCredentials } from "./webauthn-credentials.ts";

export interface SecondFactorsDeps {
  /** In the order of `auth.backends.order`; a reload swaps them. */
  readonly directories: () => readonly Directory[];
  /** Absent while no encryption secret is configured: nothing can be sealed then. */
  readonly ring: KeyRing | undefined;
  /** Bounds the derivations of recovery codes. */
  readonly hashing: Pick<WorkGate, "run">;
}

function createReadFactors({
  directories,
  ring,
}: Pick<SecondFactorsDeps, "directories" | "ring">): SecondFactors["read"] {
  return async (request, context) => {
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
      ...(request.secrets === true && totpSecret !== undefined ? { totpSecret: openTotpSecret(totpSecret, ring) } : {}),
      recoveryCodesLeft: recoveryCodes.length,
      webauthnCredentials: [...webauthnCredentials],
      appPasswords: appPasswords.length,
    };
  };
}

export function createSecondFactors({ directories, ring, hashing }: SecondFactorsDeps): SecondFactors {
  const on = createOnAccount(directories);
  return {
    read: createReadFactors({ directories, ring }),
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
    ...createRecoveryCodes(on, hashing),
    ...createWebauthnCredentials(on),
  };
}
