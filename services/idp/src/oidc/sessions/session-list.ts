import type { BrowserSessionListed, OidcSessionListed } from "@postern/shared/contracts";
import type { TokenSubject } from "@postern/shared/domain/tokens";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import type { ListedSession, SessionStore } from "../../sessions/session-store-redis.ts";
import type { OidcAccount } from "../accounts/accounts-redis.ts";
import type { OidcState } from "../state/context.ts";
import { digestOfId, isRecord, textOf, wordsOf } from "../storage/models.ts";
import type { StoredRecord } from "../storage/store-redis.ts";
import { isOf } from "../tokens/token-records.ts";
import { clientNames } from "./session-owner.ts";

type Ending = "ended" | "unknown" | "not_theirs";

function mfaMethodOf(amr: unknown, account: OidcAccount | undefined): string {
  if (!Array.isArray(amr)) return account?.mfaMethod ?? "";
  const methods: readonly unknown[] = amr;
  if (!methods.includes("mfa")) return "";
  return methods.includes("hwk") ? "webauthn" : "totp";
}

function hasSecondFactor(amr: unknown, account: OidcAccount | undefined): boolean {
  return Array.isArray(amr) ? amr.includes("mfa") : account?.mfaCompleted === true;
}

function recordOf({ digest, payload }: StoredRecord, account: OidcAccount | undefined): OidcSessionListed {
  const { clientId = "", accountId: owner = clientId, scope, iat, authTime = iat ?? 0 } = payload;
  const amr: unknown = payload["amr"];
  return {
    id: digest,
    client_id: clientId,
    user_id: owner,
    username: account?.account ?? owner,
    display_name: account?.displayName ?? "",
    redirect_uri: textOf(payload.redirectUri) ?? "",
    mfa_method: mfaMethodOf(amr, account),
    scopes: [...wordsOf(scope)],
    auth_time: new Date(authTime * 1000).toISOString(),
    mfa_completed: hasSecondFactor(amr, account),
  };
}

function isToken({ model }: StoredRecord): boolean {
  return model === "AccessToken" || model === "ClientCredentials" || model === "RefreshToken";
}

/** Access tokens; for a grant without one, its refresh token. */
function visible(records: readonly StoredRecord[]): readonly StoredRecord[] {
  const withAccess = new Set(
    records.filter(({ model }) => model === "AccessToken").map(({ payload }) => payload.grantId),
  );
  return records.filter(({ model, payload }) => model !== "RefreshToken" || !withAccess.has(payload.grantId));
}

/** The tokens of a user's clients, for operators. All methods reject when the store is unavailable. */
export function createOidcSessions({ store, accounts, records }: OidcState, nowSeconds: () => number) {
  const findToken = async (digest: string): Promise<StoredRecord | undefined> => {
    for (const model of ["AccessToken", "RefreshToken"]) {
      const payload = await store.find({ model, digest });
      if (payload !== undefined) return { model, digest, payload };
    }
    return undefined;
  };
  const tokensOf = async (subject: TokenSubject): Promise<readonly StoredRecord[]> =>
    (await store.list("account", subject.id)).filter(
      (record) =>
        isOf(record, subject) &&
        isToken(record) &&
        record.payload.consumed === undefined &&
        (record.payload.exp ?? 0) > nowSeconds(),
    );
  return {
    list: async (subjects: readonly TokenSubject[]): Promise<readonly OidcSessionListed[]> => {
      const listed = (await Promise.all(subjects.map(tokensOf))).flat();
      const grants = new Set(listed.flatMap(({ payload }) => payload.grantId ?? []));
      const living = new Map(
        await Promise.all(
          [...grants].map(async (id) => {
            const grant = await store.find({ model: "Grant", digest: digestOfId(id) });
            return [id, isRecord(grant)] as const;
          }),
        ),
      );
      const alive = listed.filter(
        ({ payload }) => payload.grantId === undefined || living.get(payload.grantId) === true,
      );
      const users = subjects.filter(({ kind }) => kind === "user");
      const known = new Map(await Promise.all(users.map(async ({ id }) => [id, await accounts.find(id)] as const)));
      return visible(alive)
        .map((record) => recordOf(record, known.get(record.payload.accountId ?? "")))
        .toSorted((left, right) => (left.auth_time < right.auth_time ? 1 : -1));
    },
    /**
     * Ends the session with this `id` of the list, or with this token, and everything else of the same grant. `userId` is the
     * requested one, which may also be that of a client.
     */
    end: async (userId: string, subjects: readonly TokenSubject[], id: string): Promise<Ending> => {
      const found = (await findToken(id)) ?? (await findToken(digestOfId(id)));
      if (found === undefined) return "unknown";
      const { digest, payload } = found;
      const { accountId } = payload;
      const isTheirs =
        accountId === undefined
          ? clientNames(payload.clientId ?? "").includes(userId)
          : subjects.some((subject) => subject.kind === "user" && subject.id === accountId);
      if (!isTheirs) return "not_theirs";
      if (payload.grantId === undefined) await records.revokeToken(digest, payload);
      else await records.revokeGrant(payload.grantId);
      return "ended";
    },
  };
}

function shownBrowser({
  uid,
  origin,
  loginTs,
  lastSeenMs,
  mfaTs,
  authorizations,
}: ListedSession): BrowserSessionListed {
  return {
    id: uid,
    client_ip: origin?.clientIp ?? "",
    user_agent: origin?.userAgent ?? "",
    auth_time: new Date(loginTs * 1000).toISOString(),
    last_seen: new Date(lastSeenMs).toISOString(),
    mfa_completed: mfaTs !== undefined,
    client_ids: Object.keys(authorizations),
  };
}

/**
 * The browser sessions of a user, for operators. All methods reject when the store is unavailable.
 * @param onClosed notifies the applications of other protocols.
 */
export function createBrowserSessionList(
  sessions: Pick<SessionStore, "list" | "accountOf" | "end">,
  endSessions: { ended(session: BrowserSessionRecord): Promise<void> },
  onClosed: (session: BrowserSessionRecord) => Promise<void>,
) {
  const ofAll = async (accounts: readonly string[]): Promise<readonly ListedSession[]> =>
    (await Promise.all(accounts.map((account) => sessions.list(account)))).flat();
  return {
    list: async (accounts: readonly string[]): Promise<readonly BrowserSessionListed[]> =>
      (await ofAll(accounts)).map(shownBrowser),
    /** Ends one session and the tokens of its clients, if it is of one of these accounts. */
    end: async (accounts: readonly string[], id: string): Promise<Ending> => {
      // Not from the list, which has only the newest.
      const account = await sessions.accountOf(id);
      if (account === undefined) return "unknown";
      if (!accounts.includes(account)) return "not_theirs";
      const ended = await sessions.end(id);
      if (ended === undefined) return "unknown";
      await endSessions.ended(ended);
      await onClosed(ended);
      return "ended";
    },
  };
}
