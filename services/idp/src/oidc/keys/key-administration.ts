import type { SigningKeyListed } from "@postern/shared/contracts";
import type { Clock } from "@postern/shared/platform/time";
import type { JWK } from "oidc-provider";
import type { OidcSettings } from "../settings/oidc-settings.ts";
import { listKeys } from "./list-keys.ts";
import { rotationRules } from "./rotation-rules.ts";
import { type SigningKeyStore, signingOrder } from "./signing-keys.ts";

/** Signing keys as operators manage them. Both reject when the keys cannot be read. */
export function createKeyAdministration(
  keys: SigningKeyStore,
  staticKeys: (settings: OidcSettings, isActive: boolean) => readonly JWK[],
  schedule: { readonly settings: OidcSettings; refresh(): Promise<void> },
  clock: Clock,
) {
  return {
    /** Rotates the generated keys; this replica publishes them immediately. */
    rotate: async (): ReturnType<SigningKeyStore["rotate"]> => {
      const created = await keys.rotate();
      await schedule.refresh();
      return created;
    },
    list: async (): Promise<readonly SigningKeyListed[]> => {
      const { settings } = schedule;
      const rules = rotationRules(settings);
      const [generated, nowMs] = [await keys.current(), clock.now()];
      return listKeys({
        generated: signingOrder(generated, rules, nowMs),
        signing: staticKeys(settings, true),
        verifying: staticKeys(settings, false),
        publishMs: rules.publishMs,
        nowMs,
      });
    },
  };
}

export type KeyAdministration = ReturnType<typeof createKeyAdministration>;
