import { hkdfSync } from "node:crypto";
import { pathTo } from "@postern/shared/contracts";
import {
  backchannelAudience,
  type Config,
  type CustomScopeConfig,
  claimNameOf,
  mailScopes,
  type OidcConfig,
  scopeClaims,
} from "@postern/shared/platform/config";
import type { DeliveryTimes } from "../../logout-delivery/delivery-queue.ts";
import { type OidcSignature, oidcSignatures, withProfile } from "./client-profile.ts";

function nonceSecretOf({ identity, storage }: Config): Buffer | undefined {
  if (!identity.oidc.dpop.require_nonce) return undefined;
  const { encryption_secret: secret } = storage.redis;
  return Buffer.from(hkdfSync("sha256", secret, "postern", "nonces of DPoP proofs", 32));
}

function attributesOf({ auth: { backends } }: Config): ReadonlySet<string> | undefined {
  const kinds = new Set(backends.order.map((entry) => entry.split("(", 1)[0]));
  if (kinds.has("lua")) return undefined;
  const searches = [
    ...(kinds.has("ldap") ? backends.ldap.search : []),
    ...(kinds.has("sql") ? backends.sql.search : []),
  ];
  const names = searches.flatMap(({ attribute, mapping }) => [...attribute, mapping.account_field]);
  return new Set(names.map((name) => name.toLowerCase()));
}

/** Mail servers and names of mail services in the configuration. Those of domains that a source returns are not known here. */
function mailServersOf({ identity, auth }: Config) {
  return [...identity.mail_clients.domains, ...auth.domains.records.map(({ mail }) => mail)];
}

function mailHostsOf(config: Config): readonly string[] {
  if (!config.identity.mail_clients.enabled) return [];
  const hosts = mailServersOf(config).flatMap(({ imap, pop3, smtp }) => [imap.host, pop3.host, smtp.host]);
  return [...new Set(hosts.filter((host) => host !== ""))];
}

function siteNamesOf(config: Config): readonly string[] {
  const { frontend, oidc } = config.identity;
  const ofDomains = mailServersOf(config).map(({ display_name: name }) => name);
  const names = [frontend.branding.name, URL.parse(oidc.issuer)?.hostname ?? "", ...ofDomains];
  return [...new Set(names.filter((name) => name !== ""))];
}

export function oidcSettings(config: Config) {
  const { identity, runtime } = config;
  const { address, header } = runtime.servers.http.client_certificates;
  return {
    enabled: identity.oidc.enabled,
    /** An origin, without a trailing slash. */
    issuer: identity.oidc.issuer,
    oidc: { ...identity.oidc, clients: identity.oidc.clients.map((client) => withProfile(client)) },
    identifier: runtime.naming.identifier,
    /** Audience of clients' own tokens, by which the gateway accepts them as API callers' tokens. */
    backchannelAudience: backchannelAudience(config),
    developerMode: runtime.developer_mode,
    mfaPolicy: identity.mfa_policy,
    /** Whether a listener or a trusted proxy passes the certificates of clients. */
    certificates: address.length > 0 || header !== "",
    /** 32 bytes from which all replicas derive the nonces of DPoP proofs; undefined if proofs need none. */
    nonceSecret: nonceSecretOf(config),
    /** Names of the attributes that the backends return, in lower case; undefined if a script may return any. */
    attributes: attributesOf(config),
    /** The name of the site, and those of its mail domains. */
    siteNames: siteNamesOf(config),
    /** Hosts of the mail servers that clients find by `identity.mail_clients`. */
    mailHosts: mailHostsOf(config),
  };
}

export type OidcSettings = Readonly<ReturnType<typeof oidcSettings>>;

/** The longest lifetime that a token of this kind has at this site, in ms. */
export function longestLife({ oidc }: OidcSettings, kind: "access_token" | "refresh_token"): number {
  const { clients, mail_registration: mail, tokens } = oidc;
  const lives = [...clients, ...(mail.enabled ? [mail] : [])].map((one) => one[`${kind}_lifetime`]);
  return Math.max(tokens[`default_${kind}_lifetime`], ...lives);
}

/** Algorithms of the tokens that this site issues: those that it offers, and those that its clients and keys need. */
export function offeredSignatures({ oidc }: Pick<OidcSettings, "oidc">): readonly OidcSignature[] {
  const offered = new Set<string>(["RS256", ...oidc.id_token_signing_alg_values_supported]);
  for (const client of oidc.clients) {
    offered.add(client.id_token_signed_response_alg);
    offered.add(client.authorization_signed_response_alg);
    offered.add(client.userinfo_signed_response_alg);
  }
  for (const { algorithm, active } of oidc.signing_keys) if (active) offered.add(algorithm);
  return oidcSignatures.filter((name) => offered.has(name));
}

function customScopes({ custom_scopes, clients }: OidcConfig): readonly CustomScopeConfig[] {
  return [...custom_scopes, ...clients.flatMap((client) => client.custom_scopes)];
}

/** Scopes that a token can have: the announced and the custom ones. */
export function allScopes({ oidc }: OidcSettings): readonly string[] {
  const { mail_registration: mail, dynamic_registration: full } = oidc;
  const registered = full.enabled ? full.scopes : [];
  const ofMail = mail.enabled ? [...mailScopes(mail).map(({ name }) => name), "offline_access"] : [];
  return [
    ...new Set([...oidc.scopes_supported, ...customScopes(oidc).map(({ name }) => name), ...ofMail, ...registered]),
  ];
}

/** Claims of each scope, and claims that only mappings provide. The clients' own tables decide what is released. */
export function claimTable({ oidc }: OidcSettings): Record<string, null | readonly string[]> {
  const table: Record<string, null | readonly string[]> = {
    openid: ["sub", "acr", "amr", "auth_time", "sid"],
    ...Object.fromEntries(scopeClaims(oidc.scopes_supported, customScopes(oidc))),
  };
  for (const { id_token_claims } of oidc.clients) {
    for (const { claim } of id_token_claims.mappings) table[claimNameOf(claim)] ??= null;
  }
  for (const claim of oidc.claims_supported) table[claim] ??= null;
  return table;
}

export function deliveryTimes({ oidc: { logout } }: OidcSettings): DeliveryTimes {
  return {
    timeoutMs: logout.back_channel_timeout,
    firstDelayMs: logout.back_channel_retry_delay,
    longestDelayMs: logout.back_channel_retry_max_delay,
  };
}

/** Members of discovery for request objects: `none` and references only where a client may use them. */
export function requestObjectSupport({ oidc }: OidcSettings): Readonly<Record<string, readonly string[] | boolean>> {
  const { enabled, unsigned_request_objects: unsigned, request_uris: references } = oidc.dynamic_registration;
  const hasUnsigned = oidc.clients.some((client) => ["none", "any"].includes(client.request_object_signing_alg));
  const hasReferences = oidc.clients.some((client) => client.request_uris.length > 0);
  const algorithms = [...oidcSignatures, ...(hasUnsigned || (enabled && unsigned) ? ["none"] : [])];
  return {
    request_object_signing_alg_values_supported: algorithms,
    request_uri_parameter_supported: hasReferences || (enabled && references),
    require_request_uri_registration: true,
  };
}

/** Members of discovery (Front-Channel Logout 1.0 §3, Back-Channel Logout 1.0 §2.1, Session Management 1.0 §3.3). */
export function logoutSupport({
  issuer,
  oidc: { logout, session_management: sessions },
}: OidcSettings): Readonly<Record<string, boolean | string>> {
  const { front_channel_supported: front, back_channel_supported: back } = logout;
  return {
    frontchannel_logout_supported: front,
    frontchannel_logout_session_supported: front && logout.front_channel_session_supported,
    backchannel_logout_supported: back,
    backchannel_logout_session_supported: back && logout.back_channel_session_supported,
    ...(sessions.enabled && { check_session_iframe: new URL(pathTo("checkSession"), issuer).href }),
  };
}
