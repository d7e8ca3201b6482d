import { consumePushedRequest, readPushedRequest } from "@postern/shared/contracts";
import { type RegionCalls, tagOf } from "@postern/shared/domain/region-calls";
import { steadyClock, systemClock } from "@postern/shared/platform/time";
import { type Adapter, type AdapterFactory, type AdapterPayload, errors, Provider } from "oidc-provider";
import type { BrowserSessionRecord, SessionAuthorization } from "../../sessions/browser-session.ts";
import type { BrowserSessions } from "../../sessions/session-store-redis.ts";
import type { OidcParts, OidcState } from "../state/context.ts";
import { digestOfId, isRecord, textOf } from "../storage/models.ts";
import type { RecordTimes } from "../storage/record-times.ts";
import type { RecordRef } from "../storage/store-redis.ts";
import { tokenOrigin } from "../tokens/token-origin.ts";
import { withClientErrors } from "./authorize-failure.ts";

function viewOf(record: BrowserSessionRecord | undefined): AdapterPayload | undefined {
  if (record === undefined) return undefined;
  const { uid, loginTs, acr, amr, iat, exp, oidcState } = record;
  return {
    kind: "Session",
    jti: record.sid,
    uid,
    // Clients see no signed-in user: the sign-in ends at `finishLogin`, which reports the reason.
    ...(record.lacksSubject !== true && { accountId: record.accountId }),
    loginTs,
    ...(acr !== undefined && { acr }),
    ...(amr !== undefined && { amr: [...amr] }),
    ...(record.remember ? undefined : { transient: true }),
    ...(oidcState !== undefined && { state: { ...oidcState } }),
    authorizations: structuredClone(record.authorizations),
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
      return [[clientId, { sid, ...(grantId !== undefined && { grantId }) }]];
    }),
  );
}

/**
 * Presents our browser session as the provider's: the provider reads who is signed in and writes which clients use the
 * session. If the session ends during a request, the request is refused and what it was granted is revoked.
 * @param revokeSession revokes the tokens of a session's clients.
 */
function createSessionAdapter(
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

type AdapterState = Pick<OidcState, "store" | "times" | "records" | "keepGrant" | "accounts">;

const originated: ReadonlySet<string> = new Set(["AccessToken", "RefreshToken"]);

/** The refresh token that the current request replaces. */
function rotatedToken(): string | undefined {
  const rotated: unknown = Provider.ctx?.oidc.entities["RotatedRefreshToken"];
  return typeof rotated === "object" && rotated !== null && "jti" in rotated && typeof rotated.jti === "string"
    ? rotated.jti
    : undefined;
}

/** Parallel refreshes share one successor: the second stores nothing and returns the elected one. */
async function electSuccessor(id: string, { store }: AdapterState): Promise<boolean> {
  const rotated = rotatedToken();
  if (rotated === undefined) return true;
  const elected = await store.elect({ model: "RefreshToken", digest: digestOfId(rotated) }, id);
  const { ctx } = Provider;
  if (ctx !== undefined) ctx.state["electedRefreshToken"] = elected;
  return elected === id;
}

/**
 * Consumes a record that may be used once. A code that was used before revokes its tokens (RFC 6749 §4.1.2), even if both
 * uses are simultaneous: the provider itself notices only a use that was over when it read the code.
 */
async function consumeOnce(ref: RecordRef, { store, records }: AdapterState): Promise<void> {
  const result = await store.consume(ref);
  if (result === "consumed") return;
  const isReused = result === "used" && ref.model === "AuthorizationCode";
  const grantId = isReused ? (await store.find(ref))?.grantId : undefined;
  if (grantId !== undefined) await records.revokeGrant(grantId);
  throw new errors.InvalidGrant("already used");
}

/** A token's grant and account must not expire before it. */
async function keepOwners(model: string, payload: AdapterPayload, life: number, { accounts, keepGrant }: AdapterState) {
  if (model === "Grant" && payload.accountId !== undefined) await accounts.keep(payload.accountId);
  if (originated.has(model) && payload.grantId !== undefined) await keepGrant(payload.grantId, life);
}

function createModelAdapter(model: string, state: AdapterState): Adapter {
  const { store, times } = state;
  const own = (payload: AdapterPayload | undefined): AdapterPayload | undefined =>
    payload === undefined ? undefined : times.toOwn(payload);
  const refOf = (id: string): RecordRef => ({ model, digest: digestOfId(id) });
  return {
    upsert: async (id, payload, expiresIn) => {
      if (model === "ReplayDetection") {
        if (await store.unseen(id, expiresIn ?? 60)) return;
        // Only proofs: client assertions and request objects are checked before the provider.
        throw new errors.InvalidDpopProof("the DPoP proof was used before");
      }
      if (model === "RefreshToken" && !(await electSuccessor(id, state))) return;
      const origin = originated.has(model)
        ? await tokenOrigin((refreshed) => store.find({ model: "RefreshToken", digest: digestOfId(refreshed) }))
        : undefined;
      const life = expiresIn ?? 600;
      await keepOwners(model, payload, life, state);
      await store.put(refOf(id), times.toShared({ ...origin, ...payload }), life);
    },
    // `upsert` detects replays: two simultaneous requests would both find nothing here.
    find: async (id) => (model === "ReplayDetection" ? undefined : own(await store.find(refOf(id)))),
    findByUserCode: async (userCode) => own(await store.byUserCode(userCode)),
    findByUid: async (): Promise<AdapterPayload | undefined> => undefined,
    consume: (id) => consumeOnce(refOf(id), state),
    destroy: (id) => store.destroy(refOf(id)),
    revokeByGrantId: (grantId) =>
      model === "AccessToken" ? state.records.revokeGrant(grantId) : store.destroyAll("grant", grantId, [model]),
  };
}

const waitMs = 3000;
const soon = () => ({ deadline: steadyClock.now() + waitMs });

/**
 * Pushed authorization requests of all regions: the client and the browser may have reached different ones. The region that took a request
 * keeps it, and alone decides whether it was used.
 */
function pushedElsewhere(here: Adapter, calls: RegionCalls): Adapter {
  return {
    ...here,
    find: async (id) => {
      const region = calls.elsewhere(tagOf(id));
      if (region === undefined) return here.find(id);
      const { found } = await calls.ask(region, readPushedRequest, { digest: digestOfId(id) }, soon());
      if (found === undefined) return undefined;
      const { payload, remainingSeconds } = found;
      return { ...payload, exp: Math.floor(systemClock.now() / 1000) + remainingSeconds };
    },
    consume: async (id) => {
      const region = calls.elsewhere(tagOf(id));
      if (region === undefined) return here.consume(id);
      const { isConsumed } = await calls.ask(region, consumePushedRequest, { digest: digestOfId(id) }, soon());
      if (!isConsumed) throw new errors.InvalidGrant("already used");
    },
  };
}

/** Reports failures of the adapter to the client, see `withClientErrors`. */
function wrapAdapter(adapter: Adapter): Adapter {
  return {
    upsert: withClientErrors((...args) => adapter.upsert(...args)),
    find: withClientErrors((id) => adapter.find(id)),
    findByUid: withClientErrors((uid) => adapter.findByUid(uid)),
    findByUserCode: withClientErrors((code) => adapter.findByUserCode(code)),
    consume: withClientErrors((id) => adapter.consume(id)),
    destroy: withClientErrors((id) => adapter.destroy(id)),
    revokeByGrantId: withClientErrors((id) => adapter.revokeByGrantId(id)),
  };
}

/**
 * The provider's models in our store. The model Session is our browser session. Clients come from the configuration and from registrations.
 *
 * @param findClient reads the metadata of a client that registered itself
 */
export function createAdapterFactory(
  { sessions, regionCalls }: OidcParts,
  state: OidcState,
  findClient: (clientId: string) => Promise<AdapterPayload | undefined>,
): AdapterFactory {
  const ofSession = wrapAdapter(createSessionAdapter(sessions, state.times, state.records.revokeSession));
  return (model) => {
    if (model === "Session") return ofSession;
    const adapter = createModelAdapter(model, state);
    if (model === "PushedAuthorizationRequest" && regionCalls !== undefined)
      return wrapAdapter(pushedElsewhere(adapter, regionCalls));
    return wrapAdapter(model === "Client" ? { ...adapter, find: findClient } : adapter);
  };
}
