import { createKeyAdministration, type KeyAdministration } from "../../oidc/keys/key-administration.ts";
import { rotationRules } from "../../oidc/keys/rotation-rules.ts";
import { createSigningKeyStore } from "../../oidc/keys/signing-keys-redis.ts";
import { staticKeys } from "../../oidc/keys/static-keys.ts";
import type { Generations } from "../../oidc/provider/generation.ts";
import { createKeySchedule, type KeySchedule } from "../../oidc/provider/key-schedule.ts";
import type { OidcParts } from "./parts.ts";

export interface KeysFeature {
  readonly schedule: KeySchedule;
  readonly keyAdministration: KeyAdministration;
}

/** Signing keys, the schedule that applies them and the configuration, and their administration. */
export function createKeysFeature(parts: OidcParts, generations: Generations): KeysFeature {
  const { redis, sharedClock: clock, keyPrefix, keys: ring, logger, initial } = parts;
  const keys = createSigningKeyStore({
    redis,
    keyPrefix,
    keys: ring,
    clock,
    rules: () => rotationRules(schedule.settings),
    onCreated: (kids) => logger.info({ kids }, "signing keys created"),
  });
  const schedule: KeySchedule = createKeySchedule({
    keys,
    staticKeys,
    generations,
    clock,
    settings: initial,
    onError: (err) => logger.error({ err }, "the signing keys or clients cannot be used"),
  });
  return { schedule, keyAdministration: createKeyAdministration(keys, staticKeys, schedule, clock) };
}
