import { randomBytes } from "node:crypto";
import { defineScript, samlAskedKey, samlLogoutKey } from "@postern/shared/redis";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { decided, digest, type SamlRedisDeps } from "../sso/pending-requests-redis.ts";
import { channels, type Journeys, type ServiceResult } from "./journey.ts";

const text = Type.String();
const index = Type.Integer();

const Service = Type.Object({
  entityId: text,
  nameId: Type.Object({ format: text, value: text }),
  sessionIndex: text,
  channel: Type.Enum([...channels]),
});

const End = Type.Union([
  Type.Object({ to: Type.Literal("place"), place: text }),
  Type.Object({
    to: Type.Literal("provider"),
    entityId: text,
    inResponseTo: text,
    relayState: Type.Optional(text),
    binding: Type.Enum(["redirect", "post"]),
  }),
]);

const Plan = Type.Object({ deadlineMs: Type.Number(), services: Type.Array(Service), end: End });
const AskedShape = Type.Object({ journeyId: text, index, entityId: text, isFramed: Type.Boolean() });

/** First time, and again after a reload or by the user's wish. */
const mostAsked = 5;

/** KEYS: journey. ARGV: field, result. A journey that is over stays so. */
const noteScript = `
if redis.call("EXISTS", KEYS[1]) == 0 then return 0 end
if ARGV[2] == "done" then return redis.call("HSET", KEYS[1], ARGV[1], ARGV[2]) end
return redis.call("HSETNX", KEYS[1], ARGV[1], ARGV[2])
`;

/** KEYS: journey. ARGV: field. @returns how often, 0 when the journey is over */
const countScript = `
if redis.call("EXISTS", KEYS[1]) == 0 then return 0 end
return redis.call("HINCRBY", KEYS[1], ARGV[1], 1)
`;

function resultsIn(fields: Readonly<Record<string, string>>): ReadonlyMap<number, ServiceResult> {
  return new Map(
    Object.entries(fields).flatMap(([field, value]): [number, ServiceResult][] =>
      field.startsWith("r") && (value === "done" || value === "refused") ? [[Number(field.slice(1)), value]] : [],
    ),
  );
}

/** Redis keeps a digest of each id; what it names is sealed. */
export function createJourneys({ redis, prefix, keys }: SamlRedisDeps): Journeys {
  const keyOf = (id: string): string => samlLogoutKey.build(prefix, digest(id));
  const askedKey = (requestId: string): string => samlAskedKey.build(prefix, digest(requestId));
  const note = defineScript(redis, { name: "samlLogoutNote", lua: noteScript, numberOfKeys: 1 });
  const count = defineScript(redis, { name: "samlLogoutCount", lua: countScript, numberOfKeys: 1 });
  const seal = (value: object, key: string): string => keys.seal(JSON.stringify(value), key).toString("base64");
  const opened = (sealed: string | null | undefined, key: string): unknown => {
    const plain = typeof sealed === "string" ? keys.open(Buffer.from(sealed, "base64"), key) : undefined;
    return plain === undefined ? undefined : JSON.parse(plain.toString("utf8"));
  };
  const counted = async (id: string, field: string): Promise<number> => Number(await count([keyOf(id)], [field]));
  return {
    save: (journey) =>
      decided(async () => {
        const id = randomBytes(32).toString("base64url");
        const key = keyOf(id);
        const sealed = seal(journey, key);
        const written = await redis.multi().hset(key, "plan", sealed).expire(key, samlLogoutKey.ttlSeconds).exec();
        if (written === null || written.some(([error]) => error !== null)) throw new Error("logout not written");
        return id;
      }),
    find: (id) =>
      decided(async () => {
        const fields = await redis.hgetall(keyOf(id));
        const journey = opened(fields["plan"], keyOf(id));
        return Value.Check(Plan, journey) ? { journey, results: resultsIn(fields) } : undefined;
      }),
    note: (id, place, result) => decided(async () => void (await note([keyOf(id)], [`r${place}`, result]))),
    isFirstAtEnd: (id) => decided(async () => (await counted(id, "end")) === 1),
    ask: (requestId, asked) =>
      decided(async () => {
        const times = await counted(asked.journeyId, `n${asked.index}`);
        if (times < 1 || times > mostAsked) return false;
        const key = askedKey(requestId);
        await redis.set(key, seal(asked, key), "EX", samlAskedKey.ttlSeconds);
        return true;
      }),
    takeAsked: (requestId, entityId) =>
      decided(async () => {
        const key = askedKey(requestId);
        const asked = opened(await redis.get(key), key);
        if (!Value.Check(AskedShape, asked) || asked.entityId !== entityId) return undefined;
        return (await redis.del(key)) === 1 ? asked : undefined;
      }),
  };
}
