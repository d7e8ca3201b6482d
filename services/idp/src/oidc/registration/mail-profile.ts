import { type MailRegistrationConfig, mailScopes } from "@postern/shared/platform/config";
import { isRecord, wordsOf } from "../storage/models.ts";
import { readClientName } from "./client-name.ts";
import { badName, softwareOf } from "./members.ts";
import { redirectKind } from "./redirect-uri.ts";
import { invalid, kindOfId, type Refusal, type Registration } from "./registration.ts";

/** Protocols of mail servers, as the scheme of a URI. */
const mailScheme = /^(?:imaps?|pop3?s?|smtps?|submissions?|sieve):\/\/([^/?#]+)\/?$/i;
const hostAndPort = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/;

/** Host names regardless of case, with or without the scheme of a mail protocol; URLs by their parts. */
function canonical(resource: string): string | undefined {
  const host = (mailScheme.exec(resource)?.[1] ?? resource).toLowerCase();
  if (hostAndPort.test(host)) return host;
  const url = URL.parse(resource);
  return url === null || url.hash !== "" ? undefined : url.href;
}

/**
 * Removes `resource` (RFC 8707) from the request of a registered mail client if it names only mail services of the site
 * (draft-ietf-mailmaint-oauth-public-06: host names for services other than HTTP). All of them have one audience, which
 * tokens of these clients have anyway, and the protocol core accepts no host names. Other resources remain, and are refused.
 */
export function acceptMailResources(params: URLSearchParams, known: readonly string[]): void {
  const named = params.getAll("resource");
  if (named.length === 0 || kindOfId(params.get("client_id") ?? "") !== "mail") return;
  const services = new Set(known.map(canonical));
  const isService = (resource: string): boolean => {
    const name = canonical(resource);
    return name !== undefined && services.has(name);
  };
  if (named.every(isService)) params.delete("resource");
}

/** What a client asks for, in the bounds of the profile. */
export type MailClient = Pick<Registration, "name" | "redirectUris" | "scopes" | "softwareId" | "softwareVersion">;

type Members = Readonly<Record<string, unknown>>;

const maxRedirectUris = 5;
const grants = ["authorization_code", "refresh_token"];

function isListOf(value: unknown, allowed: readonly string[]): boolean {
  return Array.isArray(value) && value.every((item: unknown) => typeof item === "string" && allowed.includes(item));
}

/** Members that a public native client cannot have otherwise (RFC 8252, draft-ietf-mailmaint-oauth-public-06). */
function unfit(members: Members): Refusal | undefined {
  const { token_endpoint_auth_method: method = "none", application_type: type = "native" } = members;
  const { response_types = ["code"], grant_types = grants, dpop_bound_access_tokens: isBound = false } = members;
  if (method !== "none") return invalid("token_endpoint_auth_method must be none");
  if (type !== "native") return invalid("application_type must be native");
  if (!isListOf(response_types, ["code"])) return invalid("response_types must be code");
  if (!isListOf(grant_types, grants)) return invalid("grant_types must be authorization_code and refresh_token");
  if (isBound !== false) return invalid("mail servers cannot use tokens that are bound to a key");
  return undefined;
}

function redirectUrisOf(value: unknown, hosts: readonly string[]): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxRedirectUris) return undefined;
  const uris = value.filter(
    (uri): uri is string => typeof uri === "string" && redirectKind(uri, (host) => hosts.includes(host)) !== undefined,
  );
  return uris.length === value.length ? [...new Set(uris)] : undefined;
}

/** The permitted ones among the requested scopes; all if none is requested. */
export function permittedScopes(settings: Pick<MailRegistrationConfig, "scopes">): readonly string[] {
  return [...mailScopes(settings).map(({ name }) => name), "offline_access"];
}

/**
 * Reads a registration request (RFC 7591 §2) in the bounds of the profile. Members that the profile does not know are
 * ignored, and no URI in them is ever fetched or shown.
 */
export function readMailClient(body: unknown, settings: MailRegistrationConfig): MailClient | Refusal {
  if (!isRecord(body)) return invalid("the request must be a JSON object");
  const refusal = unfit(body);
  if (refusal !== undefined) return refusal;
  const redirectUris = redirectUrisOf(body["redirect_uris"], settings.https_redirect_hosts);
  if (redirectUris === undefined) {
    const description = "redirect_uris must be one to five loopback addresses or private-use schemes (RFC 8252)";
    return { error: "invalid_redirect_uri", description };
  }
  const typed = body["client_name"] ?? "";
  const name = typeof typed === "string" ? readClientName(typed) : undefined;
  if (name === undefined) return badName;
  const permitted = permittedScopes(settings);
  const requested = wordsOf(body["scope"]);
  const scopes = requested.length === 0 ? permitted : permitted.filter((scope) => requested.includes(scope));
  if (!scopes.some((scope) => scope !== "offline_access")) return invalid("none of the scopes is permitted");
  const [softwareId, softwareVersion] = [softwareOf(body["software_id"]), softwareOf(body["software_version"])];
  return { name, redirectUris, scopes, softwareId, softwareVersion };
}
