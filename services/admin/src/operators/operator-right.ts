import { type ConsoleRole, consoleRoles, type Ok, type OperatorRight, rankOfRole } from "@postern/shared/contracts";
import type { Domains } from "@postern/shared/domain/domains";
import { AppError } from "@postern/shared/platform/errors";

type Roles = Readonly<Record<ConsoleRole, readonly string[]>>;

export interface RoleSettings {
  /** Empty: the names of the account's groups. */
  readonly attribute: string;
  /** Of the whole site. */
  readonly roles: Roles;
  /** Entries of `auth.backends.order` whose accounts may have these roles. Empty: all, unless domains have rules of their own. */
  readonly backends: readonly string[];
}

type Account = Pick<Ok, "account" | "attributes" | "groups" | "backendName">;

function valuesOf({ attributes, groups }: Pick<Ok, "attributes" | "groups">, name: string): readonly string[] {
  if (name === "") return groups ?? [];
  const found = Object.entries(attributes).find(([key]) => key.toLowerCase() === name.toLowerCase());
  return found?.[1] ?? [];
}

/** The highest role that one of the values selects. */
export function roleOf(
  account: Pick<Ok, "attributes" | "groups">,
  { attribute, roles }: Pick<RoleSettings, "attribute"> & { readonly roles: Partial<Roles> },
): ConsoleRole | undefined {
  const values = valuesOf(account, attribute);
  return consoleRoles.findLast((role) => roles[role]?.some((one) => values.includes(one)));
}

/** What the account of a decision may do in the console; undefined: nothing. @throws AppError if it cannot be determined */
export type ReadRight = (account: Account) => Promise<OperatorRight | undefined>;

/** `auth.domains.records[].operators`; its structure has been checked. */
function operatorsOf(operators: unknown): Partial<Roles> {
  return typeof operators === "object" && operators !== null ? operators : {};
}

/**
 * Customers choose the groups of their own directories. So an account has a role of the site only from a backend that the site lists for
 * that, and any other has the role that the record of its own domain assigns, for that domain only.
 */
export function createReadRight(
  settings: () => RoleSettings,
  domains: () => Pick<Domains, "place"> | undefined,
): ReadRight {
  const ofSite = (account: Account, backends: readonly string[]): ConsoleRole | undefined => {
    if (account.backendName === undefined)
      throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "an engine of an earlier version names no backend" });
    return backends.includes(account.backendName) ? roleOf(account, settings()) : undefined;
  };
  return async (account) => {
    const { backends, attribute } = settings();
    const current = domains();
    if (current === undefined && backends.length === 0) {
      const role = roleOf(account, settings());
      return role && { role };
    }
    const siteRole = ofSite(account, backends);
    if (siteRole !== undefined) return { role: siteRole };
    const domain = (await current?.place(account.account))?.domain;
    if (domain?.isKnown !== true || !domain.isEnabled) return undefined;
    const role = roleOf(account, { attribute, roles: operatorsOf(domain.record?.operators) });
    return role && { role, domain: domain.name };
  };
}

/**
 * Whether an operator may act on an account with that right. No role of one domain is above a role of the site, and accounts of other domains
 * are unknown to it. The site's administrators are above every role of a domain: its customer chooses who has one, and could otherwise put
 * all accounts out of reach.
 */
export function isAbove(operator: OperatorRight, other: OperatorRight | undefined): boolean {
  if (other === undefined) return true;
  if (operator.domain !== undefined && other.domain === undefined) return false;
  if (operator.domain === undefined && other.domain !== undefined && operator.role === "admin") return true;
  return rankOfRole(operator.role) > rankOfRole(other.role);
}
