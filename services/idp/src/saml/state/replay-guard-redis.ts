import { samlReplayKey } from "@postern/shared/platform/redis";
import { decided, digest, type SamlRedisDeps } from "./saml-redis.ts";

/** Remembers the messages that were accepted, so that none is accepted twice. */
export function createReplayGuard({ redis, keyPrefix }: Omit<SamlRedisDeps, "keys">) {
  return {
    /** Remembers the message. @returns false when it was known already. @throws AppError when that cannot be determined */
    isFirst: (entityId: string, messageId: string): Promise<boolean> =>
      decided(async () => {
        const key = samlReplayKey.build(keyPrefix, digest(JSON.stringify([entityId, messageId])));
        return (await redis.set(key, "1", "EX", samlReplayKey.ttlSeconds, "NX")) === "OK";
      }),
  };
}

export type ReplayGuard = ReturnType<typeof createReplayGuard>;
