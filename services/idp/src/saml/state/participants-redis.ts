import { samlIndexKey, samlParticipantsKey } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import { Type } from "typebox";
import type { Stored } from "../../redis/stored.ts";
import { decided, digest, opened, type SamlRedisDeps, sealed } from "./saml-redis.ts";

const text = Type.String();

/** The stored form of a service provider that a browser session has signed in to. */
export const ParticipantSchema = Type.Object({
  entityId: text,
  nameId: Type.Object({ format: text, value: text }),
  sessionIndex: text,
});

export type Participant = Stored<typeof ParticipantSchema>;

/**
 * The service providers to notify of a logout. Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer.
 * @param clock the clock that all replicas share.
 */
export function createParticipants({ redis, keyPrefix, keys }: SamlRedisDeps, clock: Clock) {
  const hashKey = (uid: string): string => samlParticipantsKey.build(keyPrefix, uid);
  const indexKey = (entityId: string, index: string): string =>
    samlIndexKey.build(keyPrefix, digest(JSON.stringify([entityId, index])));
  const open = (stored: string | null, key: string) => opened(keys, ParticipantSchema, { stored, key });
  const listed = async (uid: string): Promise<readonly Participant[]> => {
    const key = hashKey(uid);
    return Object.values(await redis.hgetall(key)).flatMap((stored) => open(stored, key) ?? []);
  };
  return {
    find: (uid: string, entityId: string): Promise<Participant | undefined> =>
      decided(async () => open(await redis.hget(hashKey(uid), digest(entityId)), hashKey(uid))),
    all: (uid: string): Promise<readonly Participant[]> => decided(() => listed(uid)),
    add: (uid: string, participant: Participant, expiresAtMs: number): Promise<void> =>
      decided(async () => {
        const { entityId, sessionIndex } = participant;
        const key = hashKey(uid);
        const index = indexKey(entityId, sessionIndex);
        const pointer = keys.seal(uid, index).toString("base64");
        const lifeMs = Math.max(1, Math.ceil(expiresAtMs - clock.now()));
        const entry = sealed(keys, participant, key);
        const written = await redis.multi().hset(key, digest(entityId), entry).pexpire(key, lifeMs).exec();
        if (written === null || written.some(([error]) => error !== null))
          throw new Error("the participant could not be written");
        await redis.set(index, pointer, "PX", lifeMs);
      }),
    /** The session to which the index belongs at this service provider. */
    sessionOf: (entityId: string, sessionIndex: string): Promise<string | undefined> =>
      decided(async () => {
        const key = indexKey(entityId, sessionIndex);
        const stored = await redis.get(key);
        return stored === null ? undefined : keys.open(Buffer.from(stored, "base64"), key)?.toString("utf8");
      }),
    /** Reads and deletes the participants of a session that has ended. */
    takeAll: (uid: string): Promise<readonly Participant[]> =>
      decided(async () => {
        const found = await listed(uid);
        await redis.del(hashKey(uid));
        await Promise.all(found.map(({ entityId, sessionIndex }) => redis.del(indexKey(entityId, sessionIndex))));
        return found;
      }),
  };
}

export type Participants = ReturnType<typeof createParticipants>;
