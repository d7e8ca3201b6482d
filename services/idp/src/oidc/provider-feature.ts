import type { TokenSubject } from "@postern/shared/domain/tokens";
import { browserDigest, isBrowserToken } from "../flow/browser-binding.ts";
import { cookieNames, createSiteCookies, sessionCookieName } from "../sessions/cookies.ts";
import { createFindAccount } from "./accounts/accounts.ts";
import { type ClientPolicies, clientMetadata } from "./clients/clients.ts";
import type { OidcParts, OidcStores } from "./parts.ts";
import { createAdapterFactory } from "./provider/adapter.ts";
import { createSessionAdapter } from "./provider/adapter-session.ts";
import { isFault, reasonOf, withClientErrors } from "./provider/authorize-failure.ts";
import { createBridge } from "./provider/bridge.ts";
import { createRenderError } from "./provider/error-page.ts";
import { createFinish } from "./provider/finish.ts";
import { createGenerations, type Generation, type Generations } from "./provider/generation.ts";
import { createInteractionUrl } from "./provider/interaction-url.ts";
import type { ProviderHooks } from "./provider/provider.ts";
import { certificateSupport, discoveryMembers } from "./settings/discovery-members.ts";
import { registrationSupport } from "./settings/mail-resources.ts";
import { logoutSupport, type OidcSettings, requestObjectSupport } from "./settings/oidc-settings.ts";
import type { IssuedJwt } from "./tokens/access-tokens.ts";

/** The provider adds the hash of its `form_post` script to `script-src` only if there is such a directive. */
const securityPolicy = "default-src 'none'; script-src; frame-ancestors 'none'; base-uri 'none'";

function createAdapter(
  { sessions, settings }: OidcParts,
  stores: OidcStores,
  policies: () => ClientPolicies,
): ProviderHooks["adapter"] {
  const { store, times, digestOf, records, keepGrant, accounts, registered } = stores;
  return createAdapterFactory({
    store,
    times,
    digestOf,
    sessions: createSessionAdapter(sessions, times, (session) => records.revokeSession(session)),
    revokeGrant: (grantId) => records.revokeGrant(grantId),
    keepGrant,
    keepAccount: (accountId) => accounts.keep(accountId),
    findClient: async (id) => {
      const policy = (await registered.load(id)) === undefined ? undefined : policies().get(id);
      return policy === undefined ? undefined : clientMetadata(policy, settings());
    },
  });
}

function createErrorLog({ logger }: OidcParts): ProviderHooks["onError"] {
  return (event, err, requester) => {
    const fields = { event, ...requester, reason: reasonOf(err), err };
    if (event === "error" || event === "server_error" || isFault(err)) logger.error(fields, "OIDC request failed");
    else logger.info(fields, "OIDC request refused");
  };
}

function createBrowserOf(issuer: string): ProviderHooks["browserOf"] {
  const cookies = createSiteCookies(issuer);
  return (header) => {
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
function createHooks(parts: OidcParts, stores: OidcStores, policies: () => ClientPolicies): ProviderHooks {
  const { sessions, settings, starter, sharedClock, initial, counted, logger } = parts;
  const { accounts, records, consents, outcomes, deviceLimits, reportUnreadable, registered } = stores;
  return {
    adapter: createAdapter(parts, stores, policies),
    sessionCookie: sessionCookieName(initial.issuer),
    interactionUrl: withClientErrors(
      createInteractionUrl({
        starter,
        times: stores.times,
        policies,
        mfaPolicy: () => settings().mfaPolicy,
        findSession: (uid) => sessions.findByUid(uid),
      }),
    ),
    findAccount: withClientErrors(createFindAccount(accounts, sessions)),
    hasConsented: withClientErrors((accountId: string, clientId: string, scopes: readonly string[]) =>
      consents.has(accountId, clientId, scopes),
    ),
    epochOf: withClientErrors((subject: TokenSubject) => records.epochOf(subject)),
    record: withClientErrors((token: IssuedJwt, epoch: number) => records.record(token, epoch)),
    mayPoll: (deviceCode) => deviceLimits.mayPoll(deviceCode),
    pollingInterval: () => settings().oidc.device_flow.polling_interval,
    outcomes,
    browserOf: createBrowserOf(initial.issuer),
    browserStateCookies: (uid, maxAge) => parts.pages()?.browserStateCookies(uid, maxAge),
    onOutcomeLost: (err) => logger.warn({ err }, "a repeated form of this sign-in will show that the page has expired"),
    contentSecurityPolicy: securityPolicy,
    discoveryMembers: () => discoveryMembersOf(settings(), parts.pages()?.languages.map(({ tag }) => tag) ?? []),
    renderError: createRenderError(parts.pages),
    onGrant: (grantType, result) => counted.grant(grantType, result),
    accountOf: (accountId) => accounts.find(accountId),
    registeredClient: (id) => registered.recent(id),
    keepClient: withClientErrors((id: string) => {
      if (policies().get(id)?.isRegistered === false) parts.clientUses.note("oidc", id);
      return registered.keep(id);
    }),
    reportUnreadable,
    nowSeconds: () => Math.floor(sharedClock.now() / 1000),
    findSession: (uid) => sessions.findByUid(uid),
    onError: createErrorLog(parts),
  };
}

/** The provider, what creates its generations, and how requests and ended flows reach it. */
export function createProviderFeature(parts: OidcParts, stores: OidcStores) {
  const { sessions, logger } = parts;
  const { consents, outcomes, times } = stores;
  const current = (): Generation => generations.current();
  const generations: Generations = createGenerations(createHooks(parts, stores, () => current().policies));
  const bridge = createBridge(current);
  return {
    generations,
    bridge,
    finish: createFinish({
      current,
      bridge,
      consents,
      outcomes,
      sessions,
      times,
      onNoSubject: (account, client) =>
        logger.error({ account, client }, "sign-in refused: the account lacks the mapped unique_user_id_field"),
    }),
  };
}
