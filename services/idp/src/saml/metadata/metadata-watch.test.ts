import { createLogger } from "@postern/shared/platform/logging";
import { poll } from "@postern/testing";
import { describe, expect, it } from "vitest";
import { bindings } from "../protocol/names.ts";
import { nowMs, sp } from "../testing/forge.ts";
import { entityOf } from "../testing/forge-metadata.ts";
import { MetadataError } from "./load-document.ts";
import type { MetadataCopies } from "./metadata-copies-redis.ts";
import { createMetadataWatch, type MetadataWatch } from "./metadata-watch.ts";
import { readMetadata } from "./read-metadata.ts";
import type { ReadTask } from "./read-worker.ts";

const source = { id: "one", url: "https://metadata.example.test/all", file: "", keys: [], wanted: [sp] };
const bounds = { refreshMs: 3_600_000, requestTimeoutMs: 1000, maxBytes: 1_000_000 };
const kept = { xml: entityOf(), takenAtMs: nowMs };

function depsWith(find: MetadataCopies["find"]) {
  return {
    load: (): Promise<string> => Promise.reject(new MetadataError("unreachable", "away")),
    read: async (task: ReadTask) => readMetadata(task.xml, { ...task, keys: [] }),
    copies: { find, save: async () => undefined },
    clock: { now: () => nowMs },
    logger: createLogger({ service: "idp", instance: "test", level: "error" }).logger,
    count: () => undefined,
    onChange: () => undefined,
  };
}

/** A watch whose only source is unavailable. */
const watchWith = (find: MetadataCopies["find"]): MetadataWatch => createMetadataWatch(depsWith(find));

const consumerAt = (url: string): string =>
  `<md:AssertionConsumerService Binding="${bindings.post}" Location="${url}" index="1"/>`;

const urlsOf = (watch: MetadataWatch): readonly string[] =>
  watch.factsOf({ entity_id: sp })?.consumers.map(({ url }) => url) ?? [];

describe("metadata whose source is unavailable when a replica starts", () => {
  it("are read from the stored copy as soon as Redis is available, and the start waits for that", async () => {
    let calls = 0;
    const watch = watchWith(async () => {
      calls += 1;
      if (calls < 3) throw new Error("Redis is not connected yet");
      return kept;
    });
    await watch.follow([source], bounds);
    expect(calls).toBe(3);
    expect(watch.unusable()).toBe(0);
    watch.close();
  });

  it("delay requests while a stored copy is being searched, and no longer once none was found", async () => {
    const answer = Promise.withResolvers<typeof kept | undefined>();
    const watch = watchWith(() => answer.promise);
    const started = watch.follow([source], bounds);
    let isThrough = false;
    const waiting = watch.lookedFor(`${sp}/`).then(() => {
      isThrough = true;
    });
    await watch.lookedFor("urn:test:other");
    expect(isThrough).toBe(false);
    answer.resolve(undefined);
    await poll("the wait to end", () => isThrough);
    await Promise.all([started, waiting, watch.lookedFor(sp)]);
    expect(watch.unusable()).toBe(1);
    watch.close();
  });

  it("use what the source returns, even if the clock of the replica that stored the copy is ahead", async () => {
    const fresh = entityOf({ consumers: consumerAt("https://sp.example.test/fresh") });
    let loads = 0;
    const watch = createMetadataWatch({
      ...depsWith(async () => ({ ...kept, takenAtMs: nowMs + 86_400_000 })),
      load: async () => {
        loads += 1;
        if (loads === 1) throw new MetadataError("unreachable", "away");
        return fresh;
      },
    });
    await watch.follow([source], { ...bounds, refreshMs: 10 });
    expect(urlsOf(watch)).toContain("https://sp.example.test/one");
    await poll("the new version", () => urlsOf(watch).includes("https://sp.example.test/fresh"));
    watch.close();
  });
});
