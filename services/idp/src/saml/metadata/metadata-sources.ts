import type { SamlProviderConfig } from "@postern/shared/config";
import { keysOfPem } from "../pem-keys.ts";
import type { Place } from "./load-document.ts";

/** One document that is fetched or read again and again, for every service provider that is in it. */
export interface SourceSettings extends Place {
  /** The same for the same place and the same trust. */
  readonly id: string;
  /** PEM of public keys; none: it is taken without a signature. */
  readonly keys: readonly string[];
  /** Entity IDs. */
  readonly wanted: readonly string[];
}

export function hasMetadata({ metadata }: Pick<SamlProviderConfig, "metadata">): boolean {
  return metadata.url !== "" || metadata.file !== "";
}

function sourceOf({ metadata, entity_id: entityId }: SamlProviderConfig): SourceSettings {
  const { url, file } = metadata;
  const keys = keysOfPem(metadata, `${entityId}'s metadata`).map((key) => key.export({ type: "spki", format: "pem" }));
  return { id: JSON.stringify([url, file, keys]), url, file, keys: keys.map(String), wanted: [entityId] };
}

/** Service providers of one document share it. @throws AppError CONFIG_INVALID for a certificate that cannot be read */
export function metadataSources(providers: readonly SamlProviderConfig[]): readonly SourceSettings[] {
  const sources = new Map<string, SourceSettings>();
  for (const source of providers.filter(hasMetadata).map(sourceOf)) {
    const known = sources.get(source.id);
    sources.set(source.id, { ...source, wanted: [...(known?.wanted ?? []), ...source.wanted] });
  }
  return [...sources.values()];
}
