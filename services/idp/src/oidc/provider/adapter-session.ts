import { type Adapter, type AdapterPayload, errors } from "oidc-provider";
import type { BrowserSessionRecord, SessionAuthorization } from "../../sessions/browser-session.ts";
import type { BrowserSessions } from "../../sessions/session-store-redis.ts";
import { isRecord, textOf } from "../storage/json.ts";
import type { RecordTimes } from "../storage/record-times.ts";

function viewOf(record: BrowserSessionRecord | undefined): AdapterPayload | undefined {
  if (record === undefined) return undefined;
  const {
    uid,
    sid,
    accountId,
    lacksSubject = false,
    loginTs,
    acr,
    amr,
    remember,
    iat,
    exp,
    authorizations,
    oidcState,
  } = record;
  return {
    kind: "Session",
    jti: sid,
    uid,
    // Clients see no signed-in user: the sign-in ends at `finishLogin`, which reports the reason.
    ...(!lacksSubject && { accountId }),
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
    Object.entries(value).flatMap(([clientId, entry]) => {
      if (!isRecord(entry)) return [];
      const [sid, grantId] = [textOf(entry["sid"]), textOf(entry["grantId"])];
      if (sid === undefined) return [];
      const authorization: SessionAuthorization = {
        sid,
        ...(grantId !== undefined && { grantId }),
      };
      return [[clientId, authorization]];
    }),
  );
}

/**
 * Presents our browser session as the provider's: the provider reads who is signed in and writes which clients use the
 * session. If the session ends during a request, the request is refused and what it was granted is revoked.
 * @param revokeSession revokes the tokens of a session's clients.
 */
export function createSessionAdapter(
  sessions: BrowserSessions,
  times: RecordTimes,
  revokeSession: (session: Pick<BrowserSessionRecord, "authorizations">) => Promise<void>,
): Adapter {
  const shown = (record: BrowserSessionRecord | undefined): AdapterPayload | undefined => {
    const view = viewOf(record);
    return view === undefined ? undefined : times.toOwn(view);
  };
  return {
    find: async (sid) => shown(await sessions.findBySid(sid)),
    findByUid: async (uid) => shown(await sessions.findByUid(uid)),
    upsert: async (sid, payload) => {
      const { uid, accountId, authorizations } = payload;
      // Without a signed-in user there is nothing to store.
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
