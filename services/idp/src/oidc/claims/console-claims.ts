import type { BrowserSessions } from "../../sessions/session-store-redis.ts";

/**
 * What only the console receives: under which record the second factor is kept with which the session began; empty if it began without,
 * or has ended. Nothing for other clients.
 */
export type ConsoleClaims = (
  clientId: string,
  sessionUid: string | undefined,
) => Promise<{ readonly second_factor?: string }>;

/** `consoleClientId`: `runtime.console.client_id`; empty without a console */
export function createConsoleClaims(
  consoleClientId: string,
  sessions: Pick<BrowserSessions, "findByUid">,
): ConsoleClaims {
  return async (clientId, sessionUid) => {
    if (consoleClientId === "" || clientId !== consoleClientId) return {};
    const session = sessionUid === undefined ? undefined : await sessions.findByUid(sessionUid);
    return { second_factor: session?.factor?.id ?? "" };
  };
}
