import { comparableDomain, type Domain, type KnownDomain } from "@postern/shared/domain/domains";
import type { Config } from "@postern/shared/platform/config";
import type { BackendAccount } from "../backends/backend.ts";

/** Which mail addresses a customer's directory may give to its accounts: applications take them for names of accounts. */
export interface AddressRule {
  /** Attributes with addresses, in lower case. */
  readonly attributes: ReadonlySet<string>;
  /** Domains of which every directory may name addresses, spelled as domains are compared. */
  readonly domains: ReadonlySet<string>;
}

/** Claims by which applications and mail servers find an account. */
const accountClaims: ReadonlySet<string> = new Set(["email", "preferred_username"]);

/** `auth.domains.addresses`, and the attributes from which claims with addresses are mapped. */
export function addressRule({ auth, identity }: Config): AddressRule {
  const { oidc } = identity;
  const scopes = [oidc, ...oidc.clients].flatMap(({ custom_scopes: custom }) => custom.flatMap(({ claims }) => claims));
  const mappings = [
    ...oidc.claim_mappings,
    ...oidc.clients.flatMap((client) => [...client.id_token_claims.mappings, ...client.access_token_claims.mappings]),
    ...scopes.map(({ name, attribute }) => ({ claim: name, attribute: attribute || name })),
  ];
  const mapped = mappings.filter(({ claim }) => accountClaims.has(claim)).map(({ attribute }) => attribute);
  const { attributes, domains } = auth.domains.addresses;
  return {
    attributes: new Set([...attributes, ...mapped].map((name) => name.toLowerCase())),
    domains: new Set(domains.map(comparableDomain)),
  };
}

export interface ForeignAddress {
  readonly account: string;
  readonly attribute: string;
  readonly backend: string;
  readonly domain: string;
}

export interface Addresses {
  readonly rule: () => AddressRule;
  readonly onForeignAddress: (found: ForeignAddress) => void;
}

interface Deps extends Addresses {
  /** As in the naming of accounts. */
  readonly domainOf: (account: string) => Domain | Promise<Domain>;
  readonly isServedBy: (domain: Domain, backend: string) => boolean;
}

/** One address without a comment or a second one, which others could read in another way. */
const plainAddress = /^[^\s@,;<>()"]+@([^\s@,;<>()"]+)$/u;

/** Tells the addresses of a domain from others. A record's claim of an alias is no proof: customers may write it. */
function createIsOwn({ name: own, aliases }: KnownDomain, { rule, domainOf, isServedBy }: Deps) {
  return async (text: string, backend: string): Promise<boolean> => {
    if (!text.includes("@")) return true;
    const [, written] = plainAddress.exec(text) ?? [];
    if (written === undefined) return false;
    const name = comparableDomain(written);
    if (name === own || rule().domains.has(name)) return true;
    if (own !== "" && !aliases.includes(name)) return false;
    try {
      const of = await domainOf(`@${name}`);
      return own === "" ? isServedBy(of, backend) : of.isKnown && of.name === own;
    } catch {
      // The account's own name takes the place of an address that is left out.
      return false;
    }
  };
}

/** The attributes of an account in a customer's directory, without addresses that are not of the account's domain. */
export function createOwnAddresses(domain: KnownDomain, deps: Deps) {
  const isOwn = createIsOwn(domain, deps);
  return async ({ account, attributes }: BackendAccount, backend: string): Promise<BackendAccount["attributes"]> => {
    const { attributes: names } = deps.rule();
    const kept: [string, string[]][] = [];
    for (const [attribute, values] of Object.entries(attributes)) {
      const own: string[] = [];
      const isAddress = names.has(attribute.toLowerCase());
      for (const value of values) if (!isAddress || (await isOwn(value, backend))) own.push(value);
      if (own.length < values.length) deps.onForeignAddress({ account, attribute, backend, domain: domain.name });
      if (own.length > 0 || values.length === 0) kept.push([attribute, own]);
    }
    return Object.fromEntries(kept);
  };
}
