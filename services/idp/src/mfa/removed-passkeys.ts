import { readCredential } from "@postern/shared/domain/passkeys";
import type { FactorStore } from "./factor-store-nats.ts";

/** The passkeys that were removed from their accounts. */
export interface RemovedPasskeys {
  /** Stores it if possible; never rejects. */
  note(credentialId: string): Promise<void>;
  /** False if that cannot be determined. */
  has(credentialId: string): Promise<boolean>;
}

/** Notes each passkey that is removed. */
export function noteRemovedPasskeys(store: FactorStore, removed: RemovedPasskeys): FactorStore {
  return {
    ...store,
    deleteCredential: async (account, text, context) => {
      const change = await store.deleteCredential(account, text, context);
      const credential = readCredential(text);
      if (change === "done" && credential !== undefined) await removed.note(credential.id);
      return change;
    },
  };
}
