import { createDecisionRecorder, type DecisionBatch, type WriteHistory } from "@postern/shared/domain/history";
import { endsWithin } from "@postern/shared/platform/concurrency";

const flushMs = 1000;
const closeMs = 3000;

/** Engines count the decisions per minute; a second factor is not another sign-in. */
function withoutTraffic(batch: DecisionBatch): DecisionBatch {
  return { ...batch, traffic: [], failingNetworks: [] };
}

/**
 * Gathers steps of sign-ins and writes them once a second. Browser sign-ins are few, so no thread is needed.
 * @param onLost of decisions of which no record was written.
 */
export function createSignInHistory(write: WriteHistory, nowMs: () => number, onLost: (count: number) => void) {
  const recorder = createDecisionRecorder();
  let busy: Promise<void> | undefined;
  const send = async (batch: DecisionBatch): Promise<void> => {
    const lost = await write(withoutTraffic(batch), nowMs()).catch(() => batch.runs.length);
    if (lost > 0) onLost(lost);
    busy = undefined;
  };
  const flush = (isLast = false): Promise<void> | undefined => {
    const dropped = recorder.takeDropped();
    if (dropped > 0) onLost(dropped);
    if (busy !== undefined) return busy;
    const batch = recorder.take(nowMs(), isLast);
    if (batch !== undefined) busy = send(batch);
    return busy;
  };
  const timer = setInterval(() => void flush(), flushMs);
  timer.unref();
  return {
    /** Takes a record, which is written later. */
    note: recorder.note,
    /** Writes the collected records, for at most three seconds. */
    close: async (): Promise<void> => {
      clearInterval(timer);
      await endsWithin(
        Promise.resolve(busy).then(() => flush(true)),
        closeMs,
      );
    },
  };
}

/** The part of the decision history that only the identity provider knows: second factors, and steps that no engine decided. */
export type SignInHistory = ReturnType<typeof createSignInHistory>;
