import type { Clock } from "@postern/shared/time";
import type { Revoker } from "@postern/shared/tokens";
import type { AdapterPayload } from "oidc-provider";
import type { BrowserSessionRecord } from "../sessions/browser-session-port.ts";
import type { IssuedJwt } from "./access-tokens.ts";
import { isRecord, wordsOf } from "./json.ts";
import type { IndexKind, OidcStore, RecordRef } from "./store.ts";
import { tokenOrigin } from "./token-origin.ts";

/** The life and death of tokens, of every form. All reject when the store cannot be asked: nothing is half revoked. */
export interface TokenRecords {
  /** A signed token, before it leaves. */
  record(token: IssuedJwt): Promise<void>;
  revokeToken(digest: string, payload: AdapterPayload): Promise<void>;
  /** A family: everything that one consent of one session gave. */
  revokeGrant(grantId: string): Promise<void>;
  /** What a session's clients hold, but for offline access, which outlives it (OpenID Connect Core §11). */
  revokeSession(session: Pick<BrowserSessionRecord, "authorizations">): Promise<void>;
  /** Everything of an account, or of a client that acts for itself. */
  revokeAccount(accountId: string): Promise<void>;
  epochOf(subject: string): Promise<number>;
}

export interface TokenRecordDeps {
  readonly store: OidcStore;
  readonly revoker: Revoker;
  readonly issuer: string;
  readonly clock: Clock;
  readonly digestOf: (id: string) => string;
}

const model = "AccessToken";

export function createTokenRecords({ store, revoker, issuer, clock, digestOf }: TokenRecordDeps): TokenRecords {
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
    record: async ({ lifeSeconds, ...token }) => {
      const origin = await tokenOrigin((id) => store.find({ model: "RefreshToken", digest: digestOf(id) }));
      const iat = Math.floor(clock.now() / 1000);
      const ref: RecordRef = { model, digest: digestOf(token.jti) };
      return store.put(
        ref,
        { ...origin, ...withoutUnset(token), isJwt: true, iat, exp: iat + lifeSeconds },
        lifeSeconds,
      );
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
    revokeAccount: async (accountId) => {
      // First the epoch: what is signed meanwhile is dead as well.
      await revoker.denySubject(issuer, accountId);
      await store.destroyAll("account", accountId);
    },
    epochOf: (subject) => revoker.epochOf(issuer, subject),
  };
}

function withoutUnset(token: Omit<IssuedJwt, "lifeSeconds">): AdapterPayload {
  return Object.fromEntries(Object.entries(token).filter(([, value]) => value !== undefined));
}
