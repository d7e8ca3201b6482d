import { addressMemberOf, type ClaimMappingConfig, claimNameOf } from "@postern/shared/platform/config";
import { attributeOf } from "../../domains/account-domains.ts";
import type { BrowserSessions } from "../../sessions/session-store-redis.ts";
import type { OidcAccount } from "../accounts/accounts-redis.ts";
import { isRecord } from "../storage/models.ts";

/**
 * What only the console receives: under which record the second factor is kept with which the session began; empty if it began without,
 * or has ended. Nothing for other clients.
 *
 * @param consoleClientId `runtime.console.client_id`; empty without a console
 */
export function createConsoleClaims(consoleClientId: string, sessions: Pick<BrowserSessions, "findByUid">) {
  return async (clientId: string, sessionUid: string | undefined): Promise<{ readonly second_factor?: string }> => {
    if (consoleClientId === "" || clientId !== consoleClientId) return {};
    const session = sessionUid === undefined ? undefined : await sessions.findByUid(sessionUid);
    return { second_factor: session?.factor?.id ?? "" };
  };
}

type ClaimValue = string | number | boolean | object;

/** Types that OpenID Connect Core §5.1 fixes, whatever a mapping says. */
const fixedTypes: Readonly<Record<string, readonly [type: string, ...others: string[]]>> = {
  email_verified: ["boolean"],
  phone_number_verified: ["boolean"],
  updated_at: ["time", "integer"],
  address: ["address", "object"],
};

/** The type in which a claim is released: the mapping's, unless the standard defines another one. */
function claimTypeOf(claim: string, type: string): string {
  const fixed = fixedTypes[claim];
  return fixed === undefined || fixed.includes(type) ? type : fixed[0];
}

function booleanOf(text: string): boolean | undefined {
  if (/^(?:true|yes|on|1)$/i.test(text)) return true;
  return /^(?:false|no|off|0)$/i.test(text) ? false : undefined;
}

function numberOf(text: string, isInteger: boolean): number | undefined {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) && (!isInteger || Number.isSafeInteger(value)) ? value : undefined;
}

/** LDAP's GeneralizedTime in UTC (RFC 4517 §3.3.13), for example of `modifyTimestamp`. */
const generalizedTime = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(?:[.,]\d+)?Z$/;
const dateWithZone = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/;

/** Seconds since 1970: a number, a GeneralizedTime, or a date and time with its zone (RFC 3339). */
function secondsOf(text: string): number | undefined {
  const seconds = numberOf(text, false);
  if (seconds !== undefined) return seconds;
  const iso = generalizedTime.test(text) ? text.replace(generalizedTime, "$1-$2-$3T$4:$5:$6Z") : text;
  const ms = dateWithZone.test(iso) ? Date.parse(iso) : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
}

function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** LDAP separates the lines of an address by `$` (RFC 4517 §3.3.28). */
function addressLines(text: string): string {
  return text.replaceAll("$", "\n");
}

/** @returns undefined if the text does not fit the type */
function claimValueOf(text: string, type: string): ClaimValue | undefined {
  switch (type) {
    case "boolean":
      return booleanOf(text);
    case "integer":
      return numberOf(text, true);
    case "float":
      return numberOf(text, false);
    case "time":
      return secondsOf(text);
    case "object":
      return objectOf(text);
    case "address":
      return { formatted: addressLines(text) };
    default:
      return text;
  }
}

/** Behaviour reference §2.6: claims that no mapping may set. */
const reserved: ReadonlySet<string> = new Set([
  ..."active acr amr at_hash aud auth_time azp c_hash client_id cnf events exp iat iss jti nbf nonce scope sid sub".split(
    " ",
  ),
  ..."token_type username epoch".split(" "),
]);

/** Common attribute names, for claims without a mapping. */
const usual: Readonly<Record<string, readonly string[]>> = {
  given_name: ["givenName"],
  family_name: ["sn"],
  email: ["mail", "email"],
  phone_number: ["telephoneNumber", "mobile"],
  locale: ["preferredLanguage"],
  website: ["labeledURI"],
};

/** The attributes of the members of `address` (RFC 4519). */
const usualAddress: Readonly<Record<string, readonly string[]>> = {
  formatted: ["postalAddress"],
  street_address: ["street", "streetAddress"],
  locality: ["l"],
  region: ["st"],
  postal_code: ["postalCode"],
  country: ["co", "c"],
};

const ofEveryAccount: ReadonlySet<string> = new Set(["preferred_username", "name", "email", "groups"]);

/** Claims that vouch for another claim and are meaningless without it. */
const vouchesFor: Readonly<Record<string, string>> = {
  email_verified: "email",
  phone_number_verified: "phone_number",
};

/** Called for a mapping whose value does not fit the claim's type, so that the claim is omitted. */
export type OnUnreadable = (unreadable: { readonly claim: string; readonly type: string }) => void;

const ignored: OnUnreadable = () => undefined;

type Claims = Record<string, ClaimValue>;

function firstText(account: OidcAccount, names: readonly string[]): string | undefined {
  return names.flatMap((name) => attributeOf(account.attributes, name)).find((text) => text !== "");
}

function isConstant({ constant }: ClaimMappingConfig): boolean {
  return constant !== "";
}

function textsOf(account: OidcAccount, { attribute: name, from }: ClaimMappingConfig): readonly string[] {
  if (from === "groups") return account.groups ?? [];
  return from === "group_dns" ? (account.groupDns ?? []) : attributeOf(account.attributes, name);
}

function mapped(account: OidcAccount, mapping: ClaimMappingConfig, onUnreadable: OnUnreadable): ClaimValue | undefined {
  const { claim, constant } = mapping;
  const type = claimTypeOf(claim, mapping.type);
  if (isConstant(mapping)) return typeof constant === "string" ? claimValueOf(constant, type) : constant;
  const texts = textsOf(account, mapping);
  if (type.endsWith("_array")) {
    const single = type.slice(0, -"_array".length);
    return texts.flatMap((text) => claimValueOf(text, single) ?? []);
  }
  const [first] = texts;
  const value = first === undefined ? undefined : claimValueOf(first, type);
  const isList = claim === "address" && Array.isArray(value);
  if ((value === undefined && (first ?? "") !== "") || isList) onUnreadable({ claim, type });
  return isList ? undefined : value;
}

/** A mapping of a member of `address` adds to the members that are known already. */
function setClaim(claims: Claims, claim: string, value: ClaimValue): void {
  const member = addressMemberOf(claim);
  if (member === undefined) {
    claims[claim] = value;
    return;
  }
  if (typeof value === "object") return;
  const { address } = claims;
  const text = member === "formatted" || member === "street_address" ? addressLines(String(value)) : String(value);
  claims["address"] = { ...(isRecord(address) ? address : {}), [member]: text };
}

function usualClaims(account: OidcAccount): Claims {
  const claims: Claims = { preferred_username: account.account };
  const name =
    account.displayName ??
    attributeOf(account.attributes, "displayName")[0] ??
    attributeOf(account.attributes, "cn")[0];
  if (name !== undefined) claims["name"] = name;
  for (const [claim, names] of Object.entries(usual)) {
    const value = firstText(account, names);
    if (value !== undefined) claims[claim] = value;
  }
  for (const [member, names] of Object.entries(usualAddress)) {
    const value = firstText(account, names);
    if (value !== undefined) setClaim(claims, `address.${member}`, value);
  }
  if (claims["email"] === undefined && account.account.includes("@")) claims["email"] = account.account;
  if (account.groups !== undefined) claims["groups"] = account.groups;
  return claims;
}

/** Constants that vouch for a claim that is not released. */
function idleConstants(mappings: readonly ClaimMappingConfig[], leaving: Readonly<Record<string, unknown>>) {
  const constants = mappings.filter(isConstant).map(({ claim }) => claim);
  return constants.filter((claim) => {
    const other = vouchesFor[claim];
    return other !== undefined && (leaving[other] ?? "") === "";
  });
}

/** Only the claims of the site's mappings; `beside` are the claims released together with them. */
export function mappedClaims(
  account: OidcAccount,
  mappings: readonly ClaimMappingConfig[],
  beside: Readonly<Record<string, unknown>> = {},
  onUnreadable = ignored,
): Claims {
  const claims: Claims = {};
  for (const mapping of mappings) {
    const value = reserved.has(mapping.claim) ? undefined : mapped(account, mapping, onUnreadable);
    if (value !== undefined && value !== "") setClaim(claims, mapping.claim, value);
  }
  const idle = idleConstants(mappings, { ...beside, ...claims });
  return idle.length === 0
    ? claims
    : Object.fromEntries(Object.entries(claims).filter(([claim]) => !idle.includes(claim)));
}

/** The sources of an account's claims, in addition to the common attribute names. */
export interface ClaimSources {
  /** Attributes with the names of a custom scope's claims, for claims without another source. */
  readonly named: readonly ClaimMappingConfig[];
  /** Mappings; later ones take precedence. */
  readonly mappings: readonly ClaimMappingConfig[];
}

/** All claims of an account that have a value; scopes and the request decide which are released. */
export function claimsOf(account: OidcAccount, { named, mappings }: ClaimSources, onUnreadable = ignored): Claims {
  const known = { ...mappedClaims(account, named, {}, onUnreadable), ...usualClaims(account) };
  return { ...known, ...mappedClaims(account, mappings, known, onUnreadable) };
}

/** The mailbox name that mail systems read from introspection. */
export function emailOf(account: OidcAccount, sources: ClaimSources): string | undefined {
  const { email } = claimsOf(account, sources);
  return typeof email === "string" ? email : undefined;
}

/**
 * Whether a claim has a source.
 *
 * @param attributes names of the backends' attributes, in lower case; undefined if scripts may return any attribute
 */
export function hasSource(
  claim: string,
  { named, mappings }: ClaimSources,
  attributes: ReadonlySet<string> | undefined,
): boolean {
  if (ofEveryAccount.has(claim) || mappings.some((mapping) => claimNameOf(mapping.claim) === claim)) return true;
  const ofScope = named.filter((one) => one.claim === claim).map((one) => one.attribute);
  const common = claim === "address" ? Object.values(usualAddress).flat() : (usual[claim] ?? []);
  return [...ofScope, ...common].some((name) => attributes?.has(name.toLowerCase()) ?? true);
}
