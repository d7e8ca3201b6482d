import { tagged } from "@postern/shared/domain/region-calls";
import type { OidcClientConfig } from "@postern/shared/platform/config";
import type { OidcSignature } from "../settings/client-profile.ts";
import { isRecord } from "../storage/models.ts";
import { mayShowName } from "./client-name.ts";
import type { OwnNames } from "./look-alike.ts";

/** The metadata of a client of dynamic registration, besides what every registration has. */
export interface RegisteredMetadata {
  /** Undefined for a public client that does not state it; always stated in registrations of earlier versions. */
  readonly applicationType?: "web" | "native" | undefined;
  readonly authMethod: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none";
  readonly grantTypes: readonly string[];
  /** Response types of the implicit flow; absent if the client does not use it, and for registrations of earlier versions. */
  readonly implicitTypes?: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  /** A JWK set in JSON; empty if the client has none or publishes it. */
  readonly jwks: string;
  readonly jwksUri: string;
  readonly policyUri: string;
  readonly tosUri: string;
  readonly initiateLoginUri: string;
  readonly idTokenAlgorithm: OidcSignature;
  /** Empty for responses without a signature; registrations of earlier versions have none. */
  readonly userinfoAlgorithm?: "" | OidcSignature;
  /** Seconds; undefined if any age is enough, and for registrations of earlier versions. */
  readonly defaultMaxAge?: number | undefined;
  readonly requestObjectAlgorithm: Exclude<OidcClientConfig["request_object_signing_alg"], "any">;
  /** Absent if the client publishes no request objects, and for registrations of earlier versions. */
  readonly requestUris?: readonly string[];
  readonly requiresPushedRequests: boolean;
  readonly requiresSignedRequests: boolean;
  readonly requiresDpop: boolean;
}

/** A client that registered itself (RFC 7591). */
export interface Registration {
  readonly id: string;
  /** `mail`: in the bounds of the profile for mail clients. `full`: with its own metadata and credentials. */
  readonly kind: RegistrationKind;
  /** What the client gave, unverified. Empty if it gave none. */
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  readonly softwareId?: string | undefined;
  readonly softwareVersion?: string | undefined;
  /** Undefined for a mail client. */
  readonly full?: FullRegistration | undefined;
  readonly network: string;
  /** Name of the initial access token; undefined if none was needed. */
  readonly initialToken?: string | undefined;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  /** When a token was last issued, accurate to one hour (s since the epoch); undefined before the first. */
  readonly usedAt?: number | undefined;
  /** End of the registration unless it is used (s since the epoch). */
  readonly endsAt: number;
}

export function isRegistration(value: unknown): value is Registration {
  return isRecord(value) && typeof value["id"] === "string" && typeof value["kind"] === "string";
}

export type RegistrationKind = "mail" | "full";

export interface FullRegistration {
  readonly metadata: RegisteredMetadata;
  /** Undefined for a client that does not authenticate by a secret. */
  readonly secret?: string | undefined;
  /** SHA-256 of the registration access token (RFC 7592), base64url. */
  readonly tokenDigest: string;
}

const prefixes: Readonly<Record<RegistrationKind, string>> = { mail: "mail_", full: "app_" };
/** With the tag of its region, where there are several. */
const registeredId = /^(?:[a-z0-9-]{1,20}~)?(mail|app)_[A-Za-z0-9_-]{22}$/;

/** @param random 16 bytes */
export function registeredIdOf(kind: RegistrationKind, random: Buffer, region: string | undefined): string {
  const id = `${prefixes[kind]}${random.toString("base64url")}`;
  return region === undefined ? id : tagged(region, id);
}

/** The kind of the registered client that an identifier can be that of: others are not looked up. */
export function kindOfId(id: string): RegistrationKind | undefined {
  const [, prefix] = registeredId.exec(id) ?? [];
  if (prefix === undefined) return undefined;
  return prefix === "mail" ? "mail" : "full";
}

/** What a user sees of a client that registered itself: instead of a name that may mislead, or is missing, where the sign-in leads. */
export function shownName(
  { name, redirectUris, id }: Pick<Registration, "name" | "redirectUris" | "id">,
  own: OwnNames,
): string {
  return name !== "" && mayShowName(name, own) ? name : (redirectTarget(redirectUris[0] ?? "") ?? id);
}

/** The part of a redirect URI that says who receives the sign-in: the origin, or the scheme of an application. */
export function redirectTarget(uri: string): string | undefined {
  const url = URL.parse(uri);
  if (url === null) return undefined;
  return url.protocol === "http:" || url.protocol === "https:" ? url.origin : url.protocol.slice(0, -1);
}

/** RFC 7591 §3.2.2. */
export interface Refusal {
  readonly error: "invalid_redirect_uri" | "invalid_client_metadata";
  readonly description: string;
}

export function invalid(description: string): Refusal {
  return { error: "invalid_client_metadata", description };
}
