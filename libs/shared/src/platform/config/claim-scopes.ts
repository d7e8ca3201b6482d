import type { CustomScopeConfig, OidcClientConfig, OidcConfig } from "./schema/root.ts";

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
