import type { ClaimMappingConfig } from "@postern/shared/platform/config";
import type { OidcAccount } from "../accounts/accounts.ts";

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

/** Claims that vouch for another claim and are meaningless without it. */
const vouchesFor: Readonly<Record<string, string>> = {
  email_verified: "email",
  phone_number_verified: "phone_number",
};

/** Types that OpenID Connect Core §5.1 fixes, whatever a mapping says. */
const fixedTypes: Readonly<Record<string, "boolean" | "float">> = {
  email_verified: "boolean",
  phone_number_verified: "boolean",
  updated_at: "float",
};

/** Called for a mapping whose value does not fit the claim's type, so that the claim is omitted. */
export type OnUnreadable = (unreadable: { readonly claim: string; readonly type: string }) => void;

const ignored: OnUnreadable = () => undefined;

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

function isConstant({ constant }: ClaimMappingConfig): boolean {
  return constant !== "";
}

function typeOf({ claim, type }: ClaimMappingConfig): string {
  const fixed = fixedTypes[claim] ?? type;
  return fixed === "float" && type === "integer" ? type : fixed;
}

function mapped(account: OidcAccount, mapping: ClaimMappingConfig, onUnreadable: OnUnreadable): ClaimValue | undefined {
  const { claim, attribute: name, from, constant } = mapping;
  const type = typeOf(mapping);
  if (isConstant(mapping)) return typeof constant === "string" ? valueOf(constant, type) : constant;
  const values =
    from === "groups" ? account.groups : from === "group_dns" ? account.groupDns : attribute(account, name);
  const texts = values ?? [];
  if (type.endsWith("_array")) {
    const single = type.slice(0, -"_array".length);
    return texts.flatMap((text) => valueOf(text, single) ?? []);
  }
  const [first] = texts;
  const value = first === undefined ? undefined : valueOf(first, type);
  if (value === undefined && (first ?? "") !== "") onUnreadable({ claim, type });
  return value;
}

function usualClaims(account: OidcAccount): Record<string, ClaimValue> {
  const claims: Record<string, ClaimValue> = { preferred_username: account.account };
  const name = account.displayName ?? attribute(account, "displayName")[0] ?? attribute(account, "cn")[0];
  if (name !== undefined) claims["name"] = name;
  for (const [claim, names] of Object.entries(usual)) {
    const value = names.flatMap((attributeName) => attribute(account, attributeName)).find((text) => text !== "");
    if (value !== undefined) claims[claim] = value;
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

/** The mappings without constants of claims that no granted scope releases. */
export function grantedMappings(
  mappings: readonly ClaimMappingConfig[],
  claimTable: Readonly<Record<string, null | readonly string[]>>,
  scopes: readonly string[],
): readonly ClaimMappingConfig[] {
  if (!mappings.some(isConstant)) return mappings;
  const table = Object.entries(claimTable);
  return mappings.filter((mapping) => {
    const releasing = table.filter(([, claims]) => claims?.includes(mapping.claim) === true);
    return !isConstant(mapping) || releasing.length === 0 || releasing.some(([scope]) => scopes.includes(scope));
  });
}

/** Only the claims of the site's mappings; `beside` are the claims released together with them. */
export function mappedClaims(
  account: OidcAccount,
  mappings: readonly ClaimMappingConfig[],
  beside: Readonly<Record<string, unknown>> = {},
  onUnreadable = ignored,
): Record<string, ClaimValue> {
  const claims: Record<string, ClaimValue> = {};
  for (const mapping of mappings) {
    const value = reserved.has(mapping.claim) ? undefined : mapped(account, mapping, onUnreadable);
    if (value !== undefined) claims[mapping.claim] = value;
  }
  const idle = idleConstants(mappings, { ...beside, ...claims });
  return idle.length === 0
    ? claims
    : Object.fromEntries(Object.entries(claims).filter(([claim]) => !idle.includes(claim)));
}

/** All claims of an account that a client may receive; scopes and the request decide which are released. */
export function claimsOf(
  account: OidcAccount,
  mappings: readonly ClaimMappingConfig[],
  onUnreadable = ignored,
): Record<string, ClaimValue> {
  const usually = usualClaims(account);
  return { ...usually, ...mappedClaims(account, mappings, usually, onUnreadable) };
}

/** The mailbox name that mail systems read from introspection. */
export function emailOf(account: OidcAccount, mappings: readonly ClaimMappingConfig[]): string | undefined {
  const { email } = claimsOf(account, mappings);
  return typeof email === "string" ? email : undefined;
}
