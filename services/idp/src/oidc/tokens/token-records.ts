import type { Revoker, TokenSubject } from "@postern/shared/domain/tokens";
import type { Clock } from "@postern/shared/platform/time";
import { type AdapterPayload, errors } from "oidc-provider";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import type { KeepGrant } from "../grants/grants.ts";
import { digestOfId, isRecord, wordsOf } from "../storage/models.ts";
import type { RecordTimes } from "../storage/record-times.ts";
import type { OidcStore, RecordRef, StoredRecord } from "../storage/store-redis.ts";
import type { IssuedJwt } from "./access-tokens.ts";
import { tokenOrigin } from "./token-origin.ts";

/** Whether a record belongs to this user, or is this client's own. */
export function isOf({ payload }: Pick<StoredRecord, "payload">, { kind, id }: TokenSubject): boolean {
  const { accountId, clientId } = payload;
  return kind === "user" ? accountId === id : accountId === undefined && clientId === id;
}

function subjectOf({ accountId, clientId }: Pick<IssuedJwt, "accountId" | "clientId">): TokenSubject {
  return accountId === undefined ? { kind: "client", id: clientId } : { kind: "user", id: accountId };
}

const model = "AccessToken";

/** Ends the signed token of a record, or all tokens of a grant. */
type EndToken = (payload: AdapterPayload) => Promise<void>;
type EndGrant = (grantId: string) => Promise<void>;

/** The grants first: a token that is being issued depends on its grant. */
function createRevokeClient(store: OidcStore, deny: EndToken, endGrant: EndGrant) {
  return async (clientId: string): Promise<void> => {
    const listed = await store.list("client", clientId);
    const grants = listed.flatMap(
      ({ model: kind, payload }) => (kind === "Grant" ? payload.jti : payload.grantId) ?? [],
    );
    await Promise.all([...new Set(grants)].map((grantId) => endGrant(grantId)));
    await Promise.all(listed.map(({ payload }) => deny(payload)));
    await store.destroyAll("client", clientId);
  };
}

/** Ends the tokens of the implicit flow, of a grant that outlives its session. */
function createEndImplicit(store: OidcStore, deny: EndToken): EndGrant {
  return async (grantId) => {
    const listed = await store.list("grant", grantId);
    const implicit = listed.filter(({ model: kind, payload }) => kind === model && payload.gty === "implicit");
    await Promise.all(implicit.map(({ payload }) => deny(payload)));
    await store.destroyListed("grant", grantId, implicit);
  };
}

function createDeny(revoker: Revoker): EndToken {
  return async ({ jti, exp, ...payload }) => {
    if (payload["isJwt"] !== true || jti === undefined || exp === undefined) return;
    const signedExp: unknown = payload["signedExp"];
    // If a clock is wrong, the token itself may end later than its record.
    await revoker.deny(jti, Math.max(exp, typeof signedExp === "number" ? signedExp : 0) * 1000);
  };
}

function refOfGrant(id: string): RecordRef {
  return { model: "Grant", digest: digestOfId(id) };
}

interface RecordParts {
  readonly store: OidcStore;
  readonly revoker: Revoker;
  readonly issuer: string;
  readonly clock: Clock;
  readonly times: RecordTimes;
  readonly keepGrant: KeepGrant;
}

/** Records a signed token before it is issued. Rejects with `invalid_grant` if the epoch is no longer the subject's. */
function createRecord({ store, revoker, issuer, clock, times, keepGrant }: RecordParts) {
  const isGranted = async ({ grantId }: Pick<IssuedJwt, "grantId">): Promise<boolean> =>
    grantId === undefined || (await store.find(refOfGrant(grantId))) !== undefined;
  return async ({ lifeSeconds, ...token }: IssuedJwt, epoch: number): Promise<void> => {
    if (token.grantId !== undefined) await keepGrant(token.grantId, lifeSeconds);
    const origin = await tokenOrigin((id) => store.find({ model: "RefreshToken", digest: digestOfId(id) }));
    const iat = Math.floor(clock.now() / 1000);
    const ref: RecordRef = { model, digest: digestOfId(token.jti) };
    const exp = iat + lifeSeconds;
    const signedIn = times.toShared({ ...origin });
    const signedExp = times.ownSeconds(exp);
    const payload = { ...signedIn, ...withoutUnset(token), isJwt: true, iat, exp, signedExp };
    await store.put(ref, payload, lifeSeconds);
    // A revocation raises the epoch or deletes the grant first and then denies recorded tokens, so no token escapes both.
    const [now, hasGrant] = await Promise.all([revoker.epochOf(issuer, subjectOf(token)), isGranted(token)]);
    if (now === epoch && hasGrant) return;
    await store.destroy(ref);
    throw new errors.InvalidGrant(hasGrant ? "the subject's tokens were ended" : "the grant was revoked");
  };
}

/** Records and revokes tokens of every form. All methods reject when the store is unavailable. */
export function createTokenRecords(parts: RecordParts) {
  const { store, revoker, issuer } = parts;
  const deny = createDeny(revoker);
  /** The grant first: `record` refuses a token whose grant is gone, so none escapes that is not in the list yet. */
  const endGrant = async (grantId: string): Promise<void> => {
    await store.destroy(refOfGrant(grantId));
    const listed = await store.list("grant", grantId);
    await Promise.all(listed.map(({ payload }) => deny(payload)));
    await store.destroyAll("grant", grantId);
  };
  const outlives = async (grantId: string): Promise<boolean> => {
    const grant = await store.find(refOfGrant(grantId));
    const openid: unknown = grant?.["openid"];
    return isRecord(openid) && wordsOf(openid["scope"]).includes("offline_access");
  };
  const endImplicit = createEndImplicit(store, deny);
  return {
    record: createRecord(parts),
    revokeToken: async (digest: string, payload: AdapterPayload): Promise<void> => {
      await deny(payload);
      await store.destroy({ model, digest });
    },
    /** All tokens of a grant: everything issued for one session and client. */
    revokeGrant: endGrant,
    /** All tokens of a client, its users' and its own. */
    revokeClient: createRevokeClient(store, deny, endGrant),
    /**
     * All tokens of a session's clients, except offline access, which outlives the session (OpenID Connect Core §11). The implicit flow
     * never gives offline access: its tokens end even where a code gave it to the same client.
     */
    revokeSession: async ({ authorizations }: Pick<BrowserSessionRecord, "authorizations">): Promise<void> => {
      const grants = Object.values(authorizations).flatMap(({ grantId }) => grantId ?? []);
      await Promise.all(
        grants.map(async (grantId) => ((await outlives(grantId)) ? endImplicit(grantId) : endGrant(grantId))),
      );
    },
    /** All tokens of a user, or of a client that acts for itself; a client may have the same name as a user. */
    revokeSubject: async (subject: TokenSubject): Promise<void> => {
      // The epoch first, so that tokens signed in the meantime are revoked too.
      await revoker.denySubject(issuer, subject);
      const listed = (await store.list("account", subject.id)).filter((record) => isOf(record, subject));
      // Denies each token too, because earlier versions do not know the epoch of a kind.
      await Promise.all(listed.map(({ payload }) => deny(payload)));
      await store.destroyListed("account", subject.id, listed);
    },
    epochOf: (subject: TokenSubject): Promise<number> => revoker.epochOf(issuer, subject),
  };
}

export type TokenRecords = ReturnType<typeof createTokenRecords>;

function withoutUnset(token: Omit<IssuedJwt, "lifeSeconds">): AdapterPayload {
  return Object.fromEntries(Object.entries(token).filter(([, value]) => value !== undefined));
}
