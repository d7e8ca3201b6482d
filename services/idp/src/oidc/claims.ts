import type { ClaimMappingConfig } from "@postern/shared/config";
import type { OidcAccount } from "./accounts.ts";

/** Behaviour reference §2.6: what no mapping may set. */
const reserved: ReadonlySet<string> = new Set([
  ..."active acr amr at_hash aud auth_time azp c_hash client_id cnf events exp iat iss jti nbf nonce scope sid sub".split(
    " ",
  ),
  ..."token_type username epoch".split(" "),
]);

/** Usual names of attributes in directories, for claims that no mapping names. */
const usual: Readonly<Record<string, readonly string[]>> = {
  given_name: ["givenName"],
  family_name: ["sn"],
  email: ["mail", "email"],
  phone_number: ["telephoneNumber", "mobile"],
  locale: ["preferredLanguage"],
  website: ["labeledURI"],
};

type ClaimValue = string | number | boolean | object;

function attribute({ attributes }: OidcAccount, name: string): readonly string[] {
  const own = attributes[name];
  if (own !== undefined) return own;
  const found = Object.entries(attributes).find(([key]) => key.toLowerCase() === name.toLowerCase());
  return found?.[1] ?? [];
}

function booleanOf(text: string): boolean | undefined {
  if (/^(?:true|yes|on|1)$/i.test(text)) return true;
  return /^(?:false|no|off|0)$/i.test(text) ? false : undefined;
}

function numberOf(text: string, isInteger: boolean): number | undefined {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) && (!isInteger || Number.isSafeInteger(value)) ? value : undefined;
}

function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function valueOf(text: string, type: string): ClaimValue | undefined {
  switch (type) {
    case "boolean":
      return booleanOf(text);
    case "integer":
      return numberOf(text, true);
    case "float":
      return numberOf(text, false);
    case "object":
      return objectOf(text);
    case "address":
      return { formatted: text.replaceAll("$", "\n") };
    default:
      return text;
  }
}

function mapped(account: OidcAccount, { attribute: name, from, type }: ClaimMappingConfig): ClaimValue | undefined {
  const told = from === "groups" ? account.groups : from === "group_dns" ? account.groupDns : attribute(account, name);
  const texts = told ?? [];
  if (type.endsWith("_array")) {
    const single = type.slice(0, -"_array".length);
    return texts.flatMap((text) => valueOf(text, single) ?? []);
  }
  const [first] = texts;
  return first === undefined ? undefined : valueOf(first, type);
}

function usualClaims(account: OidcAccount): Record<string, ClaimValue> {
  const claims: Record<string, ClaimValue> = { preferred_username: account.account };
  const name = account.displayName ?? attribute(account, "displayName")[0] ?? attribute(account, "cn")[0];
  if (name !== undefined) claims["name"] = name;
  for (const [claim, names] of Object.entries(usual)) {
    const value = names.flatMap((attributeName) => attribute(account, attributeName))[0];
    if (value !== undefined) claims[claim] = value;
  }
  if (claims["email"] === undefined && account.account.includes("@")) claims["email"] = account.account;
  if (account.groups !== undefined) claims["groups"] = account.groups;
  return claims;
}

/** What the site's mappings alone give. */
export function mappedClaims(
  account: OidcAccount,
  mappings: readonly ClaimMappingConfig[],
): Record<string, ClaimValue> {
  const claims: Record<string, ClaimValue> = {};
  for (const mapping of mappings) {
    const value = reserved.has(mapping.claim) ? undefined : mapped(account, mapping);
    if (value !== undefined) claims[mapping.claim] = value;
  }
  return claims;
}

/** All claims of an account that a client may be told; which of them leave is decided by scopes and the request. */
export function claimsOf(account: OidcAccount, mappings: readonly ClaimMappingConfig[]): Record<string, ClaimValue> {
  return { ...usualClaims(account), ...mappedClaims(account, mappings) };
}

/** The mailbox name as mail systems read it from a token's answer. */
export function emailOf(account: OidcAccount, mappings: readonly ClaimMappingConfig[]): string | undefined {
  const { email } = claimsOf(account, mappings);
  return typeof email === "string" ? email : undefined;
}
