import { type AuthDecision, type AuthRequest, normalisedProtocol, pathTo } from "@postern/shared/contracts";
import { type Config, mailScopes } from "@postern/shared/platform/config";
import type { WireNames } from "../http/naming.ts";
import { type HttpReply, headerText } from "../http/reply.ts";

/**
 * What a mail program needs to obtain a token: the URL of the discovery document, the scopes of each protocol, and those for every protocol.
 * Undefined while tokens are not accepted, or another identity provider issues them.
 */
export function oauthFailureSettings({ auth, identity }: Config) {
  const { enabled, issuer: own, required_scope: always } = auth.oauthbearer;
  const { oidc } = identity;
  const issuer = own === "" ? auth.backchannel.oidc_bearer.issuer : own;
  if (!enabled || !oidc.enabled || oidc.issuer !== issuer) return undefined;
  const scopes = oidc.mail_registration.enabled
    ? mailScopes(oidc.mail_registration).map(({ name, protocols }) => ({ name, protocols }))
    : [];
  return { discovery: `${issuer}${pathTo("discovery")}`, scopes, always };
}

export type OauthFailureSettings = ReturnType<typeof oauthFailureSettings>;

const tokenMethod = /^(?:oauthbearer|xoauth2)$/iu;

/** Every denial has the same text, so that it does not tell why the token was refused. */
function failureText({ discovery, scopes, always }: NonNullable<OauthFailureSettings>, protocol: string): string {
  const fitting = scopes.filter(({ protocols }) => protocols.some((name) => normalisedProtocol(name) === protocol));
  const scope = fitting.length > 0 ? fitting.map(({ name }) => name) : always;
  return JSON.stringify({
    status: "invalid_token",
    ...(scope.length > 0 && { scope: scope.join(" ") }),
    "openid-configuration": discovery,
  });
}

/**
 * Adds the error result of OAUTHBEARER (RFC 7628 §3.2.2) to the denial of a sign-in by token. The mail server sends it to
 * the mail program, which can then discover how to obtain a token.
 */
export function withOauthFailure(
  reply: HttpReply,
  { method, protocol }: Pick<AuthRequest, "method" | "protocol">,
  { outcome }: Pick<AuthDecision, "outcome">,
  { names, settings }: { readonly names: WireNames; readonly settings: OauthFailureSettings },
): HttpReply {
  const isDenial = outcome === "fail" || outcome === "blocked";
  if (settings === undefined || !isDenial || !tokenMethod.test(method?.trim() ?? "")) return reply;
  const text = headerText(failureText(settings, normalisedProtocol(protocol)));
  return { ...reply, headers: [...reply.headers, [`${names.prefix}OAuth-Failure`, text]] };
}
