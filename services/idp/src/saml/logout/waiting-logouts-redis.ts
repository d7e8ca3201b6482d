import { randomBytes } from "node:crypto";
import { samlWaitingLogoutKey } from "@postern/shared/platform/redis";
import { Type } from "typebox";
import type { Stored } from "../../redis/stored.ts";
import { decided, digest, opened, type SamlRedisDeps, sealed } from "../state/saml-redis.ts";
import { ProviderEnd } from "./logout-transactions-redis.ts";

const Named = Type.Object({ end: ProviderEnd, nameId: Type.String(), sessionIndexes: Type.Array(Type.String()) });

/** A verified LogoutRequest of a service provider; its end says how to respond. */
export type NamedLogout = Stored<typeof Named>;

/**
 * Verified logout requests that another site has posted. They wait for a request of the same browser that has its cookies.
 * Keys contain a digest of each id; values are sealed. Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot
 * answer.
 */
export function createWaitingLogouts({ redis, keyPrefix, keys }: SamlRedisDeps) {
  const keyOf = (id: string): string => samlWaitingLogoutKey.build(keyPrefix, digest(id));
  return {
    /** Stores a request under a new id. */
    save: (logout: NamedLogout): Promise<string> =>
      decided(async () => {
        const id = randomBytes(32).toString("base64url");
        await redis.set(keyOf(id), sealed(keys, logout, keyOf(id)), "EX", samlWaitingLogoutKey.ttlSeconds);
        return id;
      }),
    /** Reads and deletes a request: of concurrent calls, one gets it. */
    take: (id: string): Promise<NamedLogout | undefined> =>
      decided(async () => opened(keys, Named, { stored: await redis.getdel(keyOf(id)), key: keyOf(id) })),
  };
}
