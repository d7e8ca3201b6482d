import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const roles = ["state", "queue", "cache"] as const;

const cacheSecrets = ["password_nonce", "encryption_secret"] as const;

/** Caches in Redis are encrypted and contain passwords only as keyed digests. */
function validateCacheSecrets({ storage, auth }: Config, { problem }: Judgement): void {
  const { redis } = storage;
  const isShared = auth.backends.order.includes("cache");
  if (!isShared && !redis.identity_cache.enabled) return;
  const user = isShared ? "auth.backends.order contains cache" : "storage.redis.identity_cache.enabled is true";
  for (const name of cacheSecrets) {
    if (redis[name] === "") problem(`storage.redis.${name}`, messages.needsWhen(user));
  }
}

export function validateStorage(config: Config, judgement: Judgement): void {
  const { problem } = judgement;
  validateCacheSecrets(config, judgement);
  const { redis } = config.storage;
  redis.encryption_secrets_old.forEach(({ secret }, index) => {
    if (secret === "") problem(`storage.redis.encryption_secrets_old[${index}].secret`, messages.required);
  });
  if (redis.encryption_secret === "" && redis.encryption_secrets_old.length > 0) {
    problem("storage.redis.encryption_secret", messages.needsWhen("encryption_secrets_old has entries"));
  }
  for (const role of roles) {
    const { sentinels, tls } = redis.roles[role];
    const path = `storage.redis.roles.${role}`;
    if (sentinels.master !== "" && sentinels.addresses.length === 0) {
      problem(`${path}.sentinels.addresses`, messages.needsWhen(`${path}.sentinels.master is set`));
    }
    if (tls.cert !== "" && tls.key === "") problem(`${path}.tls.cert`, messages.pairOfFiles(`${path}.tls.key`));
    if (tls.key !== "" && tls.cert === "") problem(`${path}.tls.key`, messages.pairOfFiles(`${path}.tls.cert`));
  }
}
