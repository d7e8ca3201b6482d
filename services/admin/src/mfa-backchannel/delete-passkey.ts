import { MfaBackchannelPasskey, mfaWebauthnDelete, mfaWebauthnList } from "@postern/shared/contracts";
import { storedPasskey } from "../console/account/stored-passkey.ts";
import type { MfaAnswer, MfaRoute, MfaRouteDeps } from "./mfa-route.ts";

/** A sign-in between reading and deleting replaces the stored text. */
const attempts = 5;

export const deletePasskey = ({ bus }: Pick<MfaRouteDeps, "bus">): MfaRoute<typeof MfaBackchannelPasskey> => ({
  operation: "delete_passkey",
  fields: MfaBackchannelPasskey,
  ask: async ({ id }, target, options): Promise<MfaAnswer> => {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const listed = await bus.request(mfaWebauthnList, target, options);
      if (!("credentials" in listed)) return listed;
      const credential = listed.credentials.find((text) => storedPasskey(text).id === id);
      if (credential === undefined) return { outcome: "absent" };
      const answer = await bus.request(mfaWebauthnDelete, { ...target, credential }, options);
      if (answer.outcome !== "absent") return answer;
    }
    return { outcome: "conflict", detail: "the passkey was used at the same time; try again" };
  },
});
