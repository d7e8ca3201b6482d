import type { BrowserSessionRecord } from "../sessions/browser-session-port.ts";
import type { SessionStore } from "../sessions/session-store.ts";

/** The end of a browser session for everybody who knows of it, whatever the protocol. */
export interface SingleLogout {
  /** The session's browser asks for it and goes to `place` then. @returns where it goes first */
  leave(session: BrowserSessionRecord, place: string): Promise<string>;
  /** The session has ended already, and its browser is not there. */
  ended(session: BrowserSessionRecord): Promise<void>;
}

export interface SingleLogoutDeps {
  readonly sessions: Pick<SessionStore, "end">;
  /** Tokens die and OIDC clients are told; absent while OIDC is off. */
  readonly oidc: Pick<SingleLogout, "ended"> | undefined;
  /** Service providers are told, and what `oidc` does is done too in `leave`; absent while SAML is off. */
  readonly saml:
    | {
        readonly leave: SingleLogout["leave"];
        readonly sessionEnded: SingleLogout["ended"];
      }
    | undefined;
}

export function createSingleLogout({ sessions, oidc, saml }: SingleLogoutDeps): SingleLogout {
  return {
    leave: async (session, place) => {
      if (saml !== undefined) return saml.leave(session, place);
      const ended = await sessions.end(session.uid);
      if (ended !== undefined) await oidc?.ended(ended);
      return place;
    },
    ended: async (session) => {
      await oidc?.ended(session);
      await saml?.sessionEnded(session);
    },
  };
}
