import { systemClock } from "@postern/shared/platform/time";
import { rotationRules } from "../../oidc/keys/rotation-rules.ts";
import { createSigningKeyStore } from "../../oidc/keys/signing-keys-redis.ts";
import { staticKeys } from "../../oidc/keys/static-keys.ts";
import type { Generations } from "../../oidc/provider/generation.ts";
import { createKeySchedule, type KeySchedule } from "../../oidc/provider/key-schedule.ts";
import type { OidcParts } from "./parts.ts";

/** Signing keys, and the schedule that applies them and the configuration. */
export function createSchedule(parts: OidcParts, generations: Generations): KeySchedule {
  const { redis, keyPrefix, keys, logger, initial } = parts;
  const schedule: KeySchedule = createKeySchedule({
    keys: createSigningKeyStore({
      redis,
      keyPrefix,
      keys,
      clock: systemClock,
      rules: () => rotationRules(schedule.settings),
      onCreated: (kids) => logger.info({ kids }, "signing keys created"),
    }),
    staticKeys,
    generations,
    clock: systemClock,
    settings: initial,
    onError: (err) => logger.error({ err }, "the signing keys or clients cannot be used"),
  });
  return schedule;
}
