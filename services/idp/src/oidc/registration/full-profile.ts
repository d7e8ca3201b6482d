import { type DynamicRegistrationConfig, implicitTypes } from "@postern/shared/platform/config";
import { readClientKeys } from "../clients/client-keys.ts";
import { oidcSignatures } from "../settings/client-profile.ts";
import { implicitTypeOf } from "../settings/response-types.ts";
import { isRecord, wordsOf } from "../storage/models.ts";
import { readClientName } from "./client-name.ts";
import { badName, type Members, readMembers, softwareOf } from "./members.ts";
import { type RedirectKind, redirectKind } from "./redirect-uri.ts";
import { invalid, type Refusal, type RegisteredMetadata, type Registration } from "./registration.ts";

/** What a client asks for, in the bounds that the site sets. */
export type FullClient = Pick<Registration, "name" | "redirectUris" | "scopes" | "softwareId" | "softwareVersion"> & {
  readonly metadata: RegisteredMetadata;
};

type Settings = DynamicRegistrationConfig;

const maxUris = 10;
/** A year, in seconds. */
const longestAge = 31_536_000;
const methods = ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"] as const;
const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** Members that change what the client receives, and that are not supported. */
const unsupported = [
  "id_token_encrypted_response_alg",
  "userinfo_encrypted_response_alg",
  "request_object_encryption_alg",
  "authorization_encrypted_response_alg",
  "introspection_encrypted_response_alg",
] as const;

/** Whether the site lets addresses of clients lead to this host. */
function permitsHost({ redirect_hosts: hosts }: Settings, host: string): boolean {
  const name = host.replace(/:\d+$/, "");
  const isCovered = (pattern: string): boolean =>
    pattern.startsWith("*.") ? name.endsWith(pattern.slice(1)) : name === pattern;
  return hosts.length === 0 || hosts.some(isCovered);
}

function address(members: Members, name: string, settings: Settings, kinds: readonly RedirectKind[]): string {
  const uri = members.text(name);
  const kind = redirectKind(uri, (host) => permitsHost(settings, host));
  if (uri !== "" && (kind === undefined || !kinds.includes(kind)))
    members.refuse(invalid(`${name} must be a permitted https URL`));
  return uri;
}

/** Loopback addresses are for trials; the server itself does not connect to them unless the site permits it. */
const forTrials: readonly RedirectKind[] = ["https", "loopback"];

type ApplicationType = RegisteredMetadata["applicationType"];

/** OpenID Connect Registration §2, `application_type`: websites use https, other applications also their own schemes. */
function isPermittedRedirect(uri: string, type: ApplicationType, settings: Settings): boolean {
  const kind = redirectKind(uri, (host) => permitsHost(settings, host));
  return kind === "private" ? type !== "web" : kind !== undefined;
}

function redirects(members: Members, name: string, type: ApplicationType, settings: Settings): readonly string[] {
  const uris = members.list(name) ?? [];
  if (uris.length > maxUris || !uris.every((uri) => isPermittedRedirect(uri, type, settings))) {
    const description = `${name} must be at most ${maxUris} permitted https URLs, loopback addresses or, for native applications, private-use schemes`;
    members.refuse({ error: "invalid_redirect_uri", description });
  }
  return uris;
}

type Grants = Pick<RegisteredMetadata, "grantTypes" | "implicitTypes">;

/** A response type without its grant type, or the reverse, is refused (RFC 7591 §2.1). */
function grantsOf(members: Members, { grant_types: permitted }: Settings): Grants {
  const grants = members.list("grant_types") ?? ["authorization_code"];
  const foreign = grants.find((grant) => !permitted.includes(grant));
  if (foreign !== undefined) members.refuse(invalid(`grant_types must contain only ${permitted.join(", ")}`));
  const usesCodes = grants.includes("authorization_code");
  const types = members.list("response_types") ?? (usesCodes ? ["code"] : []);
  const others = types.filter((type) => type !== "code");
  const implicit = implicitTypes.filter((type) => others.some((other) => implicitTypeOf(other) === type));
  if (types.includes("code") !== usesCodes || others.length !== implicit.length) {
    members.refuse(invalid("response_types must be code with authorization_code, and never without it"));
  }
  if (implicit.length > 0 !== grants.includes("implicit")) {
    members.refuse(
      invalid("response_types must contain id_token or 'id_token token' only with the grant type implicit"),
    );
  }
  if (grants.every((grant) => grant === "refresh_token")) members.refuse(invalid("grant_types permit no sign-in"));
  return { grantTypes: grants, ...(implicit.length > 0 && { implicitTypes: implicit }) };
}

/** The implicit flow cannot have the protections that the client demands for its other requests. */
function checkImplicit(members: Members, metadata: RegisteredMetadata): void {
  const { requiresDpop, requiresPushedRequests, requiresSignedRequests } = metadata;
  const isProtected = requiresDpop || requiresPushedRequests || requiresSignedRequests;
  if (metadata.implicitTypes !== undefined && isProtected) {
    members.refuse(
      invalid("the grant type implicit excludes signed and pushed requests and DPoP, which the client requires"),
    );
  }
}

/** The permitted ones among the requested scopes; all if none is requested. Refresh tokens need their grant type. */
function scopesOf(members: Members, grants: readonly string[], { scopes: permitted }: Settings): readonly string[] {
  const requested = wordsOf(members.text("scope"));
  const named = requested.length === 0 ? permitted : permitted.filter((scope) => requested.includes(scope));
  const scopes = named.filter((scope) => scope !== "offline_access" || grants.includes("refresh_token"));
  if (scopes.every((scope) => scope === "offline_access")) members.refuse(invalid("none of the scopes is permitted"));
  return scopes;
}

/** A key set by value, as JSON. It must not contain private keys, which the client would have revealed. */
function keySet(members: Members): string {
  const value = members.value("jwks");
  if (value === undefined) return "";
  const keys: unknown = isRecord(value) ? value["keys"] : undefined;
  const listed: readonly unknown[] = Array.isArray(keys) ? keys : [];
  if (listed.some((key) => isRecord(key) && privateMembers.some((name) => Object.hasOwn(key, name)))) {
    members.refuse(invalid("jwks must contain only public keys"));
  }
  try {
    readClientKeys(value);
  } catch {
    members.refuse(invalid("jwks must contain a public key for RS256, PS256, ES256 or EdDSA"));
  }
  return JSON.stringify(value);
}

/** Keys by value or by reference, where something that the client signs needs them. */
function keys(members: Members, isNeeded: boolean, settings: Settings): Pick<RegisteredMetadata, "jwks" | "jwksUri"> {
  const [jwks, jwksUri] = [keySet(members), address(members, "jwks_uri", settings, forTrials)];
  if (jwks !== "" && jwksUri !== "") members.refuse(invalid("only one of jwks and jwks_uri is allowed"));
  if (isNeeded && jwks === "" && jwksUri === "") members.refuse(invalid("jwks or jwks_uri is required"));
  return { jwks, jwksUri };
}

const fragment = /^[A-Za-z0-9_-]{0,64}$/;

/** A fragment tells versions of the content apart (OpenID Connect Core §6.2), and is not sent. */
function isPermittedRequestUri(uri: string, settings: Settings): boolean {
  const [document = "", hash = "", ...more] = uri.split("#");
  const kind = redirectKind(document, (host) => permitsHost(settings, host));
  return kind === "https" && fragment.test(hash) && more.length === 0;
}

/** If the site does not permit them, they are ignored: the client can send its request objects by value. */
function requestUris(members: Members, settings: Settings): Pick<RegisteredMetadata, "requestUris"> {
  const uris = members.list("request_uris") ?? [];
  if (!settings.request_uris || uris.length === 0) return {};
  if (uris.length > maxUris || !uris.every((uri) => isPermittedRequestUri(uri, settings))) {
    members.refuse(invalid(`request_uris must be at most ${maxUris} permitted https URLs`));
  }
  return { requestUris: uris };
}

function authMethod(members: Members, { token_endpoint_auth_methods: permitted }: Settings) {
  const method = members.choice("token_endpoint_auth_method", methods, "client_secret_basic");
  if (!permitted.includes(method)) {
    members.refuse(invalid(`token_endpoint_auth_method must be ${permitted.join(" or ")}`));
  }
  return method;
}

/** A confidential client is a website unless it says otherwise; each address of a public one that says nothing has its own rule. */
function typeOf(members: Members, method: RegisteredMetadata["authMethod"]): ApplicationType {
  const stated = members.choice("application_type", ["", "web", "native"], "");
  if (stated !== "") return stated;
  return method === "none" ? undefined : "web";
}

function metadataOf(members: Members, grants: Grants, settings: Settings): RegisteredMetadata {
  const method = authMethod(members, settings);
  const applicationType = typeOf(members, method);
  const objectAlgorithm = members.choice("request_object_signing_alg", ["", "none", ...oidcSignatures], "");
  const requiresSignedRequests = members.flag("require_signed_request_object");
  if (requiresSignedRequests && objectAlgorithm === "none") {
    members.refuse(invalid("request_object_signing_alg must not be none with require_signed_request_object"));
  }
  const signsRequests = requiresSignedRequests || (objectAlgorithm !== "" && objectAlgorithm !== "none");
  return {
    applicationType,
    authMethod: method,
    ...grants,
    postLogoutRedirectUris: redirects(members, "post_logout_redirect_uris", applicationType, settings),
    ...keys(members, method === "private_key_jwt" || signsRequests, settings),
    policyUri: address(members, "policy_uri", settings, forTrials),
    tosUri: address(members, "tos_uri", settings, forTrials),
    // OpenID Connect Core §4: https, without an exception.
    initiateLoginUri: address(members, "initiate_login_uri", settings, ["https"]),
    idTokenAlgorithm: members.choice("id_token_signed_response_alg", oidcSignatures, "RS256"),
    defaultMaxAge: members.count("default_max_age", longestAge),
    userinfoAlgorithm: members.choice("userinfo_signed_response_alg", ["", ...oidcSignatures], ""),
    requestObjectAlgorithm: objectAlgorithm,
    ...requestUris(members, settings),
    requiresPushedRequests: members.flag("require_pushed_authorization_requests"),
    requiresSignedRequests,
    requiresDpop: members.flag("dpop_bound_access_tokens"),
  };
}

function nameOf(members: Members): string {
  const name = readClientName(members.text("client_name"));
  if (name === undefined) members.refuse(badName);
  return name ?? "";
}

/**
 * Reads the metadata of a client (RFC 7591 §2, OpenID Connect Registration §2) in the bounds that the site sets. Members
 * that are not supported are ignored, except those that would change what the client receives.
 */
export function readFullClient(body: unknown, settings: Settings): FullClient | Refusal {
  const members = readMembers(body);
  for (const name of unsupported) members.forbid(name, "is not supported");
  members.choice("subject_type", ["public"], "public");
  const requestedGrants = grantsOf(members, settings);
  const grants = requestedGrants.grantTypes;
  const metadata = metadataOf(members, requestedGrants, settings);
  checkImplicit(members, metadata);
  const redirectUris = redirects(members, "redirect_uris", metadata.applicationType, settings);
  const redirected = grants.includes("authorization_code") || grants.includes("implicit");
  if (redirected && redirectUris.length === 0) {
    members.refuse({ error: "invalid_redirect_uri", description: "redirect_uris must not be empty" });
  }
  const client: FullClient = {
    name: nameOf(members),
    redirectUris,
    scopes: scopesOf(members, grants, settings),
    softwareId: softwareOf(members.text("software_id")),
    softwareVersion: softwareOf(members.text("software_version")),
    metadata,
  };
  return members.refusal ?? client;
}
