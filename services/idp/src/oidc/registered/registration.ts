import { mayShowName } from "./client-name.ts";
import type { OwnNames } from "./look-alike.ts";
import type { RegisteredMetadata } from "./metadata.ts";

/** A client that registered itself (RFC 7591). */
export interface Registration {
  readonly id: string;
  /** `mail`: in the bounds of the profile for mail clients. `full`: with its own metadata and credentials. */
  readonly kind: RegistrationKind;
  /** As the client gave it, unverified. Empty if it gave none. */
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  readonly softwareId?: string | undefined;
  readonly softwareVersion?: string | undefined;
  /** Undefined for a mail client. */
  readonly full?: FullRegistration | undefined;
  /** Network from which the client registered. */
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

export type RegistrationKind = "mail" | "full";

/** What only a client of dynamic registration has. */
export interface FullRegistration {
  readonly metadata: RegisteredMetadata;
  /** Undefined for a client that does not authenticate by a secret. */
  readonly secret?: string | undefined;
  /** SHA-256 of the registration access token (RFC 7592), base64url. */
  readonly tokenDigest: string;
}

const prefixes: Readonly<Record<RegistrationKind, string>> = { mail: "mail_", full: "app_" };
const registeredId = /^(mail|app)_[A-Za-z0-9_-]{22}$/;

/** @param random 16 bytes */
export function registeredIdOf(kind: RegistrationKind, random: Buffer): string {
  return `${prefixes[kind]}${random.toString("base64url")}`;
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
