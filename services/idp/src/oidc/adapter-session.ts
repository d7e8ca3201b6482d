import { type Adapter, type AdapterPayload, errors } from "oidc-provider";
import type { BrowserSessionRecord, BrowserSessions, SessionAuthorization } from "../sessions/browser-session-port.ts";
import { isRecord, textOf } from "./json.ts";

function viewOf(record: BrowserSessionRecord | undefined): AdapterPayload | undefined {
  if (record === undefined) return undefined;
  const { uid, sid, accountId, loginTs, acr, amr, remember, iat, exp, authorizations, oidcState } = record;
  return {
    kind: "Session",
    jti: sid,
    uid,
    accountId,
    loginTs,
    ...(acr !== undefined && { acr }),
    ...(amr !== undefined && { amr: [...amr] }),
    ...(remember ? undefined : { transient: true }),
    ...(oidcState !== undefined && { state: { ...oidcState } }),
    authorizations: structuredClone(authorizations),
    iat,
    exp,
  };
}

function authorizationsOf(value: unknown): Readonly<Record<string, SessionAuthorization>> | undefined {
  if (!isRecord(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).flatMap(([clientId, told]) => {
      if (!isRecord(told)) return [];
      const [sid, grantId] = [textOf(told["sid"]), textOf(told["grantId"])];
      if (sid === undefined) return [];
      const authorization: SessionAuthorization = {
        sid,
        ...(grantId !== undefined && { grantId }),
      };
      return [[clientId, authorization]];
    }),
  );
}

export interface SessionAdapterDeps {
  readonly sessions: BrowserSessions;
  /** Revokes what clients of a session hold. */
  readonly revokeSession: (session: Pick<BrowserSessionRecord, "authorizations">) => Promise<void>;
}

/**
 * Our browser session seen as the provider's: it reads who is signed in, and writes what clients it knows. A request
 * under way when the session was ended gets nothing: what it was granted meanwhile is revoked.
 */
export function createSessionAdapter({ sessions, revokeSession }: SessionAdapterDeps): Adapter {
  return {
    find: async (sid) => viewOf(await sessions.findBySid(sid)),
    findByUid: async (uid) => viewOf(await sessions.findByUid(uid)),
    upsert: async (sid, payload) => {
      const { uid, accountId, authorizations } = payload;
      // Nobody is signed in: there is nothing to keep.
      if (uid === undefined || accountId === undefined) return;
      const oidcState: unknown = payload["state"];
      const known = authorizationsOf(authorizations);
      const lives = await sessions.merge(uid, {
        sid,
        ...(known !== undefined && { authorizations: known }),
        ...(isRecord(oidcState) && { oidcState }),
      });
      if (lives) return;
      await revokeSession({ authorizations: known ?? {} });
      throw new errors.AccessDenied("the session has ended");
    },
    destroy: (sid) => sessions.retire(sid),
    findByUserCode: async () => undefined,
    consume: async () => undefined,
    revokeByGrantId: async () => undefined,
  };
}
