import { endsWithin } from "@postern/shared/platform/concurrency";
import type { SamlProviderConfig } from "@postern/shared/platform/config";
import { sameEntity } from "../protocol/names.ts";
import { MetadataSource, type MetadataSourceDeps, type SourceSettings } from "./metadata-source.ts";
import type { EntityFacts } from "./read-metadata.ts";

const waitMs = 5000;

async function untilLookedFor(sources: readonly MetadataSource[]): Promise<void> {
  const looked = Promise.all(sources.map((source) => source.lookedFor()));
  await endsWithin(looked, waitMs, { ref: false });
}

export function createMetadataWatch(deps: Omit<MetadataSourceDeps, "bounds">) {
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
    /**
     * Watches exactly these documents. Known versions of documents that remain stay in use. Resolves when each document is
     * known or was requested once, or after five seconds.
     */
    follow: async (documents: readonly SourceSettings[], bounds: MetadataSourceDeps["bounds"]): Promise<void> => {
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
    /** Resolves when the metadata of a service provider is known or was requested, or after five seconds. */
    lookedFor: (entityId: string): Promise<void> => {
      const name = sameEntity(entityId);
      return untilLookedFor(sources.filter(({ settings }) => settings.wanted.some((id) => sameEntity(id) === name)));
    },
    /** The metadata of a service provider, expired or not. */
    factsOf: ({ entity_id: entityId }: Pick<SamlProviderConfig, "entity_id">) => factsFor(entityId),
    /** Age of the oldest version in use, in seconds; 0 without documents. */
    oldestAgeSeconds: (): number => {
      const taken = sources.map(({ copy }) => copy?.takenAtMs ?? startedAtMs);
      return taken.length === 0 ? 0 : Math.max(0, clock.now() - Math.min(...taken)) / 1000;
    },
    /** Number of service providers whose metadata is missing or has expired. */
    unusable: (): number =>
      sources.flatMap(({ settings }) => settings.wanted).filter((entityId) => !isUsable(entityId)).length,
    close: (): void => {
      for (const source of sources) source.close();
    },
  };
}

export type MetadataWatch = ReturnType<typeof createMetadataWatch>;
