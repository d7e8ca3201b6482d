import { messages } from "../messages.ts";
import type { Judgement } from "./checks.ts";
import type { ClaimMappingConfig, CustomScopeConfig, OidcClientConfig, OidcConfig } from "./root.ts";

/** Claims of the standard scopes (OpenID Connect Core §5.4), and of `groups`. */
const standardScopeClaims: Readonly<Record<string, readonly string[]>> = {
  profile: [
    "name",
    "given_name",
    "family_name",
    "middle_name",
    "nickname",
    "preferred_username",
    "profile",
    "website",
    "picture",
    "gender",
    "birthdate",
    "zoneinfo",
    "locale",
    "updated_at",
  ],
  email: ["email", "email_verified"],
  phone: ["phone_number", "phone_number_verified"],
  address: ["address"],
  groups: ["groups"],
};

/** Members of `address` (OpenID Connect Core §5.1.1). */
const addressMembers: ReadonlySet<string> = new Set([
  "formatted",
  "street_address",
  "locality",
  "region",
  "postal_code",
  "country",
]);

/** The member of `address` that a mapping sets; undefined for a mapping of a whole claim. */
export function addressMemberOf(mappedClaim: string): string | undefined {
  const member = mappedClaim.startsWith("address.") ? mappedClaim.slice("address.".length) : "";
  return addressMembers.has(member) ? member : undefined;
}

/** The claim that a mapping contributes to. */
export function claimNameOf(mappedClaim: string): string {
  return addressMemberOf(mappedClaim) === undefined ? mappedClaim : "address";
}

/** Custom scopes as this client sees them: its own replace general ones of the same name. */
export function customScopesOf(
  { custom_scopes: general }: Pick<OidcConfig, "custom_scopes">,
  { custom_scopes: own }: Pick<OidcClientConfig, "custom_scopes">,
): readonly CustomScopeConfig[] {
  const names = new Set(own.map(({ name }) => name));
  return [...general.filter(({ name }) => !names.has(name)), ...own];
}

/** Claims of each scope that the site offers, by scope; custom scopes may extend standard ones. */
export function scopeClaims(
  scopesSupported: readonly string[],
  customScopes: readonly CustomScopeConfig[],
): ReadonlyMap<string, readonly string[]> {
  const table = new Map<string, readonly string[]>();
  for (const [scope, claims] of Object.entries(standardScopeClaims)) {
    if (scopesSupported.includes(scope)) table.set(scope, claims);
  }
  for (const { name, claims } of customScopes) {
    table.set(name, [...new Set([...(table.get(name) ?? []), ...claims.map((claim) => claim.name)])]);
  }
  return table;
}

/** The scopes to which each claim belongs, by claim. */
export function claimOwners(table: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, readonly string[]> {
  const owners = new Map<string, readonly string[]>();
  for (const [scope, claims] of table) {
    for (const claim of claims) owners.set(claim, [...(owners.get(claim) ?? []), scope]);
  }
  return owners;
}

/** OpenID Connect Core §5.1 defines these claims as JSON booleans and this one as a JSON number. */
const booleanClaims: ReadonlySet<string> = new Set(["email_verified", "phone_number_verified"]);
const numberClaims: ReadonlySet<string> = new Set(["updated_at"]);
/** Claims by which clients and mail servers identify users. */
const userClaims: ReadonlySet<string> = new Set(["sub", "username", "preferred_username", "email", "phone_number"]);
const scalarTypes: ReadonlySet<string> = new Set(["string", "boolean", "integer", "float"]);

function isBoolean({ constant, type }: ClaimMappingConfig): boolean {
  return typeof constant === "boolean" || (type === "boolean" && /^(?:true|false)$/.test(String(constant)));
}

function isNumber({ constant, type }: ClaimMappingConfig): boolean {
  if (typeof constant === "boolean" || String(constant).trim() === "") return false;
  return type === "integer" ? Number.isSafeInteger(Number(constant)) : Number.isFinite(Number(constant));
}

function wrongType(mapping: ClaimMappingConfig): string | undefined {
  const { claim, type } = mapping;
  if (!scalarTypes.has(type)) return messages.notWith(`type ${type}`);
  if (type === "boolean" || booleanClaims.has(claim)) {
    return isBoolean(mapping) ? undefined : messages.mustBe("true or false");
  }
  if ((type === "string" && !numberClaims.has(claim)) || isNumber(mapping)) return undefined;
  return messages.mustBe(type === "integer" ? "a whole number" : "a number");
}

function problemOf(mapping: ClaimMappingConfig): string | undefined {
  const { claim, attribute, from } = mapping;
  if (attribute !== "") return messages.notWith("attribute");
  if (from !== "") return messages.notWith("from");
  return userClaims.has(claim) ? messages.constantUser : wrongType(mapping);
}

function validateConstants(
  mappings: readonly ClaimMappingConfig[],
  path: string,
  { problem }: Pick<Judgement, "problem">,
): void {
  mappings.forEach((mapping, index) => {
    const found = mapping.constant === "" ? undefined : problemOf(mapping);
    if (found !== undefined) problem(`${path}[${index}].constant`, found);
  });
}

/** Claims by which mail servers find the mailbox; access tokens may carry them with any scope. */
const mailboxClaims: ReadonlySet<string> = new Set(["email", "preferred_username"]);

/** Mappings that can have no effect: their claims belong to scopes that the client may not obtain. */
function warnOfUnobtainable(oidc: OidcConfig, client: OidcClientConfig, path: string, { warning }: Judgement): void {
  const owners = claimOwners(scopeClaims(oidc.scopes_supported, customScopesOf(oidc, client)));
  const obtainable = new Set([...client.scopes, ...client.custom_scopes.map(({ name }) => name)]);
  for (const key of ["id_token_claims", "access_token_claims"] as const) {
    client[key].mappings.forEach(({ claim }, index) => {
      const scopes = owners.get(claimNameOf(claim)) ?? [];
      const isExempt = key === "access_token_claims" && mailboxClaims.has(claim);
      if (isExempt || scopes.length === 0 || scopes.some((scope) => obtainable.has(scope))) return;
      warning(`${path}.${key}.mappings[${index}].claim`, messages.claimOfOtherScope(scopes.join(", ")));
    });
  }
}

export function validateClientClaims(
  oidc: OidcConfig,
  client: OidcClientConfig,
  path: string,
  judgement: Judgement,
): void {
  for (const key of ["id_token_claims", "access_token_claims"] as const) {
    validateConstants(client[key].mappings, `${path}.${key}.mappings`, judgement);
  }
  warnOfUnobtainable(oidc, client, path, judgement);
}

/** The mappings for all clients: only a scope can release their claims. */
export function validateSiteClaims(oidc: OidcConfig, path: string, judgement: Judgement): void {
  validateConstants(oidc.claim_mappings, path, judgement);
  const custom = [...oidc.custom_scopes, ...oidc.clients.flatMap((client) => client.custom_scopes)];
  const owners = claimOwners(scopeClaims(oidc.scopes_supported, custom));
  oidc.claim_mappings.forEach(({ claim }, index) => {
    if (!owners.has(claimNameOf(claim))) judgement.problem(`${path}[${index}].claim`, messages.claimOfNoScope);
  });
}
