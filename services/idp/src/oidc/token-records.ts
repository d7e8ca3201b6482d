import type { Clock } from "@postern/shared/time";
import type { Revoker, TokenSubject } from "@postern/shared/tokens";
import { type AdapterPayload, errors } from "oidc-provider";
import type { BrowserSessionRecord } from "../sessions/browser-session-port.ts";
import type { IssuedJwt } from "./access-tokens.ts";
import type { KeepGrant } from "./grant-life.ts";
import { isRecord, wordsOf } from "./json.ts";
import type { IndexKind, OidcStore, RecordRef, StoredRecord } from "./store.ts";
import { tokenOrigin } from "./token-origin.ts";

/** The life and death of tokens, of every form. All reject when the store cannot be asked: nothing is half revoked. */
export interface TokenRecords {
  /** A signed token of this epoch, before it leaves. Rejects with `invalid_grant` when its subject's were ended meanwhile. */
  record(token: IssuedJwt, epoch: number): Promise<void>;
  revokeToken(digest: string, payload: AdapterPayload): Promise<void>;
  /** A family: everything that one consent of one session gave. */
  revokeGrant(grantId: string): Promise<void>;
  /** What a session's clients hold, but for offline access, which outlives it (OpenID Connect Core §11). */
  revokeSession(session: Pick<BrowserSessionRecord, "authorizations">): Promise<void>;
  /** Everything of a user, or of a client that acts for itself; a client may have a user's name. */
  revokeSubject(subject: TokenSubject): Promise<void>;
  epochOf(subject: TokenSubject): Promise<number>;
}

export interface TokenRecordDeps {
  readonly store: OidcStore;
  readonly revoker: Revoker;
  readonly issuer: string;
  readonly clock: Clock;
  readonly digestOf: (id: string) => string;
  readonly keepGrant: KeepGrant;
}

/** Whether a record is a user's of that name, or a client's own. */
export function isOf({ payload }: Pick<StoredRecord, "payload">, { kind, id }: TokenSubject): boolean {
  const { accountId, clientId } = payload;
  return kind === "user" ? accountId === id : accountId === undefined && clientId === id;
}

/** Who a signed token is about. */
function subjectOf({ accountId, clientId }: Pick<IssuedJwt, "accountId" | "clientId">): TokenSubject {
  return accountId === undefined ? { kind: "client", id: clientId } : { kind: "user", id: accountId };
}

const model = "AccessToken";

export function createTokenRecords(deps: TokenRecordDeps): TokenRecords {
  const { store, revoker, issuer, clock, digestOf, keepGrant } = deps;
  const deny = async ({ jti, exp, ...payload }: AdapterPayload): Promise<void> => {
    if (payload["isJwt"] === true && jti !== undefined && exp !== undefined) await revoker.deny(jti, exp * 1000);
  };
  const denyAll = async (kind: IndexKind, id: string): Promise<void> => {
    const listed = await store.list(kind, id);
    await Promise.all(listed.map(({ payload }) => deny(payload)));
    await store.destroyAll(kind, id);
  };
  const outlives = async (grantId: string): Promise<boolean> => {
    const grant = await store.find({ model: "Grant", digest: digestOf(grantId) });
    const openid: unknown = grant?.["openid"];
    return isRecord(openid) && wordsOf(openid["scope"]).includes("offline_access");
  };
  return {
    record: async ({ lifeSeconds, ...token }, epoch) => {
      if (token.grantId !== undefined) await keepGrant(token.grantId, lifeSeconds);
      const origin = await tokenOrigin((id) => store.find({ model: "RefreshToken", digest: digestOf(id) }));
      const iat = Math.floor(clock.now() / 1000);
      const ref: RecordRef = { model, digest: digestOf(token.jti) };
      const payload = { ...origin, ...withoutUnset(token), isJwt: true, iat, exp: iat + lifeSeconds };
      await store.put(ref, payload, lifeSeconds);
      // Who ended all of them raised the epoch first, and then denied what was recorded: nothing slips between.
      if ((await revoker.epochOf(issuer, subjectOf(token))) === epoch) return;
      await store.destroy(ref);
      throw new errors.InvalidGrant("the subject's tokens were ended");
    },
    revokeToken: async (digest, payload) => {
      await deny(payload);
      await store.destroy({ model, digest });
    },
    revokeGrant: (grantId) => denyAll("grant", grantId),
    revokeSession: async ({ authorizations }) => {
      const grants = Object.values(authorizations).flatMap(({ grantId }) => grantId ?? []);
      const ending = await Promise.all(grants.map(async (grantId) => ((await outlives(grantId)) ? [] : [grantId])));
      await Promise.all(ending.flat().map((grantId) => denyAll("grant", grantId)));
    },
    revokeSubject: async (subject) => {
      // First the epoch: what is signed meanwhile is dead as well.
      await revoker.denySubject(issuer, subject);
      const listed = (await store.list("account", subject.id)).filter((record) => isOf(record, subject));
      // One by one too: versions before do not know the epoch of a kind.
      await Promise.all(listed.map(({ payload }) => deny(payload)));
      await store.destroyListed("account", subject.id, listed);
    },
    epochOf: (subject) => revoker.epochOf(issuer, subject),
  };
}

function withoutUnset(token: Omit<IssuedJwt, "lifeSeconds">): AdapterPayload {
  return Object.fromEntries(Object.entries(token).filter(([, value]) => value !== undefined));
}
