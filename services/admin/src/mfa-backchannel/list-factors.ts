import { type MfaBackchannelFactors, MfaBackchannelUser, mfaFactorsRead, type Reply } from "@postern/shared/contracts";
import { storedPasskey } from "../console/account/stored-passkey.ts";
import type { MfaAnswer, MfaRoute, MfaRouteDeps } from "./mfa-route.ts";

type Factors = Extract<Reply<typeof mfaFactorsRead>, { readonly outcome: "ok" }>;

function isOk(reply: Reply<typeof mfaFactorsRead>): reply is Factors {
  return reply.outcome === "ok";
}

function bodyOf({ account, hasTotp, recoveryCodesLeft, webauthnCredentials, appPasswords }: Factors) {
  const body: MfaBackchannelFactors = {
    account,
    totp: hasTotp,
    recovery_codes_left: recoveryCodesLeft,
    passkeys: webauthnCredentials.map((text) => {
      const { id, name } = storedPasskey(text);
      return { id, name };
    }),
    app_passwords: appPasswords,
  };
  return body;
}

export const listFactors = ({ bus }: Pick<MfaRouteDeps, "bus">): MfaRoute<typeof MfaBackchannelUser> => ({
  operation: "list_factors",
  fields: MfaBackchannelUser,
  ask: async (_fields, target, options): Promise<MfaAnswer> => {
    const reply = await bus.request(mfaFactorsRead, target, options);
    return isOk(reply) ? { outcome: reply.outcome, body: bodyOf(reply) } : reply;
  },
});
