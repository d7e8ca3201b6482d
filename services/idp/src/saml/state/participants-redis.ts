import { samlIndexKey, samlParticipantsKey } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import { Type } from "typebox";
import { Value } from "typebox/value";
import type { NameId } from "../xml/name-id.ts";
import { decided, digest, type SamlRedisDeps } from "./saml-redis.ts";

/** A service provider that a browser session has signed in to. */
export interface Participant {
  readonly entityId: string;
  readonly nameId: NameId;
  readonly sessionIndex: string;
}

const Shape = Type.Object({
  entityId: Type.String(),
  nameId: Type.Object({ format: Type.String(), value: Type.String() }),
  sessionIndex: Type.String(),
});

export interface ParticipantsDeps extends SamlRedisDeps {
  /** The clock that all replicas share. */
  readonly clock: Clock;
}

/**
 * The service providers to notify of a logout. Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer.
 */
export function createParticipants({ redis, keyPrefix, keys, clock }: ParticipantsDeps) {
  const hashKey = (uid: string): string => samlParticipantsKey.build(keyPrefix, uid);
  const indexKey = (entityId: string, index: string): string =>
    samlIndexKey.build(keyPrefix, digest(JSON.stringify([entityId, index])));
  const opened = (sealed: string | null, key: string): Participant | undefined => {
    const plain = sealed === null ? undefined : keys.open(Buffer.from(sealed, "base64"), key);
    const value: unknown = plain === undefined ? undefined : JSON.parse(plain.toString("utf8"));
    return Value.Check(Shape, value) ? value : undefined;
  };
  const listed = async (uid: string): Promise<readonly Participant[]> => {
    const key = hashKey(uid);
    return Object.values(await redis.hgetall(key)).flatMap((sealed) => opened(sealed, key) ?? []);
  };
  return {
    /** The session's participant for this service provider. */
    find: (uid: string, entityId: string): Promise<Participant | undefined> =>
      decided(async () => opened(await redis.hget(hashKey(uid), digest(entityId)), hashKey(uid))),
    all: (uid: string): Promise<readonly Participant[]> => decided(() => listed(uid)),
    add: (uid: string, participant: Participant, expiresAtMs: number): Promise<void> =>
      decided(async () => {
        const { entityId, sessionIndex } = participant;
        const key = hashKey(uid);
        const sealed = keys.seal(JSON.stringify(participant), key).toString("base64");
        const index = indexKey(entityId, sessionIndex);
        const pointer = keys.seal(uid, index).toString("base64");
        const lifeMs = Math.max(1, Math.ceil(expiresAtMs - clock.now()));
        const written = await redis.multi().hset(key, digest(entityId), sealed).pexpire(key, lifeMs).exec();
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
