import type { SessionEnd, SessionEnds } from "@postern/shared/domain/regions";
import type { BrowserSessionRecord } from "../sessions/browser-session.ts";
import type { SessionStore } from "../sessions/session-store-redis.ts";

interface EndOrderedDeps {
  readonly ends: Pick<SessionEnds, "list" | "done">;
  readonly sessions: Pick<SessionStore, "listAll" | "end">;
  /** Ends what applications obtained through it. */
  readonly onEnded: (session: BrowserSessionRecord) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * Ends the sessions that other regions have ended; those that began later stay. Another replica may do the same at this time. What fails is
 * tried again with the next call.
 */
export function createEndOrdered({ ends, sessions, onEnded, onError }: EndOrderedDeps): () => Promise<void> {
  const endOne = async (order: SessionEnd): Promise<void> => {
    const { account, untilMs } = order;
    const begun = (await sessions.listAll(account)).filter(({ iat }) => iat * 1000 <= untilMs);
    for (const { uid } of begun) {
      const ended = await sessions.end(uid);
      if (ended !== undefined) await onEnded(ended);
    }
    await ends.done(order);
  };
  let running: Promise<void> | undefined;
  let hasFailed = false;
  const endAll = async (): Promise<void> => {
    const failures: unknown[] = [];
    const failed = (error: unknown): void => void failures.push(error);
    const orders = (await ends.list().catch(failed)) ?? [];
    // One that fails does not hold up those behind it.
    for (const order of orders) await endOne(order).catch(failed);
    // Once for an outage.
    if (failures.length > 0 && !hasFailed) onError(failures[0]);
    hasFailed = failures.length > 0;
  };
  return async () => {
    // What arrives meanwhile may be missing from the list that is being worked on.
    await running;
    running ??= endAll().finally(() => (running = undefined));
    await running;
  };
}
