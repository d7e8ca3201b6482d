import { historyWriterFromConfig } from "@postern/shared/assembly";
import { createDecisionRecorder, type DecisionBatch, type WriteHistory } from "@postern/shared/domain/history";
import { endsWithin } from "@postern/shared/platform/concurrency";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";

const flushMs = 1000;
/** The last batch may need a connection. */
const closeMs = 3000;

/** One batch at a time: while Redis is slow, the recorder gathers up to its bound. */
function createFlush(write: WriteHistory, onLost: (count: number) => void) {
  const recorder = createDecisionRecorder();
  let busy: Promise<void> | undefined;
  const send = async (batch: DecisionBatch): Promise<void> => {
    const lost = await write(batch, systemClock.now()).catch(() => batch.runs.length);
    if (lost > 0) onLost(lost);
    busy = undefined;
  };
  const flush = (isLast = false): Promise<void> | undefined => {
    const dropped = recorder.takeDropped();
    if (dropped > 0) onLost(dropped);
    if (busy !== undefined) return busy;
    const batch = recorder.take(systemClock.now(), isLast);
    if (batch !== undefined) busy = send(batch);
    return busy;
  };
  return { record: recorder.note, flush, last: () => Promise.resolve(busy).then(() => flush(true)) };
}

/**
 * Records decisions after they were answered. Undefined while no history is recorded.
 *
 * @param redis of the role `state`.
 * @param onLost counts decisions of which no record was written.
 */
export function createEngineHistory(
  config: Config,
  redis: RedisClient | undefined,
  instance: string,
  onLost: (count: number) => void,
) {
  const write = redis && historyWriterFromConfig(config, redis, instance);
  if (write === undefined) return undefined;
  const { record, flush, last } = createFlush(write, onLost);
  const timer = setInterval(() => void flush(), flushMs);
  timer.unref();
  return {
    record,
    /** Writes what was gathered. */
    close: async (): Promise<void> => {
      clearInterval(timer);
      await endsWithin(last(), closeMs);
    },
  };
}

export type EngineHistory = NonNullable<ReturnType<typeof createEngineHistory>>;
