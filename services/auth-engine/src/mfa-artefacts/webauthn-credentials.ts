import { maxWebauthnCredentials } from "@postern/shared/contracts";
import { done, invalid, type OnAccount } from "./on-account.ts";
import type { SecondFactors } from "./second-factors.ts";
import { webauthnCredentialId } from "./webauthn-credential.ts";

const exists = { outcome: "exists" } as const;

/** Why the credential may not stand beside these. */
function refusalOf(others: readonly string[], credential: string, id: string) {
  const isSame = (one: string): boolean => one !== credential && id !== "" && webauthnCredentialId(one) === id;
  if (others.some(isSame)) return exists;
  return others.length < maxWebauthnCredentials ? undefined : invalid("the account has too many credentials");
}

type WebauthnMethods = "listWebauthn" | "saveWebauthn" | "updateWebauthn" | "deleteWebauthn";

export function createWebauthnCredentials(on: OnAccount): Pick<SecondFactors, WebauthnMethods> {
  return {
    listWebauthn: (request, context) =>
      on(request, "webauthn", context, async ({ account }) => {
        const { webauthnCredentials } = await account.readFactors(context);
        return { outcome: "ok" as const, credentials: [...new Set(webauthnCredentials)] };
      }),
    saveWebauthn: (request, context) =>
      on(request, "webauthn", context, async ({ account }) => {
        const id = webauthnCredentialId(request.credential);
        if (id === undefined) return invalid("the credential is no JSON object");
        const { webauthnCredentials: known } = await account.readFactors(context);
        const refusal =
          refusalOf(known, request.credential, id) ?? (known.includes(request.credential) ? exists : undefined);
        if (refusal !== undefined) return refusal;
        await account.addWebauthnCredential(request.credential, context);
        // Two that add at once do not see each other before: who sees the other now takes its own back.
        const { webauthnCredentials: now } = await account.readFactors(context);
        const others = [...new Set(now)].filter((one) => one !== request.credential);
        const late = refusalOf(others, request.credential, id);
        if (late === undefined) return done;
        await account.removeWebauthnCredential(request.credential, context);
        return late;
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
