import { setTimeout as wait } from "node:timers/promises";
import { type Base, rehearsalsFromConfig } from "@postern/shared/assembly";
import type { beginRehearsal, Reply, Request } from "@postern/shared/contracts";
import type { RehearsalRecord, Rehearsals } from "@postern/shared/domain/rehearsals";
import type { Config } from "@postern/shared/platform/config";
import { AppError } from "@postern/shared/platform/errors";
import type { Logger } from "@postern/shared/platform/logging";
import { decidedInRedis, type RedisClient } from "@postern/shared/platform/redis";
import { steadyClock, systemClock } from "@postern/shared/platform/time";
import { type RehearsalThread, startRehearsalThread } from "./rehearsal-thread.ts";

/** Cancelled within this time. */
const writeMs = 1000;
/** After this time without Redis, the site takes the rehearsal for lost, and may begin another one. */
const silenceMs = 10_000;
/** A larger history is read in part. */
const longestMs = 3_600_000;

type Begun = Pick<RehearsalRecord, "by" | "startedMs" | "sinceMs">;

const inRedis = decidedInRedis("the rehearsal cannot be begun");

function runningRecord(begun: Begun, thread: RehearsalThread, elapsedMs: number): RehearsalRecord {
  const { done, signIns } = thread.progress();
  const remaining = done > 0 && done < 1 ? { remainingMs: (elapsedMs / done) * (1 - done) } : {};
  return { ...begun, state: "running", done, signIns, ...remaining, problems: [] };
}

async function resultRecord(begun: Begun, thread: RehearsalThread): Promise<RehearsalRecord> {
  const [{ result }, { done, signIns }] = [await thread.result, thread.progress()];
  const outcome =
    result.state === "done" ? { report: result.report, problems: [] } : { problems: [...result.problems] };
  return { ...begun, done, signIns, state: result.state, ...outcome };
}

interface Watched {
  readonly store: Rehearsals;
  readonly id: string;
  readonly begun: Begun;
  readonly thread: RehearsalThread;
  readonly logger: Logger;
  /** Whether the engine ends. */
  readonly isClosed: () => boolean;
}

/** Until Redis takes it, or takes the rehearsal for lost. */
async function writeResult({ store, id, logger, isClosed }: Watched, record: RehearsalRecord): Promise<void> {
  const untilMs = steadyClock.now() + silenceMs;
  for (;;) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
      await store.write(id, record);
      return;
    } catch (err) {
      if (isClosed() || steadyClock.now() >= untilMs) {
        logger.warn({ err }, "the result of a rehearsal could not be written");
        return;
      }
      // oxlint-disable-next-line no-await-in-loop
      await wait(writeMs);
    }
  }
}

/** Writes how far a thread is, until it has a result. Stops it if the result is not wanted any more. */
async function follow({ store, id, begun, thread }: Watched, startedMs: number): Promise<void> {
  const isOver = thread.result.then(() => true);
  let writtenMs = startedMs;
  // oxlint-disable-next-line no-await-in-loop -- once a second
  while (!(await Promise.race([isOver, wait(writeMs, false)]))) {
    const nowMs = steadyClock.now();
    let isWanted = nowMs - startedMs <= longestMs;
    try {
      // oxlint-disable-next-line no-await-in-loop
      isWanted &&= await store.write(id, runningRecord(begun, thread, nowMs - startedMs));
      writtenMs = nowMs;
    } catch {
      isWanted &&= nowMs - writtenMs < silenceMs;
    }
    if (!isWanted) thread.stop();
  }
}

async function watch(watched: Watched): Promise<void> {
  const { begun, thread, logger } = watched;
  const startedMs = steadyClock.now();
  await follow(watched, startedMs);
  const record = await resultRecord(begun, thread);
  const { error } = await thread.result;
  const { state, signIns } = record;
  const about = { state, sign_ins: signIns, seconds: Math.round((steadyClock.now() - startedMs) / 1000) };
  if (error === undefined) logger.info(about, "a rehearsal has ended");
  else logger.warn({ ...about, err: error }, "a rehearsal failed");
  await writeResult(watched, record);
}

/** Rehearsals that this engine runs: one at a time, in a thread, with their state in Redis. */
export function createEngineRehearsals(config: Config, { logger, configuration }: Base, redis: RedisClient) {
  /** Undefined while no history is recorded. */
  const store = rehearsalsFromConfig(config, redis);
  let running: { readonly thread: RehearsalThread; readonly ended: Promise<void> } | undefined;
  let isClosed = false;
  return {
    begin: async (request: Request<typeof beginRehearsal>): Promise<Reply<typeof beginRehearsal>> => {
      const { id, by, configuration: text, sinceMs } = request;
      if (store === undefined) return { outcome: "no_history" };
      if (isClosed) throw new AppError("SHUTTING_DOWN");
      if (running !== undefined) return { outcome: "busy" };
      const begun = { by, startedMs: systemClock.now(), sinceMs };
      const first: RehearsalRecord = { ...begun, state: "running", done: 0, signIns: 0, problems: [] };
      if (!(await inRedis(() => store.begin(id, first)))) return { outcome: "busy" };
      const thread = startRehearsalThread({ config: configuration.current(), text, sinceMs });
      const ended = watch({ store, id, begun, thread, logger, isClosed: () => isClosed }).finally(() => {
        running = undefined;
      });
      running = { thread, ended };
      if (isClosed) thread.end();
      return { outcome: "begun" };
    },
    /** The rehearsal fails, and the site knows why. */
    close: async (): Promise<void> => {
      isClosed = true;
      running?.thread.end();
      await running?.ended;
    },
  };
}
