import { type Config, domainBackends } from "@postern/shared/platform/config";

const named = (entries: readonly string[]): readonly string[] =>
  entries.map((entry) => entry.trim()).filter((entry) => entry !== "cache");

export function shownDomainSettings(config: Config) {
  const { domains, backends } = config.auth;
  const { default: others, source } = domains;
  const usual = others.backends.length > 0 ? others.backends : backends.order;
  const all = [...backends.order, ...domainBackends(config).map(({ entry }) => entry)];
  return {
    source: source.kind,
    defaultEnabled: others.enabled,
    /** The backends of domains without backends of their own. */
    order: named(usual),
    /** Backends that engines have. */
    configured: new Set(named(all)),
  };
}

export type ShownDomainSettings = ReturnType<typeof shownDomainSettings>;
