import type { BrowserSessionRecord } from "./browser-session.ts";
import type { SessionStore } from "./session-store-redis.ts";

type Ended = (session: BrowserSessionRecord) => Promise<void>;
type Leave = (session: BrowserSessionRecord, place: string, headStartMs?: number) => Promise<string>;

/**
 * Ends a browser session for all its applications, whatever the protocol.
 * @param oidc revokes tokens and notifies OIDC clients; absent if OIDC is off.
 * @param saml notifies service providers; its `leave` includes what `oidc` does. Absent if SAML is off.
 */
export function createSingleLogout(
  sessions: Pick<SessionStore, "end">,
  oidc: { readonly ended: Ended } | undefined,
  saml: { readonly leave: Leave; readonly sessionEnded: Ended } | undefined,
) {
  return {
    /**
     * The session's browser requests the logout and is then redirected to `place`. @returns its first redirect
     * `headStartMs`: how long the browser stays on another page before it follows the redirect.
     */
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
