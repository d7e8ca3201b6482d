import { pathTo } from "@postern/shared/contracts";
import type { KoaContextWithOIDC } from "oidc-provider";
import type { DomainLimit } from "../../domains/account-domains.ts";
import { browserDigest, isBrowserToken } from "../../flow/browser-binding.ts";
import { cookieNames, createSiteCookies, sessionCookieName } from "../../sessions/cookies.ts";
import { createFindAccount } from "../accounts/accounts.ts";
import type { OidcAccount } from "../accounts/accounts-redis.ts";
import { basicCredentials } from "../clients/client-auth.ts";
import { type ClientPolicies, clientMetadata } from "../clients/clients.ts";
import { oidcSignatures } from "../settings/client-profile.ts";
import { registrationSupport } from "../settings/mail-resources.ts";
import { logoutSupport, type OidcSettings, requestObjectSupport } from "../settings/oidc-settings.ts";
import { responseModes } from "../settings/response-types.ts";
import type { OidcParts, OidcState } from "../state/context.ts";
import { textOf } from "../storage/models.ts";
import { createAdapterFactory } from "./adapter.ts";
import { isFault, reasonOf, withClientErrors } from "./authorize-failure.ts";
import { createRenderError } from "./error-page.ts";
import { createInteractionUrl, referenceHeader } from "./interaction-url.ts";

const authMethods = ["client_secret_basic", "client_secret_post", "private_key_jwt"] as const;

/** Members of discovery that the protocol core does not know (OpenID Connect Discovery §3, RFC 8414 §2, Prompt Create §5). */
function discoveryMembers(settings: OidcSettings, uiLocales: readonly string[]): Readonly<Record<string, unknown>> {
  const { oidc } = settings;
  const { service_documentation: page } = oidc;
  return {
    response_modes_supported: responseModes(oidc),
    prompt_values_supported: ["none", "login", "consent", "select_account"],
    ...(uiLocales.length > 0 && { ui_locales_supported: uiLocales }),
    ...(page !== "" && { service_documentation: page }),
    introspection_endpoint_auth_methods_supported: authMethods,
    introspection_endpoint_auth_signing_alg_values_supported: oidcSignatures,
    // A public client may revoke its own tokens (RFC 7009 §2.1).
    revocation_endpoint_auth_methods_supported: [...authMethods, "none"],
    revocation_endpoint_auth_signing_alg_values_supported: oidcSignatures,
    ...logoutSupport(settings),
    ...requestObjectSupport(settings),
    ...registrationSupport(settings),
    ...certificateSupport(settings),
  };
}

const byCertificate = ["tls_client_auth", "self_signed_tls_client_auth"];

/** Members of discovery for mutual TLS (RFC 8705 §3.3, §5), where a listener or a trusted proxy passes certificates. */
function certificateSupport({ certificates, oidc }: OidcSettings): Readonly<Record<string, unknown>> {
  if (!certificates) return {};
  const { mtls_url: base } = oidc;
  const at = (path: string): string => `${new URL(base).origin}${path}`;
  return {
    token_endpoint_auth_methods_supported: [...authMethods, ...byCertificate, "none"],
    introspection_endpoint_auth_methods_supported: [...authMethods, ...byCertificate],
    revocation_endpoint_auth_methods_supported: [...authMethods, ...byCertificate, "none"],
    tls_client_certificate_bound_access_tokens: true,
    ...(base !== "" && {
      mtls_endpoint_aliases: {
        token_endpoint: at(pathTo("token")),
        userinfo_endpoint: at(pathTo("userinfo")),
        introspection_endpoint: at(pathTo("introspect")),
        revocation_endpoint: at(pathTo("revoke")),
        pushed_authorization_request_endpoint: at(pathTo("pushAuthorization")),
        device_authorization_endpoint: at(pathTo("deviceAuthorization")),
      },
    }),
  };
}

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

function domainsOfProvider({ domains }: OidcParts) {
  return {
    areUsed: () => domains.areUsed,
    place: withClientErrors((name: string) => domains.place(name)),
    requiresFactor: withClientErrors((account: string) => domains.requiresFactor(account)),
    withAttributes: withClientErrors((account: OidcAccount) => domains.withAttributes(account)),
    isWithin: withClientErrors((account: string, limit: DomainLimit) => domains.isWithin(account, limit)),
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
    findAccount: withClientErrors(createFindAccount(accounts, sessions, parts.isRefused)),
    domains: domainsOfProvider(parts),
    hasConsented: withClientErrors(consents.has),
    epochOf: withClientErrors(records.epochOf),
    record: withClientErrors(records.record),
    /** Whether the device may poll now; polling too early raises its interval. */
    mayPoll,
    pollingInterval: () => settings().oidc.device_flow.polling_interval,
    outcomes,
    /** This region, which codes and tokens name; undefined if there is one only. */
    region: parts.regionCalls?.name,
    userCodes: parts.userCodes,
    browserOf: createBrowserOf(initial.issuer),
    /** `Set-Cookie` values for a browser with this session; undefined while session management is off. */
    browserStateCookies: (uid: string, maxAge: number | undefined) => parts.pages()?.browserStateCookies(uid, maxAge),
    onOutcomeLost: (err: unknown): void =>
      logger.warn({ err }, "a repeated form of this sign-in will show that the page has expired"),
    contentSecurityPolicy: securityPolicy,
    discoveryMembers: () => discoveryMembers(settings(), parts.pages()?.languages.map(({ tag }) => tag) ?? []),
    renderError: createRenderError(parts.pages, (clientId) => policies().get(clientId)?.limit),
    onGrant: counted.grant,
    /** The account that claims are taken from. */
    accountOf: async (accountId: string) => {
      const account = await accounts.find(accountId);
      return account && parts.domains.withAttributes(account);
    },
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
