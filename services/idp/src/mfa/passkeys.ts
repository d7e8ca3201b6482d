import { readCredential } from "@postern/shared/domain/passkeys";
import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import type { Notify } from "../user-notifications/notification.ts";
import type { FactorProofs, NamedFactor } from "./factor-proofs.ts";
import type { FactorStore } from "./factor-store-nats.ts";
import { notificationOf, type Outcome, type Subject } from "./subject.ts";
import type { Ceremonies } from "./webauthn/ceremonies.ts";
import { renamedCredential } from "./webauthn/written-credential.ts";

/** What users do with their own passkeys. Every method throws AppError on a temporary failure. */
export interface ChangePasskeys {
  addPasskey(subject: Subject, response: RegistrationResponseJSON, name: string): Promise<Outcome>;
  renamePasskey(subject: Subject, id: string, name: string): Promise<Outcome>;
  /** @param id undefined for all of the account */
  removePasskeys(subject: Subject, id: string | undefined): Promise<Outcome>;
}

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
  { account, context }: Subject,
): Promise<void> {
  const left = await store.read(account, context);
  if (left === undefined || left.hasTotp || left.webauthnCredentials.length > 0) return;
  if (left.recoveryCodesLeft > 0) await store.deleteRecoveryCodes(account, context);
}

async function storedPasskeys(
  store: Store,
  { account, context }: Subject,
  id: string | undefined,
): Promise<readonly string[]> {
  const texts = (await store.read(account, context))?.webauthnCredentials ?? [];
  return id === undefined ? texts : texts.filter((text) => readCredential(text)?.id === id);
}

/** A concurrent write changes the text of a credential: it is removed if no text with its id remains. */
async function removeStored(
  store: Store,
  subject: Subject,
  { id, found }: { readonly id: string | undefined; readonly found: readonly string[] },
): Promise<Outcome> {
  const { account, context } = subject;
  let texts = found;
  for (let attempt = 0; texts.length > 0; attempt += 1) {
    if (attempt >= changeAttempts) return "refused";
    for (const text of texts) {
      if ((await store.deleteCredential(account, text, context)) !== "done") return "refused";
    }
    texts = await storedPasskeys(store, subject, id);
  }
  return "done";
}

const idsOf = (texts: readonly string[]): readonly string[] => texts.map((text) => readCredential(text)?.id ?? text);

/** Whether one of the credentials is no longer stored. If that cannot be determined, the user is notified. */
async function isAnyGone(store: Store, subject: Subject, texts: readonly string[]): Promise<boolean> {
  try {
    const left = new Set(idsOf(await storedPasskeys(store, subject, undefined)));
    return idsOf(texts).some((id) => !left.has(id));
  } catch {
    return true;
  }
}

/** Under the id with which browsers present it. */
const named = (text: string): NamedFactor => ({ kind: "webauthn", part: readCredential(text)?.id ?? text });

export function createChangePasskeys({ store, ceremonies, notify, proofs }: ChangePasskeysDeps): ChangePasskeys {
  return {
    addPasskey: async (subject, response, name) => {
      const { account, sessionUid, context } = subject;
      const text = await ceremonies.finishRegistration(sessionUid, response, name);
      if (text === undefined) return "denied";
      const noted = await proofs.note(subject, named(text));
      if (noted === "refused") return "refused";
      const outcome = await store.addCredential(account, text, context);
      if (outcome === "done") notify(notificationOf(subject, "factor_added", "webauthn", noted === "doubted"));
      return outcome;
    },
    renamePasskey: async (subject, id, name) => {
      // A sign-in or another tab may change it at the same time.
      for (let attempt = 0; attempt < changeAttempts; attempt += 1) {
        const [text] = await storedPasskeys(store, subject, id);
        if (text === undefined) return "absent";
        const change = { old: text, next: renamedCredential(text, name) };
        const outcome = await store.replaceCredential(subject.account, change, subject.context);
        if (outcome === "done") notify(notificationOf(subject, "factor_renamed", "webauthn"));
        if (outcome !== "conflict") return outcome;
      }
      return "refused";
    },
    removePasskeys: async (subject, id) => {
      const found = await storedPasskeys(store, subject, id);
      if (found.length === 0) return "absent";
      if (!(await proofs.mayRemove(subject, async () => found.map(named)))) return "doubted";
      try {
        const outcome = await removeStored(store, subject, { id, found });
        if (outcome !== "done") return outcome;
      } finally {
        // The user is also notified if only some could be removed, or the reply to the removal was lost.
        if (await isAnyGone(store, subject, found)) notify(notificationOf(subject, "factor_removed", "webauthn"));
      }
      await removeLonelyCodes(store, subject);
      return "done";
    },
  };
}
