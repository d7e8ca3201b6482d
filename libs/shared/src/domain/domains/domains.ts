import type { DomainsConfig } from "../../platform/config/index.ts";
import { canonicalDomain } from "../../platform/net/index.ts";
import {
  comparableDomain,
  type Domain,
  domainOfRecord,
  domainsByDefault,
  type KnownDomain,
  unknownDomain,
} from "./domain.ts";
import type { RecordCache } from "./record-cache.ts";

/** A user name in the spelling in which all parts of Postern compare it, and the domain whose rules apply to it. */
export interface PlacedName {
  readonly username: string;
  readonly domain: Domain;
}

/** What an API caller may reach, and means by a name without a domain. */
export interface CallerDomains {
  /** Spelled as names are compared. Absent: all. Empty: none. */
  readonly domains?: readonly string[] | undefined;
  /** Absent: that of the site. */
  readonly defaultDomain?: string | undefined;
}

/** Ends the name of an account that its caller may not reach: with an empty domain, it is nobody's, and no account has it. */
export const outsideMark = "@";

/**
 * The domains of a site. Which domain a name belongs to, and how the name is spelled there, is decided here and nowhere else.
 */
export class Domains {
  readonly #table = new Map<string, KnownDomain>();
  readonly #defaultName: string;
  readonly #byDefault: (name: string) => Domain;
  readonly #withoutDomain: Domain;
  readonly #cache: RecordCache | undefined;
  readonly #withFewerAliases = new WeakMap<KnownDomain, KnownDomain>();

  /** @param cache absent if all records are in the configuration */
  constructor({ records, default: others, default_domain: own }: DomainsConfig, cache?: RecordCache) {
    for (const record of records) {
      const domain = domainOfRecord(record, "records");
      for (const name of [domain.name, ...domain.aliases]) this.#table.set(name, domain);
    }
    this.#defaultName = own === "" ? "" : comparableDomain(own);
    this.#byDefault = domainsByDefault(others);
    this.#withoutDomain = this.#byDefault("");
    this.#cache = cache;
  }

  /** Records in memory. */
  get size(): number {
    return this.configured.length + (this.#cache?.size ?? 0);
  }

  /** Domains in the configuration. */
  get configured(): readonly KnownDomain[] {
    return [...new Set(this.#table.values())];
  }

  /** Whether there may be others, which are read when they are asked for. */
  get hasSource(): boolean {
    return this.#cache !== undefined;
  }

  /** The domain of `auth.domains.default_domain`, whose accounts may have names without a domain; empty if there is none. */
  get defaultName(): string {
    return this.#defaultName;
  }

  /**
   * The domain that serves this name or alias, from memory if it is there.
   *
   * @param name with A-labels, in lower case
   * @throws AppError DIRECTORY_UNAVAILABLE if the source cannot tell; a promise rejects with it
   */
  find(name: string): Domain | Promise<Domain> {
    const known = this.#table.get(name);
    if (known !== undefined) return known;
    // What is no domain is not queried: sources fail at some texts, and one name must not stop the others.
    const found = canonicalDomain(name) === name ? this.#cache?.find(name) : undefined;
    if (found instanceof Promise) return found.then((domain) => this.#judged(domain, name));
    return this.#judged(found, name);
  }

  /**
   * Places a name as it was typed or stored: a name without a domain gets the default domain, and an alias is replaced by the domain that it
   * stands for.
   *
   * @param defaultName the domain of a name without one
   * @throws as `find`
   */
  place(username: string, defaultName = this.#defaultName): PlacedName | Promise<PlacedName> {
    const at = username.lastIndexOf("@");
    if (at === -1) {
      if (defaultName === "" || username === "") return { username, domain: this.#withoutDomain };
      return this.#placed(username, `${username}@`, defaultName);
    }
    const typed = username.slice(at + 1);
    if (typed === "") return { username, domain: unknownDomain };
    return this.#placed(username, username.slice(0, at + 1), typed);
  }

  /** The domain of a name, if its record is in memory. */
  inMemory(username: string): KnownDomain | undefined {
    const name = this.#domainNameOf(username);
    const known = this.#table.get(name) ?? this.#cache?.fresh(name);
    const domain = known && this.#judged(known, name);
    return domain?.isKnown === true ? domain : undefined;
  }

  /** The name of the domain that a name belongs to, as far as records in memory tell; undefined if it is of none. */
  nameOf(username: string): string | undefined {
    const name = this.#domainNameOf(username);
    if (name === "" || canonicalDomain(name) !== name) return undefined;
    return this.inMemory(username)?.name ?? name;
  }

  /** All spellings under which backends may remember a name, as far as its domain is in memory. */
  spellings(username: string): readonly string[] {
    const at = username.lastIndexOf("@");
    const domain = at === -1 ? undefined : comparableDomain(username.slice(at + 1));
    const known = domain === undefined ? undefined : (this.#table.get(domain) ?? this.#cache?.fresh(domain));
    if (known === undefined) return [username];
    return [username, ...[known.name, ...known.aliases].map((name) => `${username.slice(0, at)}@${name}`)];
  }

  /**
   * Places a name that an API caller sent. One outside of its domains becomes a name that nobody has, without any look at the domain that was
   * typed, so that the caller learns as little from its time as from its answer. An alias that a record of the caller claims is looked up: it may be
   * the domain of somebody else.
   *
   * @throws as `find`
   */
  async placeFor({ domains, defaultDomain }: CallerDomains, username: string): Promise<PlacedName> {
    const defaultName = defaultDomain ?? this.#defaultName;
    if (domains === undefined) return this.place(username, defaultName);
    const outside = { username: `${username}${outsideMark}`, domain: unknownDomain };
    const name = this.#domainNameOf(username, defaultName);
    if (name === "") return outside;
    const own = await this.#domainsOf(domains);
    const isListed = domains.includes(name);
    if (!isListed && !own.some((domain) => domain.name === name || domain.aliases.includes(name))) return outside;
    const placed = await this.place(username, defaultName);
    const { domain } = placed;
    return (domain.isKnown ? own.some((one) => one.name === domain.name) : isListed) ? placed : outside;
  }

  /** The domain that a name has as it is written, or else the default domain; empty without one. */
  #domainNameOf(username: string, defaultName = this.#defaultName): string {
    const at = username.lastIndexOf("@");
    if (at === -1) return defaultName;
    const written = username.slice(at + 1);
    return written === "" ? "" : comparableDomain(written);
  }

  /** Tells accounts of these domains from others. @throws as `find` */
  async within(domains: readonly string[]): Promise<(account: string) => boolean> {
    const names = await this.#namesOf(domains);
    return (account) => names.has(this.#domainNameOf(account));
  }

  /** The domains that serve these names. */
  async #domainsOf(names: readonly string[]): Promise<readonly KnownDomain[]> {
    const served: KnownDomain[] = [];
    for (const name of names) {
      const domain = await this.find(name);
      if (domain.isKnown && (domain.name === name || (await this.#serves(domain, domain.name)))) served.push(domain);
    }
    return served;
  }

  /** Whether a name that a record claims is its own: what names are placed by decides, not the record. */
  async #serves({ name }: KnownDomain, claimed: string): Promise<boolean> {
    const found = await this.find(claimed);
    return found.isKnown && found.name === name;
  }

  /** The names of domains, and the aliases by which they are served. */
  async #namesOf(domains: readonly string[]): Promise<ReadonlySet<string>> {
    const names = new Set(domains);
    for (const domain of await this.#domainsOf(domains)) {
      names.add(domain.name);
      for (const alias of domain.aliases) if (await this.#serves(domain, alias)) names.add(alias);
    }
    return names;
  }

  /** The record of a domain, or of all, may have changed. */
  forget(domain?: string): void {
    this.#cache?.forget(domain);
  }

  /** A record from the source has no name, and no alias, that a record of the configuration serves. */
  #judged(found: KnownDomain | undefined, name: string): Domain {
    if (found === undefined) return this.#byDefault(name);
    if (found.origin === "records") return found;
    if (this.#table.has(found.name)) return this.#byDefault(name);
    if (!found.aliases.some((alias) => this.#table.has(alias))) return found;
    const judged = this.#withFewerAliases.get(found) ?? {
      ...found,
      aliases: found.aliases.filter((alias) => !this.#table.has(alias)),
    };
    this.#withFewerAliases.set(found, judged);
    return judged;
  }

  #placed(username: string, local: string, typed: string): PlacedName | Promise<PlacedName> {
    // Most names are spelled as they are compared; the rest costs a microsecond.
    const known = this.#table.get(typed) ?? this.#cache?.fresh(typed);
    if (known !== undefined) return placedIn(this.#judged(known, typed), username, local, typed);
    const name = comparableDomain(typed);
    const found = this.find(name);
    if (found instanceof Promise) return found.then((domain) => placedIn(domain, username, local, typed));
    return placedIn(found, username, local, typed);
  }
}

// oxlint-disable-next-line eslint/max-params -- the parts of one name, on the path of every decision
function placedIn(domain: Domain, username: string, local: string, typed: string): PlacedName {
  if (!domain.isKnown || (domain.name === typed && username.length === local.length + typed.length))
    return { username, domain };
  return { username: `${local}${domain.name}`, domain };
}
