import { randomBytes } from "node:crypto";
import { defineScript, samlLogoutKey, samlLogoutRequestKey } from "@postern/shared/platform/redis";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { decided, digest, type SamlRedisDeps } from "../state/saml-redis.ts";
import { channels } from "./delivery-report.ts";
import type { LogoutTransactions, ServiceResult } from "./logout-transaction.ts";
import countInLogoutLua from "./scripts/count-in-logout.lua?raw";
import noteLogoutResultLua from "./scripts/note-logout-result.lua?raw";

const countInLogout = {
  name: "countInLogout",
  lua: countInLogoutLua,
  keys: ["transactionKey"],
  args: ["field"],
} as const;
const noteLogoutResult = {
  name: "noteLogoutResult",
  lua: noteLogoutResultLua,
  keys: ["transactionKey"],
  args: ["field", "result"],
} as const;

const text = Type.String();

/** The stored form of an end at a service provider, which receives our response. */
export const ProviderEnd = Type.Object({
  to: Type.Literal("provider"),
  entityId: text,
  inResponseTo: text,
  relayState: Type.Optional(text),
  binding: Type.Enum(["redirect", "post"]),
});

const index = Type.Integer();

const Service = Type.Object({
  entityId: text,
  nameId: Type.Object({ format: text, value: text }),
  sessionIndex: text,
  channel: Type.Enum([...channels]),
});

const End = Type.Union([Type.Object({ to: Type.Literal("place"), place: text }), ProviderEnd]);

const Plan = Type.Object({ deadlineMs: Type.Number(), services: Type.Array(Service), end: End });
const OutgoingRequestShape = Type.Object({ journeyId: text, index, entityId: text, isFramed: Type.Boolean() });

/** The first request, and further ones after a reload or when the user retries. */
const maxRequests = 5;

function resultsIn(fields: Readonly<Record<string, string>>): ReadonlyMap<number, ServiceResult> {
  return new Map(
    Object.entries(fields).flatMap(([field, value]): [number, ServiceResult][] =>
      field.startsWith("r") && (value === "done" || value === "refused") ? [[Number(field.slice(1)), value]] : [],
    ),
  );
}

/** Keys contain a digest of each id; values are sealed. */
export function createLogoutTransactions({ redis, keyPrefix, keys }: SamlRedisDeps): LogoutTransactions {
  const keyOf = (id: string): string => samlLogoutKey.build(keyPrefix, digest(id));
  const requestKey = (requestId: string): string => samlLogoutRequestKey.build(keyPrefix, digest(requestId));
  const note = defineScript(redis, noteLogoutResult);
  const count = defineScript(redis, countInLogout);
  const seal = (value: object, key: string): string => keys.seal(JSON.stringify(value), key).toString("base64");
  const opened = (sealed: string | null | undefined, key: string): unknown => {
    const plain = typeof sealed === "string" ? keys.open(Buffer.from(sealed, "base64"), key) : undefined;
    return plain === undefined ? undefined : JSON.parse(plain.toString("utf8"));
  };
  const counted = async (id: string, field: string): Promise<number> =>
    Number(await count({ transactionKey: keyOf(id) }, { field }));
  return {
    save: (transaction) =>
      decided(async () => {
        const id = randomBytes(32).toString("base64url");
        const key = keyOf(id);
        const sealed = seal(transaction, key);
        const written = await redis.multi().hset(key, "plan", sealed).expire(key, samlLogoutKey.ttlSeconds).exec();
        if (written === null || written.some(([error]) => error !== null))
          throw new Error("the logout transaction could not be written");
        return id;
      }),
    find: (id) =>
      decided(async () => {
        const fields = await redis.hgetall(keyOf(id));
        const transaction = opened(fields["plan"], keyOf(id));
        return Value.Check(Plan, transaction) ? { transaction, results: resultsIn(fields) } : undefined;
      }),
    note: (id, place, result) =>
      decided(async () => void (await note({ transactionKey: keyOf(id) }, { field: `r${place}`, result }))),
    isFirstAtEnd: (id) => decided(async () => (await counted(id, "end")) === 1),
    ask: (requestId, request) =>
      decided(async () => {
        const times = await counted(request.journeyId, `n${request.index}`);
        if (times < 1 || times > maxRequests) return false;
        const key = requestKey(requestId);
        await redis.set(key, seal(request, key), "EX", samlLogoutRequestKey.ttlSeconds);
        return true;
      }),
    takeRequest: (requestId, entityId) =>
      decided(async () => {
        const key = requestKey(requestId);
        const request = opened(await redis.get(key), key);
        if (!Value.Check(OutgoingRequestShape, request) || request.entityId !== entityId) return undefined;
        return (await redis.del(key)) === 1 ? request : undefined;
      }),
  };
}
