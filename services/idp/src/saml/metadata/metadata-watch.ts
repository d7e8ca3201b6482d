import { setTimeout as delay } from "node:timers/promises";
import type { SamlProviderConfig } from "@postern/shared/config";
import { sameEntity } from "../same-entity.ts";
import type { EntityFacts } from "./entity-facts.ts";
import { MetadataSource, type MetadataSourceDeps } from "./metadata-source.ts";
import type { SourceSettings } from "./metadata-sources.ts";

export interface MetadataWatch {
  /**
   * Follows these documents and no others. What is known of those that stay counts on; resolves when something is known
   * of each or it was looked for, or after five seconds.
   */
  follow(documents: readonly SourceSettings[], bounds: MetadataSourceDeps["bounds"]): Promise<void>;
  /** Resolves when the metadata of a service provider are known or were looked for, or after five seconds. */
  lookedFor(entityId: string): Promise<void>;
  /** What the metadata say of a service provider, over or not. */
  factsOf(provider: SamlProviderConfig): EntityFacts | undefined;
  /** In seconds, of the document that was taken longest ago; 0 without documents. */
  oldestAgeSeconds(): number;
  /** Service providers whose metadata are not there or over. */
  unusable(): number;
  close(): void;
}

const waitMs = 5000;

async function untilLookedFor(sources: readonly MetadataSource[]): Promise<void> {
  const looked = Promise.all(sources.map((source) => source.lookedFor()));
  const waiting = new AbortController();
  await Promise.race([looked, delay(waitMs, undefined, { signal: waiting.signal, ref: false })]);
  waiting.abort();
}

export function createMetadataWatch(deps: Omit<MetadataSourceDeps, "bounds">): MetadataWatch {
  const { clock, onChange } = deps;
  const startedAtMs = clock.now();
  let sources: readonly MetadataSource[] = [];
  const factsFor = (entityId: string): EntityFacts | undefined => {
    const source = sources.find(({ settings }) => settings.wanted.includes(entityId));
    return source?.copy?.entities.get(sameEntity(entityId));
  };
  const isUsable = (entityId: string): boolean => {
    const facts = factsFor(entityId);
    return facts !== undefined && (facts.validUntilMs ?? Infinity) > clock.now();
  };
  return {
    follow: async (documents, bounds) => {
      const make = (wanted: SourceSettings): MetadataSource => {
        const known = sources.find(({ settings }) => settings.id === wanted.id);
        return new MetadataSource({ ...deps, bounds }, wanted, known?.copy);
      };
      const next = documents.map(make);
      for (const source of sources) source.close();
      sources = next;
      onChange();
      for (const source of next) source.start();
      await untilLookedFor(next);
    },
    lookedFor: (entityId) => {
      const name = sameEntity(entityId);
      return untilLookedFor(sources.filter(({ settings }) => settings.wanted.some((id) => sameEntity(id) === name)));
    },
    factsOf: ({ entity_id: entityId }) => factsFor(entityId),
    oldestAgeSeconds: () => {
      const taken = sources.map(({ copy }) => copy?.takenAtMs ?? startedAtMs);
      return taken.length === 0 ? 0 : Math.max(0, clock.now() - Math.min(...taken)) / 1000;
    },
    unusable: () => sources.flatMap(({ settings }) => settings.wanted).filter((entityId) => !isUsable(entityId)).length,
    close: () => {
      for (const source of sources) source.close();
    },
  };
}
