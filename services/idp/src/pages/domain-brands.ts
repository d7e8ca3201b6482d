import { type Language, languageOf } from "@postern/shared/domain/localisation";
import { createBoundedCache } from "@postern/shared/platform/cache";
import type { Config, DomainRecordConfig } from "@postern/shared/platform/config";
import type { Logger } from "@postern/shared/platform/logging";
import { canonicalDomain } from "@postern/shared/platform/net";
import { type BrandAssets, brandAssets, type FoundAsset, findAsset, type LogoFile } from "./assets.ts";

import { loadLogo } from "./logo-files.ts";
import type { Brand, FootLink } from "./look.ts";

type LinksConfig = Config["identity"]["frontend"]["links"];

/** The links at the foot of the pages. */
export function footLinks(links: LinksConfig): readonly FootLink[] {
  const all: readonly FootLink[] = [
    { key: "common.support", url: links.support_url },
    { key: "common.privacy", url: links.privacy_policy_url },
    { key: "common.terms", url: links.terms_of_service_url },
  ];
  return all.filter(({ url }) => url !== "");
}

/** Where users reset or change their password. */
export function passwordLinks(links: LinksConfig): Pick<Brand, "passwordForgotten" | "passwordChange"> {
  return {
    passwordForgotten: links.password_forgotten_url === "" ? undefined : links.password_forgotten_url,
    passwordChange: links.password_change_url || links.password_forgotten_url || undefined,
  };
}

type BrandConfig = DomainRecordConfig["brand"];

/** What pages show in place of the site's look. */
export interface DomainBrand {
  readonly brand: Partial<Brand>;
  /** The language for browsers that prefer none of those offered; undefined: the site's. */
  readonly fallback: Language | undefined;
  readonly assets: BrandAssets;
}

interface Deps {
  /** The record of the domain of this name; undefined if there is none. */
  readonly recordOf: (name: string) => Promise<DomainRecordConfig | undefined>;
  readonly site: Config["identity"]["frontend"];
  readonly offered: readonly Language[];
  readonly logger: Pick<Logger, "warn">;
}

/** At 64 kB a file and three files a brand, these take at most 25 MB. */
const maxBrands = 128;

function isBranded({ links, ...others }: BrandConfig): boolean {
  return [...Object.values(others), ...Object.values(links)].some((value) => value !== "");
}

function orSite<Keys extends string>(own: Readonly<Record<Keys, string>>, site: Readonly<Record<Keys, string>>) {
  const set = Object.entries<string>(own).filter(([, value]) => value !== "");
  return { ...site, ...Object.fromEntries(set) };
}

/** A service with a name of its own does not have the site's logo. */
function logosOf(assets: BrandAssets, hasName: boolean): Partial<Brand> {
  if (assets.logo === undefined && !hasName) return {};
  return { logo: assets.logo?.path, logoDark: assets.logoDark?.path };
}

/**
 * The brands of domains, which pages show once they know the domain. A brand whose record or files cannot be read is replaced by the site's: whether
 * the user may sign in does not depend on it.
 */
export class DomainBrands {
  readonly #deps: Deps;
  readonly #kept = createBoundedCache<{ readonly record: DomainRecordConfig; readonly brand: Promise<DomainBrand> }>({
    maxEntries: maxBrands,
    evict: "least-used",
  });
  readonly #ofRequests = new WeakMap<object, DomainBrand>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The brand in which a request is answered; undefined for the site's. */
  of(request: object): DomainBrand | undefined {
    return this.#ofRequests.get(request);
  }

  /** The brand of this name's domain; undefined for the site's. */
  ofName(name: string): Promise<DomainBrand | undefined> {
    return this.#brandOf(name).catch(() => undefined);
  }

  /** Answers the request in the brand of this name's domain, unless an earlier step knew the domain. */
  async choose(request: object, name: string): Promise<void> {
    if (this.#ofRequests.has(request)) return;
    const found = await this.ofName(name);
    if (found !== undefined) this.#ofRequests.set(request, found);
  }

  /** A file of a brand. @throws AppError DIRECTORY_UNAVAILABLE if the source of the record does not answer */
  async file(domain: string, url: string): Promise<FoundAsset | undefined> {
    const canonical = canonicalDomain(domain);
    const found = canonical === undefined ? undefined : await this.#brandOf(`@${canonical}`);
    return found && findAsset(found.assets, url);
  }

  async #brandOf(name: string): Promise<DomainBrand | undefined> {
    const record = await this.#deps.recordOf(name);
    if (record === undefined || !isBranded(record.brand)) return undefined;
    const kept = this.#kept.get(record.name);
    if (kept?.record === record) return kept.brand;
    const brand = this.#make(record);
    this.#kept.set(record.name, { record, brand });
    return brand;
  }

  async #make({ name: domain, brand: own }: DomainRecordConfig): Promise<DomainBrand> {
    const { site, offered } = this.#deps;
    const { branding } = site;
    const read = (file: string) => this.#logo(domain, file);
    const [logo, logoDark, icon] = await Promise.all([own.logo_file, own.logo_file_dark, own.icon_file].map(read));
    const name = own.name === "" ? branding.name : own.name;
    const colours = orSite(
      { light: own.accent_color, dark: own.accent_color_dark },
      { light: branding.accent_color, dark: branding.accent_color_dark },
    );
    const files = { name, accent: colours, logo, logoDark, icon };
    const assets = brandAssets(files, `?${new URLSearchParams({ domain: canonicalDomain(domain) ?? "" }).toString()}`);
    const links = orSite(own.links, site.links);
    // The site's icon fits a service that has only other colours.
    const hasIcon = icon !== undefined || own.name !== "";
    return {
      brand: {
        name,
        stylesheet: assets.stylesheet.path,
        ...(hasIcon && { icon: assets.icon.path }),
        ...logosOf(assets, own.name !== ""),
        links: footLinks(links),
        ...passwordLinks(links),
      },
      fallback: own.default_language === "" ? undefined : languageOf(own.default_language, offered),
      assets,
    };
  }

  async #logo(domain: string, file: string): Promise<LogoFile | undefined> {
    try {
      return await loadLogo(file);
    } catch (err) {
      this.#deps.logger.warn({ domain, err }, "a logo of the domain cannot be read");
      return undefined;
    }
  }
}
