import type { KoaContextWithOIDC } from "oidc-provider";
import { browserDigest, isBrowserToken } from "../../flow/browser-binding.ts";
import { cookieNames, createSiteCookies, sessionCookieName } from "../../sessions/cookies.ts";
import { createFindAccount } from "../accounts/accounts.ts";
import { basicCredentials } from "../clients/client-auth.ts";
import { type ClientPolicies, clientMetadata } from "../clients/clients.ts";
import { certificateSupport, discoveryMembers } from "../settings/discovery-members.ts";
import { registrationSupport } from "../settings/mail-resources.ts";
import { logoutSupport, type OidcSettings, requestObjectSupport } from "../settings/oidc-settings.ts";
import type { OidcParts, OidcState } from "../state/context.ts";
import { textOf } from "../storage/json.ts";
import { createAdapterFactory } from "./adapter.ts";
import { isFault, reasonOf, withClientErrors } from "./authorize-failure.ts";
import { createRenderError } from "./error-page.ts";
import { createInteractionUrl } from "./interaction-url.ts";
import { referenceHeader } from "./request-reference.ts";

/** The provider adds the hash of its `form_post` script to `script-src` only if there is such a directive. */
const securityPolicy = "default-src 'none'; script-src; frame-ancestors 'none'; base-uri 'none'";

const longestName = 200;

/** The origin of a request, for the log. `client` need not be authenticated; undefined before the parameters are read. */
function requesterOf(ctx: KoaContextWithOIDC) {
  const { client, params } = ctx.oidc ?? {};
  const basic = basicCredentials(ctx.get("authorization"));
  const named = client?.clientId ?? textOf(params?.["client_id"]) ?? basic?.[0];
  return { session: ctx.get(referenceHeader), client: named?.slice(0, longestName) };
}

function createErrorLog({ logger }: OidcParts) {
  return (event: string, err: unknown, ctx?: KoaContextWithOIDC): void => {
    const fields = { event, ...(ctx && requesterOf(ctx)), reason: reasonOf(err), err };
    if (event === "error" || event === "server_error" || isFault(err)) logger.error(fields, "OIDC request failed");
    else logger.info(fields, "OIDC request refused");
  };
}

/** Digest of the cookie that binds flows to a browser, from the header Cookie. */
function createBrowserOf(issuer: string) {
  const cookies = createSiteCookies(issuer);
  return (header: string | undefined): string | undefined => {
    const token = cookies.read(header, cookieNames.flow);
    return isBrowserToken(token) ? browserDigest(token) : undefined;
  };
}

function discoveryMembersOf(now: OidcSettings, uiLocales: readonly string[]): Readonly<Record<string, unknown>> {
  return {
    ...discoveryMembers(now, uiLocales),
    ...logoutSupport(now),
    ...requestObjectSupport(now),
    ...registrationSupport(now),
    ...certificateSupport(now),
  };
}

/** What the provider calls in our code, the same for every generation. */
export function createHooks(
  parts: OidcParts,
  state: OidcState,
  mayPoll: (deviceCode: string) => Promise<boolean>,
  policies: () => ClientPolicies,
) {
  const { sessions, settings, sharedClock, initial, counted, logger } = parts;
  const { accounts, records, consents, outcomes, reportUnreadable, registered } = state;
  return {
    adapter: createAdapterFactory(parts, state, async (id) => {
      const policy = (await registered.load(id)) === undefined ? undefined : policies().get(id);
      return policy === undefined ? undefined : clientMetadata(policy, settings());
    }),
    sessionCookie: sessionCookieName(initial.issuer),
    interactionUrl: withClientErrors(createInteractionUrl(parts, state, policies)),
    findAccount: withClientErrors(createFindAccount(accounts, sessions, parts.suspensions)),
    hasConsented: withClientErrors(consents.has),
    epochOf: withClientErrors(records.epochOf),
    record: withClientErrors(records.record),
    /** Whether the device may poll now; polling too early raises its interval. */
    mayPoll,
    /** Minimum time between two polls of a device, in seconds. */
    pollingInterval: () => settings().oidc.device_flow.polling_interval,
    outcomes,
    browserOf: createBrowserOf(initial.issuer),
    /** `Set-Cookie` values for a browser with this session; undefined while session management is off. */
    browserStateCookies: (uid: string, maxAge: number | undefined) => parts.pages()?.browserStateCookies(uid, maxAge),
    onOutcomeLost: (err: unknown): void =>
      logger.warn({ err }, "a repeated form of this sign-in will show that the page has expired"),
    contentSecurityPolicy: securityPolicy,
    /** Members of discovery that depend on the configuration. */
    discoveryMembers: () => discoveryMembersOf(settings(), parts.pages()?.languages.map(({ tag }) => tag) ?? []),
    renderError: createRenderError(parts.pages),
    onGrant: counted.grant,
    /** The account that claims are taken from. */
    accountOf: accounts.find,
    /** A registered client that the adapter has just read. */
    registeredClient: registered.recent,
    /** Extends the registration of a client that registered itself. */
    keepClient: withClientErrors((id: string) => {
      if (policies().get(id)?.isRegistered === false) parts.clientUses.note("oidc", id);
      return registered.keep(id);
    }),
    reportUnreadable,
    nowSeconds: () => Math.floor(sharedClock.now() / 1000),
    findSession: (uid: string) => sessions.findByUid(uid),
    onError: createErrorLog(parts),
  };
}

export type ProviderHooks = ReturnType<typeof createHooks>;
