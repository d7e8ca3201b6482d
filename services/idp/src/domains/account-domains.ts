import type { LiveDomains } from "@postern/shared/assembly";
import { userNameFault } from "@postern/shared/contracts";
import { comparableDomain, type KnownDomain } from "@postern/shared/domain/domains";
import type { DomainRecordConfig } from "@postern/shared/platform/config";

/** Domains to which an application is limited, spelled like names of domains; empty: all. */
export type DomainLimit = ReadonlySet<string>;

export function domainLimit(names: readonly string[]): DomainLimit {
  return new Set(names.map(comparableDomain));
}

/** The part of an account on which its domain has a say. */
export interface DescribedAccount {
  readonly account: string;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
}

/** The values of an attribute, whose name backends write in any letter case. */
export function attributeOf(attributes: DescribedAccount["attributes"], name: string): readonly string[] {
  const own = attributes[name];
  if (own !== undefined) return own;
  return Object.entries(attributes).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1] ?? [];
}

/**
 * What the identity provider asks about the domains of names and accounts. While no domain has rules of its own, names stay as they are and no
 * account is affected.
 *
 * Every method throws AppError DIRECTORY_UNAVAILABLE if the source of the records cannot tell.
 */
export class AccountDomains {
  readonly #live: Pick<LiveDomains, "current">;

  constructor(live: Pick<LiveDomains, "current">) {
    this.#live = live;
  }

  /**
   * The name as everything that is kept for an account spells it: an alias counts as its domain. Empty, as for every name that no account can have, if it
   * becomes too long.
   *
   * @param limit of the application: its only domain is that of a name without one.
   */
  async place(typed: string, limit?: readonly string[]): Promise<string> {
    const [own, ...others] = limit ?? [];
    const isBare = typed !== "" && !typed.includes("@") && own !== undefined && others.length === 0;
    const name = isBare ? `${typed}@${comparableDomain(own)}` : typed;
    const placed = (await this.#live.current?.place(name))?.username ?? name;
    return placed === typed || userNameFault(placed) === undefined ? placed : "";
  }

  /** The domain of an account; undefined if it is not served, or no domain has rules of its own. */
  async of(account: string): Promise<KnownDomain | undefined> {
    const domain = (await this.#live.current?.place(account))?.domain;
    return domain?.isKnown === true ? domain : undefined;
  }

  /** The name of an account's domain, as far as records in memory tell; undefined while no domain has rules of its own. */
  nameOf(account: string): string | undefined {
    return this.#live.current?.nameOf(account);
  }

  /** Whether any domain has rules of its own. */
  get areUsed(): boolean {
    return this.#live.current !== undefined;
  }

  /** Whether the domain of an account is disabled, or not served any more. */
  isClosed(account: string): boolean | Promise<boolean> {
    const { current } = this.#live;
    if (current === undefined) return false;
    const placed = current.place(account);
    const isClosed = ({ domain }: Awaited<typeof placed>): boolean => !(domain.isKnown && domain.isEnabled);
    return placed instanceof Promise ? placed.then(isClosed) : isClosed(placed);
  }

  /** The record of a domain, by its name or an alias with A-labels in lower case; undefined for a domain without one. */
  async recordOf(domain: string): Promise<DomainRecordConfig | undefined> {
    const found = await this.#live.current?.find(domain);
    return found?.isKnown === true ? found.record : undefined;
  }

  /** Whether users of the account's domain must have a second factor. */
  async requiresFactor(account: string): Promise<boolean> {
    return (await this.of(account))?.record?.second_factor === "required";
  }

  /**
   * The account with the attributes of its domain, named `domain.<name>` so that claims and SAML attributes can be mapped from them. A backend has no
   * attributes with such names: the domain's belong to the site.
   */
  async withAttributes<User extends DescribedAccount>(user: User): Promise<User> {
    if (!this.areUsed) return user;
    const domain = await this.of(user.account);
    const own = Object.entries(user.attributes).filter(([name]) => !/^domain\./i.test(name));
    const ofDomain = [...(domain?.attributes ?? [])].map(([name, values]) => [`domain.${name}`, values] as const);
    return { ...user, attributes: Object.fromEntries([...own, ...ofDomain]) };
  }

  /**
   * Whether an account may use an application with this limit: its domain is listed, by name or by an alias that it serves. What the domain's record
   * claims is no proof: customers may write it.
   */
  async isWithin(account: string, limit: DomainLimit): Promise<boolean> {
    if (limit.size === 0) return true;
    const domain = await this.of(account);
    if (domain !== undefined) {
      for (const name of limit) {
        const listed = await this.#live.current?.find(name);
        if (listed?.isKnown === true && listed.name === domain.name) return true;
      }
      return false;
    }
    const at = account.lastIndexOf("@");
    return this.#live.current === undefined && at !== -1 && limit.has(comparableDomain(account.slice(at + 1)));
  }
}
