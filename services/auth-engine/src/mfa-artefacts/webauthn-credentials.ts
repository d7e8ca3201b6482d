import { maxWebauthnCredentials } from "@postern/shared/contracts";
import { done, invalid, type OnAccount } from "./on-account.ts";
import type { SecondFactors } from "./second-factors.ts";
import { webauthnCredentialId } from "./webauthn-credential.ts";

type WebauthnMethods = "listWebauthn" | "saveWebauthn" | "updateWebauthn" | "deleteWebauthn";

export function createWebauthnCredentials(on: OnAccount): Pick<SecondFactors, WebauthnMethods> {
  return {
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
