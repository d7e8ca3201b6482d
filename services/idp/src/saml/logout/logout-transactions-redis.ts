import { randomBytes } from "node:crypto";
import {
  defineScript,
  samlLogoutKey,
  samlLogoutRequestKey,
  samlWaitingLogoutKey,
} from "@postern/shared/platform/redis";
import { Type } from "typebox";
import type { Stored } from "../../redis/stored.ts";
import { channels } from "../saml-metrics.ts";
import { ParticipantSchema } from "../state/participants-redis.ts";
import { createWaitingRecords, decided, digest, opened, type SamlRedisDeps, sealed } from "../state/saml-redis.ts";
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

/** The stored form of an end at the service provider that started the logout, which receives our response. */
const ProviderEnd = Type.Object({
  to: Type.Literal("provider"),
  entityId: text,
  inResponseTo: text,
  relayState: Type.Optional(text),
  binding: Type.Enum(["redirect", "post"]),
});

const Service = Type.Object({ ...ParticipantSchema.properties, channel: Type.Enum([...channels]) });
const End = Type.Union([Type.Object({ to: Type.Literal("place"), place: text }), ProviderEnd]);

/** `deadlineMs`: in milliseconds since the epoch. */
const Plan = Type.Object({ deadlineMs: Type.Number(), services: Type.Array(Service), end: End });

const Outgoing = Type.Object({
  journeyId: text,
  /** Index of the service provider in the logout transaction. */
  index: Type.Integer(),
  entityId: text,
  /** Whether it was sent in a frame of the waiting page rather than as a page. */
  isFramed: Type.Boolean(),
});

/** A logout whose service providers are notified while the browser waits. */
export type LogoutTransaction = Stored<typeof Plan>;
export type LogoutTransactionService = Stored<typeof Service>;
/** Where the browser is redirected when all service providers were notified, or after the timeout. */
export type LogoutTransactionEnd = Stored<typeof End>;
/** One of our logout requests that was sent through a browser. */
export type OutgoingRequest = Stored<typeof Outgoing>;
export type ServiceResult = "done" | "refused";

/** The first request, and further ones after a reload or when the user retries. */
const maxRequests = 5;

/** The key is the index in the logout transaction. */
function resultsIn(fields: Readonly<Record<string, string>>): ReadonlyMap<number, ServiceResult> {
  return new Map(
    Object.entries(fields).flatMap(([field, value]): [number, ServiceResult][] =>
      field.startsWith("r") && (value === "done" || value === "refused") ? [[Number(field.slice(1)), value]] : [],
    ),
  );
}

/**
 * All logout transactions. Keys contain a digest of each id; values are sealed. Every method throws AppError
 * `REDIS_UNAVAILABLE` if Redis cannot answer.
 */
export function createLogoutTransactions({ redis, keyPrefix, keys }: SamlRedisDeps) {
  const keyOf = (id: string): string => samlLogoutKey.build(keyPrefix, digest(id));
  const requestKey = (requestId: string): string => samlLogoutRequestKey.build(keyPrefix, digest(requestId));
  const noteScript = defineScript(redis, noteLogoutResult);
  const count = defineScript(redis, countInLogout);
  const counted = async (id: string, field: string): Promise<number> =>
    Number(await count({ transactionKey: keyOf(id) }, { field }));
  return {
    /** @returns its id, a secret that only the browser knows */
    save: (transaction: LogoutTransaction): Promise<string> =>
      decided(async () => {
        const id = randomBytes(32).toString("base64url");
        const key = keyOf(id);
        const plan = sealed(keys, transaction, key);
        const written = await redis.multi().hset(key, "plan", plan).expire(key, samlLogoutKey.ttlSeconds).exec();
        if (written === null || written.some(([error]) => error !== null))
          throw new Error("the logout transaction could not be written");
        return id;
      }),
    find: (id: string) =>
      decided(async () => {
        const fields = await redis.hgetall(keyOf(id));
        const transaction: LogoutTransaction | undefined = opened(keys, Plan, {
          stored: fields["plan"],
          key: keyOf(id),
        });
        return transaction && { transaction, results: resultsIn(fields) };
      }),
    /** Records the result of a service provider; `done` replaces an earlier result. */
    note: (id: string, index: number, result: ServiceResult): Promise<void> =>
      decided(async () => void (await noteScript({ transactionKey: keyOf(id) }, { field: `r${index}`, result }))),
    /** @returns true for the first caller after the end of the logout transaction */
    isFirstAtEnd: (id: string): Promise<boolean> => decided(async () => (await counted(id, "end")) === 1),
    /**
     * Records an outgoing request. @returns false if the service provider was notified too often or the transaction is
     * over
     */
    ask: (requestId: string, request: OutgoingRequest): Promise<boolean> =>
      decided(async () => {
        const times = await counted(request.journeyId, `n${request.index}`);
        if (times < 1 || times > maxRequests) return false;
        const key = requestKey(requestId);
        await redis.set(key, sealed(keys, request, key), "EX", samlLogoutRequestKey.ttlSeconds);
        return true;
      }),
    /** Takes the request that the sender's response answers; each can be taken once. */
    takeRequest: (requestId: string, entityId: string): Promise<OutgoingRequest | undefined> =>
      decided(async () => {
        const key = requestKey(requestId);
        const request = opened(keys, Outgoing, { stored: await redis.get(key), key });
        if (request === undefined || request.entityId !== entityId) return undefined;
        return (await redis.del(key)) === 1 ? request : undefined;
      }),
  };
}

export type LogoutTransactions = ReturnType<typeof createLogoutTransactions>;

const Named = Type.Object({ end: ProviderEnd, nameId: Type.String(), sessionIndexes: Type.Array(Type.String()) });

/** A verified LogoutRequest of a service provider; its end says how to respond. */
export type NamedLogout = Stored<typeof Named>;

/** Verified logout requests that another site has posted. They wait for a request of the same browser that has its cookies. */
export const createWaitingLogouts = (deps: SamlRedisDeps) => createWaitingRecords(deps, samlWaitingLogoutKey, Named);
