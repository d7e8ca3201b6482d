import { samlReplayKey } from "@postern/shared/platform/redis";
import type { ReplayGuard } from "./replay-guard.ts";
import { decided, digest, type SamlRedisDeps } from "./saml-redis.ts";

export function createReplayGuard({ redis, keyPrefix }: Omit<SamlRedisDeps, "keys">): ReplayGuard {
  return {
    isFirst: (entityId, messageId) =>
      decided(async () => {
        const key = samlReplayKey.build(keyPrefix, digest(JSON.stringify([entityId, messageId])));
        return (await redis.set(key, "1", "EX", samlReplayKey.ttlSeconds, "NX")) === "OK";
      }),
  };
}
