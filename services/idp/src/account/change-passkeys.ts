import { readCredential } from "@postern/shared/domain/passkeys";
import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import type { FactorProofs, NamedFactor } from "../second-factors/factor-proofs.ts";
import type { FactorStore } from "../second-factors/factor-store-nats.ts";
import type { Ceremonies } from "../second-factors/webauthn/ceremonies.ts";
import { renamedCredential } from "../second-factors/webauthn/written-credential.ts";
import type { Notify } from "../user-notifications/notification.ts";
import { type ChangeOutcome, type FactorOwner, notificationOf } from "./factor-owner.ts";

export interface ChangePasskeysDeps {
  readonly store: Pick<
    FactorStore,
    "read" | "addCredential" | "replaceCredential" | "deleteCredential" | "deleteRecoveryCodes"
  >;
  readonly ceremonies: Pick<Ceremonies, "finishRegistration">;
  readonly notify: Notify;
  readonly proofs: Pick<FactorProofs, "note" | "mayRemove">;
}

type Store = ChangePasskeysDeps["store"];

const changeAttempts = 4;

/** Recovery codes replace a factor; without a factor they are removed too. */
export async function removeLonelyCodes(
  store: Pick<Store, "read" | "deleteRecoveryCodes">,
  { account, context }: FactorOwner,
): Promise<void> {
  const left = await store.read(account, context);
  if (left === undefined || left.hasTotp || left.webauthnCredentials.length > 0) return;
  if (left.recoveryCodesLeft > 0) await store.deleteRecoveryCodes(account, context);
}

async function storedPasskeys(
  store: Store,
  { account, context }: FactorOwner,
  id: string | undefined,
): Promise<readonly string[]> {
  const texts = (await store.read(account, context))?.webauthnCredentials ?? [];
  return id === undefined ? texts : texts.filter((text) => readCredential(text)?.id === id);
}

/** A concurrent write changes the text of a credential: it is removed if no text with its id remains. */
async function removeStored(
  store: Store,
  owner: FactorOwner,
  { id, found }: { readonly id: string | undefined; readonly found: readonly string[] },
): Promise<ChangeOutcome> {
  const { account, context } = owner;
  let texts = found;
  for (let attempt = 0; texts.length > 0; attempt += 1) {
    if (attempt >= changeAttempts) return "refused";
    for (const text of texts) {
      if ((await store.deleteCredential(account, text, context)) !== "done") return "refused";
    }
    texts = await storedPasskeys(store, owner, id);
  }
  return "done";
}

const idsOf = (texts: readonly string[]): readonly string[] => texts.map((text) => readCredential(text)?.id ?? text);

/** Whether one of the credentials is no longer stored. If that cannot be determined, the user is notified. */
async function isAnyGone(store: Store, owner: FactorOwner, texts: readonly string[]): Promise<boolean> {
  try {
    const left = new Set(idsOf(await storedPasskeys(store, owner, undefined)));
    return idsOf(texts).some((id) => !left.has(id));
  } catch {
    return true;
  }
}

/** Passkeys are recorded under the id with which browsers present them. */
const named = (text: string): NamedFactor => ({ kind: "webauthn", part: readCredential(text)?.id ?? text });

/** What users do with their own passkeys. Every method throws AppError on a temporary failure. */
export function createChangePasskeys({ store, ceremonies, notify, proofs }: ChangePasskeysDeps) {
  return {
    addPasskey: async (
      owner: FactorOwner,
      response: RegistrationResponseJSON,
      name: string,
    ): Promise<ChangeOutcome> => {
      const { account, sessionUid, context } = owner;
      const text = await ceremonies.finishRegistration(sessionUid, response, name);
      if (text === undefined) return "denied";
      const noted = await proofs.note(owner, named(text));
      if (noted === "refused") return "refused";
      const outcome = await store.addCredential(account, text, context);
      if (outcome === "done") notify(notificationOf(owner, "factor_added", "webauthn", noted === "doubted"));
      return outcome;
    },
    renamePasskey: async (owner: FactorOwner, id: string, name: string): Promise<ChangeOutcome> => {
      // A sign-in or another tab may change it at the same time.
      for (let attempt = 0; attempt < changeAttempts; attempt += 1) {
        const [text] = await storedPasskeys(store, owner, id);
        if (text === undefined) return "absent";
        const change = { old: text, next: renamedCredential(text, name) };
        const outcome = await store.replaceCredential(owner.account, change, owner.context);
        if (outcome === "done") notify(notificationOf(owner, "factor_renamed", "webauthn"));
        if (outcome !== "conflict") return outcome;
      }
      return "refused";
    },
    /** @param id undefined for all of the account */
    removePasskeys: async (owner: FactorOwner, id: string | undefined): Promise<ChangeOutcome> => {
      const found = await storedPasskeys(store, owner, id);
      if (found.length === 0) return "absent";
      if (!(await proofs.mayRemove(owner, async () => found.map(named)))) return "doubted";
      try {
        const outcome = await removeStored(store, owner, { id, found });
        if (outcome !== "done") return outcome;
      } finally {
        // The user is also notified if only some could be removed, or the reply to the removal was lost.
        if (await isAnyGone(store, owner, found)) notify(notificationOf(owner, "factor_removed", "webauthn"));
      }
      await removeLonelyCodes(store, owner);
      return "done";
    },
  };
}
