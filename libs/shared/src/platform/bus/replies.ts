import type { Clock } from "../time/clock.ts";
import { createBatcher } from "./batcher.ts";
import { encodeFrames, type Frame } from "./frames.ts";
import { repliesSubject } from "./inbox.ts";
import type { Link } from "./link.ts";
import type { BusMetrics } from "./metrics.ts";

/** Number of replies kept while disconnected: about what one service answers in a second. */
const maxHeld = 16_384;

export type ReplySender = ReturnType<typeof createReplySender>;

/** Combines the replies of one tick per inbox. While disconnected it keeps them until their deadlines. */
export function createReplySender(link: Link, clock: Clock, metrics: BusMetrics) {
  let held: { readonly subject: string; readonly reply: Frame }[] = [];

  const hold = (subject: string, replies: readonly Frame[]): void => {
    for (const reply of replies) {
      if (held.length < maxHeld) held.push({ subject, reply });
      else metrics.counted("late_reply");
    }
  };

  const batcher = createBatcher<Frame>({
    maxMessageBytes: link.maxPayload,
    send(subject, replies) {
      if (!link.isConnected()) {
        hold(subject, replies);
        return;
      }
      try {
        link.publish(subject, encodeFrames(replies));
      } catch {
        // The connection was closed concurrently, or a new server accepts smaller messages than the one the reply was measured for.
        for (let lost = 0; lost < replies.length; lost += 1) metrics.counted("late_reply");
      }
    },
  });

  link.onStatus((status) => {
    if (status !== "connected") return;
    const waiting = held;
    held = [];
    const nowMs = clock.now();
    for (const { subject, reply } of waiting) {
      if (reply.deadlineMs > nowMs) batcher.add(subject, reply);
      else metrics.counted("late_reply");
    }
  });

  return {
    send: (inbox: string, reply: Frame): void => batcher.add(repliesSubject(inbox), reply),
    flush: batcher.flush,
  };
}
