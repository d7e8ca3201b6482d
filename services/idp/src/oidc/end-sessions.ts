import type { BrowserSessionRecord } from "../sessions/browser-session-port.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import type { ClientPolicies } from "./clients.ts";
import type { LogoutNotice, LogoutNotices } from "./logout-notices.ts";
import type { OidcStore } from "./store.ts";
import type { TokenRecords } from "./token-records.ts";

/** The end of sign-ins: tokens die, and clients are told. All reject when that could not be done; repeating is safe. */
export interface EndSessions {
  /** What follows a session that has ended already. */
  ended(session: BrowserSessionRecord): Promise<void>;
  /** Everything of a user: browsers, devices, tokens of every form. */
  endUser(accountId: string): Promise<void>;
  /** What a client got for itself. */
  endClient(clientId: string): Promise<void>;
}

export interface EndSessionsDeps {
  readonly sessions: Pick<SessionStore, "endAll">;
  readonly records: Pick<TokenRecords, "revokeSession" | "revokeSubject">;
  readonly store: Pick<OidcStore, "list">;
  readonly notices: Pick<LogoutNotices, "add">;
  readonly policies: () => ClientPolicies;
  /** Of `identity.oidc.logout.back_channel_supported`. */
  readonly tellsClients: () => boolean;
  readonly wake: () => void;
  /** A session of `endUser`: other protocols tell those who know of it. */
  readonly onClosed: (session: BrowserSessionRecord) => Promise<void>;
}

function noticesOf({ accountId, authorizations }: BrowserSessionRecord): readonly LogoutNotice[] {
  return Object.entries(authorizations).map(([clientId, { sid }]) => ({ clientId, sub: accountId, sid }));
}

export function createEndSessions(deps: EndSessionsDeps): EndSessions {
  const { sessions, records, store, notices, policies, tellsClients, wake, onClosed } = deps;
  const tell = async (all: readonly LogoutNotice[]): Promise<void> => {
    const wanted = all.filter(({ clientId }) => (policies().get(clientId)?.config.backchannel_logout_uri ?? "") !== "");
    if (!tellsClients() || wanted.length === 0) return;
    await notices.add(wanted);
    wake();
  };
  const ended = async (session: BrowserSessionRecord): Promise<void> => {
    await Promise.all([records.revokeSession(session), tell(noticesOf(session))]);
  };
  return {
    ended,
    endClient: (clientId) => records.revokeSubject({ kind: "client", id: clientId }),
    endUser: async (accountId) => {
      const held = await store.list("account", accountId);
      // Browsers first: what is authorized meanwhile then finds no session and gets nothing.
      const closed = await sessions.endAll(accountId);
      await records.revokeSubject({ kind: "user", id: accountId });
      const told = closed.flatMap(noticesOf);
      const known = new Set(told.map(({ clientId }) => clientId));
      const others = new Set(
        held.flatMap(({ payload: { clientId, accountId: owner } }) =>
          clientId === undefined || owner === undefined || known.has(clientId) ? [] : [clientId],
        ),
      );
      await tell([...told, ...[...others].map((clientId) => ({ clientId, sub: accountId }))]);
      for (const session of closed) await onClosed(session);
    },
  };
}
