import type { BrowserSessionRecord } from "../sessions/browser-session-port.ts";
import type { SessionStore } from "../sessions/session-store.ts";

export interface SingleLogoutDeps {
  readonly sessions: Pick<SessionStore, "end">;
  /** Revokes tokens and notifies OIDC clients; absent if OIDC is off. */
  readonly oidc: Pick<SingleLogout, "ended"> | undefined;
  /** Notifies service providers; its `leave` includes what `oidc` does. Absent if SAML is off. */
  readonly saml:
    | {
        readonly leave: SingleLogout["leave"];
        readonly sessionEnded: SingleLogout["ended"];
      }
    | undefined;
}

/** Ends a browser session for all its applications, whatever the protocol. */
export function createSingleLogout({ sessions, oidc, saml }: SingleLogoutDeps) {
  return {
    /** The session's browser requests the logout and is then redirected to `place`. @returns its first redirect */
    /** `headStartMs`: how long the browser stays on another page before it follows the redirect. */
    leave: async (session: BrowserSessionRecord, place: string, headStartMs?: number): Promise<string> => {
      if (saml !== undefined) return saml.leave(session, place, headStartMs);
      const ended = await sessions.end(session.uid);
      if (ended !== undefined) await oidc?.ended(ended);
      return place;
    },
    /** The session has already ended, without its browser. */
    ended: async (session: BrowserSessionRecord): Promise<void> => {
      await oidc?.ended(session);
      await saml?.sessionEnded(session);
    },
  };
}

export type SingleLogout = ReturnType<typeof createSingleLogout>;
