import { pathTo } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { localPath } from "../../flow/flow-paths.ts";
import type { FlowEnd } from "../../flow/flow-port.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import { createFindAccount } from "../accounts/accounts.ts";
import type { Generation } from "../provider/generation.ts";
import type { OidcParts, OidcState } from "../state/context.ts";
import { isRecord, textOf, wordsOf } from "../storage/models.ts";
import { clientResourceOf } from "../tokens/access-tokens.ts";

type DeviceCode = InstanceType<Generation["provider"]["DeviceCode"]>;

function paramsOf(code: DeviceCode): Readonly<Record<string, unknown>> {
  const params: unknown = Reflect.get(code, "params");
  return isRecord(params) ? params : {};
}

function claimsOf(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const text = textOf(params["claims"]);
  const claims: unknown = text === undefined ? undefined : JSON.parse(text);
  return isRecord(claims) ? claims : undefined;
}

function claimNames(claims: Readonly<Record<string, unknown>> = {}): string[] {
  return Object.values(claims).flatMap((member) => (isRecord(member) ? Object.keys(member) : []));
}

/** `session.loginTs` is by the wall clock, which the provider reads. @returns the grant, to which the code now refers */
async function grantTo(
  { provider, policies, settings }: Generation,
  code: DeviceCode,
  session: BrowserSessionRecord,
): Promise<string> {
  const clientId = code.clientId ?? "";
  const resource = clientResourceOf(settings.identifier, clientId);
  const params = paramsOf(code);
  const scope = wordsOf(params["scope"]).join(" ");
  const claims = claimsOf(params);
  const grant = new provider.Grant({ accountId: session.accountId, clientId });
  if (scope !== "") grant.addOIDCScope(scope);
  if (claims !== undefined) grant.addOIDCClaims(claimNames(claims));
  const isJwt = policies.get(clientId)?.accessTokenType === "jwt";
  if (isJwt && scope !== "") grant.addResourceScope(resource, scope);
  const grantId = await grant.save();
  const { accountId, loginTs: authTime, acr, amr, uid: sessionUid } = session;
  Object.assign(code, {
    accountId,
    authTime,
    sessionUid,
    grantId,
    scope,
    ...(acr !== undefined && { acr }),
    ...(amr !== undefined && { amr: [...amr] }),
    ...(claims !== undefined && { claims }),
    ...(isJwt && { resource }),
  });
  await code.save();
  return grantId;
}

/** Device codes as the user's pages see them (RFC 8628 §3.3). All methods reject when the store is unavailable. */
export function createDeviceCodes(
  { sessions, isRefused, userCodes }: OidcParts,
  { store, times, records, accounts }: OidcState,
  current: () => Generation,
) {
  const findAccount = createFindAccount(accounts, sessions, isRefused);
  const pending = async (userCode: string): Promise<DeviceCode | undefined> => {
    if (userCode === "") return undefined;
    const code = await current().provider.DeviceCode.findByUserCode(userCode, { ignoreExpiration: false });
    if (code === undefined || code.isExpired || code.accountId !== undefined || code.error !== undefined)
      return undefined;
    return code;
  };

  /** Only one browser decides, even if several have entered the code. */
  const decide = async (userCode: string): Promise<DeviceCode | undefined> => {
    const code = await pending(userCode);
    if (code === undefined) return undefined;
    return (await store.unseen(`device:${code.jti}`, Math.max(1, code.remainingTTL))) ? code : undefined;
  };

  return {
    userCodes,
    /** A device that waits for its user's decision. Undefined for a code that is unknown, expired or already decided. */
    find: async (typed: string) => {
      const code = await pending(userCodes.typed(typed).userCode);
      if (code?.clientId === undefined || code.userCode === undefined) return undefined;
      const params = paramsOf(code);
      // The stored form of the code: only capital letters.
      const { userCode, clientId } = code;
      return { userCode, clientId, scopes: wordsOf(params["scope"]), claims: claimNames(claimsOf(params)) };
    },
    /** @returns false if the code has expired or was already decided */
    allow: async (userCode: string, session: BrowserSessionRecord): Promise<boolean> => {
      if (session.lacksSubject === true) {
        throw new AppError("DIRECTORY_DATA", {
          detail: `account ${session.account} lacks the mapped unique_user_id_field`,
        });
      }
      const code = await decide(userCode);
      if (code === undefined) return false;
      // Stores an account that is new to OIDC, whose session the device outlives.
      await findAccount(session.accountId, session.uid);
      const grantId = await grantTo(current(), code, { ...session, loginTs: times.ownSeconds(session.loginTs) });
      if ((await sessions.findByUid(session.uid)) !== undefined) return true;
      // The session was ended in the meantime.
      await records.revokeGrant(grantId);
      return false;
    },
    /** @returns false if the code has expired or was already decided */
    deny: async (userCode: string): Promise<boolean> => {
      const code = await decide(userCode);
      if (code === undefined) return false;
      Object.assign(code, { error: "access_denied", errorDescription: "the user denied the request" });
      await code.save();
      return true;
    },
  };
}

export type DeviceCodes = ReturnType<typeof createDeviceCodes>;

export type PendingDevice = NonNullable<Awaited<ReturnType<DeviceCodes["find"]>>>;

const consentPath = pathTo("deviceConsentPage");

/** After the sign-in the user must always confirm: the device could be an attacker's (RFC 8628 §5.4). */
export const deviceEnd: FlowEnd = {
  finishLogin: async (flowId) => ({ redirect: localPath(consentPath, undefined, { flow: flowId }) }),
};
