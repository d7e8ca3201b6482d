import {
  type MfaTarget,
  maxWebauthnCredentials,
  type mfaWebauthnDelete,
  type mfaWebauthnSave,
  type mfaWebauthnUpdate,
  type Request,
} from "@postern/shared/contracts";
import type { BackendsByName } from "../backends/backends-by-name.ts";
import type { CredentialHolder, MfaAccount } from "../backends/second-factor-store.ts";
import { credentialProblem, webauthnCredentialId } from "../backends/webauthn-credential.ts";
import type { CallContext } from "../pipeline/attempt.ts";
import { done, invalid, type OnAccount } from "./find-account.ts";

const exists = { outcome: "exists" } as const;

/** Why the credential cannot be added to these. */
function refusalOf(others: readonly string[], credential: string, id: string) {
  const isSame = (one: string): boolean => one !== credential && id !== "" && webauthnCredentialId(one) === id;
  if (others.some(isSame)) return exists;
  return others.length < maxWebauthnCredentials ? undefined : invalid("the account has too many credentials");
}

const taken = invalid("another account holds this credential");

/** Compares names and entries: two searches, of one LDAP server or of several, may name the same entry differently. */
function isSameAccount(holder: CredentialHolder, { account, dn }: MfaAccount): boolean {
  if (holder.account === account) return true;
  return dn !== undefined && holder.dn?.toLowerCase() === dn.toLowerCase();
}

/** Whether another account of any backend holds the credential, as far as backends can be searched for it. */
async function isHeldElsewhere(
  backends: BackendsByName,
  { account, target, id }: { readonly account: MfaAccount; readonly target: MfaTarget; readonly id: string },
  context: CallContext,
): Promise<boolean> {
  const { username, protocol } = target;
  for (const { mfa } of await backends.of(username)) {
    const holders = (await mfa?.findHolders({ id, by: "content" }, { username, protocol }, context)) ?? [];
    if (holders.some((holder) => !isSameAccount(holder, account))) return true;
  }
  return false;
}

export function createWebauthnCredentials(on: OnAccount, backends: BackendsByName) {
  const isTaken = (target: MfaTarget, account: MfaAccount, id: string, context: CallContext): Promise<boolean> =>
    isHeldElsewhere(backends, { account, target, id }, context);
  return {
    listWebauthn: (request: MfaTarget, context: CallContext) =>
      on(request, "webauthn", context, async ({ account }) => {
        const { webauthnCredentials } = await account.readFactors(context);
        return { outcome: "ok" as const, credentials: [...new Set(webauthnCredentials)] };
      }),
    saveWebauthn: (request: Request<typeof mfaWebauthnSave>, context: CallContext) =>
      on(request, "webauthn", context, async ({ account }) => {
        const problem = credentialProblem(request.credential);
        if (problem !== undefined) return invalid(problem);
        const id = webauthnCredentialId(request.credential) ?? "";
        const { webauthnCredentials: known } = await account.readFactors(context);
        const refusal =
          refusalOf(known, request.credential, id) ?? (known.includes(request.credential) ? exists : undefined);
        if (refusal !== undefined) return refusal;
        if (await isTaken(request, account, id, context)) return taken;
        await account.addWebauthnCredential(request.credential, context);
        // Two simultaneous additions do not see each other beforehand, so each one that sees the other afterwards
        // removes its own.
        const { webauthnCredentials: now } = await account.readFactors(context);
        const others = [...new Set(now)].filter((one) => one !== request.credential);
        const late =
          refusalOf(others, request.credential, id) ??
          ((await isTaken(request, account, id, context)) ? taken : undefined);
        if (late === undefined) return done;
        await account.removeWebauthnCredential(request.credential, context);
        return late;
      }),
    updateWebauthn: (request: Request<typeof mfaWebauthnUpdate>, context: CallContext) =>
      on(request, "webauthn", context, async ({ account }) => {
        const { credential, oldCredential } = request;
        const problem = credentialProblem(credential);
        if (problem !== undefined) return invalid(problem);
        const id = webauthnCredentialId(credential) ?? "";
        const isAnother = id !== webauthnCredentialId(oldCredential);
        if (isAnother && (await isTaken(request, account, id, context))) return taken;
        const isDone = await account.replaceWebauthnCredential(oldCredential, credential, context);
        return isDone ? done : { outcome: "conflict" as const };
      }),
    deleteWebauthn: (request: Request<typeof mfaWebauthnDelete>, context: CallContext) =>
      on(request, "webauthn", context, async ({ account }) => {
        const wasThere = await account.removeWebauthnCredential(request.credential, context);
        return wasThere ? done : { outcome: "absent" as const };
      }),
  };
}
