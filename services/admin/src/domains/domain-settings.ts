import { type Config, domainBackends } from "@postern/shared/platform/config";

export interface ShownDomainSettings {
  readonly source: Config["auth"]["domains"]["source"]["kind"];
  readonly defaultEnabled: boolean;
  /** The backends of domains without backends of their own. */
  readonly order: readonly string[];
  /** Backends that engines have. */
  readonly configured: ReadonlySet<string>;
}

const named = (entries: readonly string[]): readonly string[] =>
  entries.map((entry) => entry.trim()).filter((entry) => entry !== "cache");

export function shownDomainSettings(config: Config): ShownDomainSettings {
  const { domains, backends } = config.auth;
  const { default: others, source } = domains;
  const usual = others.backends.length > 0 ? others.backends : backends.order;
  const all = [...backends.order, ...domainBackends(config).map(({ entry }) => entry)];
  return {
    source: source.kind,
    defaultEnabled: others.enabled,
    order: named(usual),
    configured: new Set(named(all)),
  };
}
