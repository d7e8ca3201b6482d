import { randomBytes } from "node:crypto";
import { samlWaitingLogoutKey } from "@postern/shared/platform/redis";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { decided, digest, type SamlRedisDeps } from "../state/saml-redis.ts";
import type { NamedLogout } from "./logout.ts";
import { ProviderEnd } from "./logout-transactions-redis.ts";

const Waiting = Type.Object({
  end: ProviderEnd,
  nameId: Type.String(),
  sessionIndexes: Type.Array(Type.String()),
});

/** Keys contain a digest of each id; values are sealed. */
export function createWaitingLogouts({ redis, keyPrefix, keys }: SamlRedisDeps) {
  const keyOf = (id: string): string => samlWaitingLogoutKey.build(keyPrefix, digest(id));
  return {
    /** Stores a request under a new id. */
    save: (logout: NamedLogout): Promise<string> =>
      decided(async () => {
        const id = randomBytes(32).toString("base64url");
        const sealed = keys.seal(JSON.stringify(logout), keyOf(id)).toString("base64");
        await redis.set(keyOf(id), sealed, "EX", samlWaitingLogoutKey.ttlSeconds);
        return id;
      }),
    /** Reads and deletes a request: of concurrent calls, one gets it. */
    take: (id: string): Promise<NamedLogout | undefined> =>
      decided(async () => {
        const sealed = await redis.getdel(keyOf(id));
        const plain = sealed === null ? undefined : keys.open(Buffer.from(sealed, "base64"), keyOf(id));
        const logout: unknown = plain === undefined ? undefined : JSON.parse(plain.toString("utf8"));
        return Value.Check(Waiting, logout) ? logout : undefined;
      }),
  };
}

/**
 * Verified logout requests that another site has posted. They wait for a request of the same browser that has its cookies.
 * Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer.
 */
export type WaitingLogouts = ReturnType<typeof createWaitingLogouts>;
