import type { SamlProviderConfig } from "@postern/shared/platform/config";
import { keysOfPem } from "../keys/pem-keys.ts";
import type { Place } from "./load-document.ts";

/** One document that is loaded periodically, for every service provider in it. */
export interface SourceSettings extends Place {
  /** Equal for the same location and the same trusted keys. */
  readonly id: string;
  /** PEM of public keys; empty: accepted without a signature. */
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

/**
 * The documents; service providers in the same document share it. @throws AppError CONFIG_INVALID for an unreadable
 * certificate
 */
export function metadataSources(providers: readonly SamlProviderConfig[]): readonly SourceSettings[] {
  const sources = new Map<string, SourceSettings>();
  for (const source of providers.filter(hasMetadata).map(sourceOf)) {
    const known = sources.get(source.id);
    sources.set(source.id, { ...source, wanted: [...(known?.wanted ?? []), ...source.wanted] });
  }
  return [...sources.values()];
}
