import type { BrowserSessionListed } from "@postern/shared/contracts";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import type { ListedSession, SessionStore } from "../../sessions/session-store-redis.ts";
import type { Ending } from "./session-list.ts";

function shown({ uid, origin, loginTs, lastSeenMs, mfaTs, authorizations }: ListedSession): BrowserSessionListed {
  return {
    id: uid,
    client_ip: origin?.clientIp ?? "",
    user_agent: origin?.userAgent ?? "",
    auth_time: new Date(loginTs * 1000).toISOString(),
    last_seen: new Date(lastSeenMs).toISOString(),
    mfa_completed: mfaTs !== undefined,
    client_ids: Object.keys(authorizations),
  };
}

/**
 * The browser sessions of a user, for operators. All methods reject when the store is unavailable.
 * @param onClosed notifies the applications of other protocols.
 */
export function createBrowserSessionList(
  sessions: Pick<SessionStore, "list" | "accountOf" | "end">,
  endSessions: { ended(session: BrowserSessionRecord): Promise<void> },
  onClosed: (session: BrowserSessionRecord) => Promise<void>,
) {
  const ofAll = async (accounts: readonly string[]): Promise<readonly ListedSession[]> =>
    (await Promise.all(accounts.map((account) => sessions.list(account)))).flat();
  return {
    list: async (accounts: readonly string[]): Promise<readonly BrowserSessionListed[]> =>
      (await ofAll(accounts)).map(shown),
    /** Ends one session and the tokens of its clients, if it is of one of these accounts. */
    end: async (accounts: readonly string[], id: string): Promise<Ending> => {
      // Not from the list, which has only the newest.
      const account = await sessions.accountOf(id);
      if (account === undefined) return "unknown";
      if (!accounts.includes(account)) return "not_theirs";
      const ended = await sessions.end(id);
      if (ended === undefined) return "unknown";
      await endSessions.ended(ended);
      await onClosed(ended);
      return "ended";
    },
  };
}
