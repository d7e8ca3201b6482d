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
  const endAll = async (): Promise<void> => {
    try {
      for (const order of await ends.list()) await endOne(order);
    } catch (error) {
      onError(error);
    }
  };
  return async () => {
    // What arrives meanwhile may be missing from the list that is being worked on.
    await running;
    running ??= endAll().finally(() => (running = undefined));
    await running;
  };
}
