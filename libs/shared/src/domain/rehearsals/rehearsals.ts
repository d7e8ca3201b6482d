import { type Static, Type } from "typebox";
import { RehearsalReport } from "../../contracts/index.ts";
import { compileCheck } from "../../platform/bus/schema-check.ts";
import type { KeyRing } from "../../platform/crypto/key-ring.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { rehearsalKey } from "../../platform/redis/keys/counts.ts";
import { defineScript } from "../../platform/redis/script.ts";
import { openRecord, sealRecord } from "../history/store.ts";
import beginLua from "./scripts/begin-rehearsal.lua?raw";
import cancelLua from "./scripts/cancel-rehearsal.lua?raw";
import writeLua from "./scripts/write-rehearsal.lua?raw";

/** Engines write every second. One that has written nothing for so long has ended. */
const silenceMs = 15_000;

/** What an engine knows of a rehearsal. It contains names of accounts, and no part of the configuration. */
const RehearsalRecord = Type.Object({
  /** `refused`: the configuration has problems. `failed`: it could not be finished; `problems` say why. */
  state: Type.Enum(["running", "done", "cancelled", "refused", "failed"]),
  /** The operator who started it. */
  by: Type.String(),
  startedMs: Type.Number(),
  /** Of the sign-ins; 0 for all. */
  sinceMs: Type.Number(),
  /** Share of the history that has been read, 0 to 1. */
  done: Type.Number({ minimum: 0, maximum: 1 }),
  signIns: Type.Number(),
  remainingMs: Type.Optional(Type.Number()),
  problems: Type.Array(Type.String()),
  report: Type.Optional(RehearsalReport),
});
export type RehearsalRecord = Static<typeof RehearsalRecord>;

const check = compileCheck(RehearsalRecord);

/** The rehearsal of a site. All methods reject when Redis does not answer. */
export function createRehearsals(redis: RedisClient, keyPrefix: string, keys: KeyRing) {
  const key = rehearsalKey.build(keyPrefix);
  const { ttlSeconds: lifeSeconds } = rehearsalKey;
  const runs = { keys: ["rehearsalKey"] } as const;
  const begin = defineScript(redis, {
    ...runs,
    name: "beginRehearsal",
    lua: beginLua,
    args: ["id", "run", "lifeSeconds", "silenceMs"],
  });
  const write = defineScript(redis, {
    ...runs,
    name: "writeRehearsal",
    lua: writeLua,
    args: ["id", "run", "lifeSeconds", "isOver"],
  });
  const cancel = defineScript(redis, { ...runs, name: "cancelRehearsal", lua: cancelLua, args: [] });
  const at = { rehearsalKey: key };
  return {
    /** False if another one runs. */
    begin: async (id: string, record: RehearsalRecord): Promise<boolean> =>
      (await begin(at, { id, run: sealRecord(keys, key, record), lifeSeconds, silenceMs })) === 1,
    /** Whether the rehearsal is to go on. */
    write: async (id: string, record: RehearsalRecord): Promise<boolean> => {
      const isOver = record.state === "running" ? 0 : 1;
      return (await write(at, { id, run: sealRecord(keys, key, record), lifeSeconds, isOver })) === "on";
    },
    /** False if none runs. */
    cancel: async (): Promise<boolean> => (await cancel(at, {})) === 1,
    /** The rehearsal that runs, or the last one; undefined without any. `isLost`: its engine has ended. */
    read: async () => {
      const [[run, over, writtenMs, cancelled], [seconds, micros]] = await Promise.all([
        redis.hmget(key, "run", "over", "written_ms", "cancelled"),
        redis.time(),
      ]);
      const record = openRecord(keys, key, run ?? "");
      if (!check.accepts(record)) return undefined;
      const nowMs = Number(seconds) * 1000 + Number(micros) / 1000;
      return {
        record,
        isLost: over === "0" && nowMs - Number(writtenMs) >= silenceMs,
        isCancelled: cancelled === "1",
      };
    },
  };
}

export type Rehearsals = ReturnType<typeof createRehearsals>;
