import { createLogger } from "@postern/shared/platform/logging";
import { poll } from "@postern/shared/testing";
import { describe, expect, it } from "vitest";
import { nowMs, sp } from "../testing/forge.ts";
import { entityOf } from "../testing/forge-metadata.ts";
import type { MetadataCopies } from "./metadata-copies.ts";
import { MetadataError } from "./metadata-failure.ts";
import { createMetadataWatch } from "./metadata-watch.ts";
import { readMetadata } from "./read-metadata.ts";

const source = { id: "one", url: "https://metadata.example.test/all", file: "", keys: [], wanted: [sp] };
const bounds = { refreshMs: 3_600_000, requestTimeoutMs: 1000, maxBytes: 1_000_000 };
const kept = { xml: entityOf(), takenAtMs: nowMs };

/** A watch whose only source is unavailable. */
function watchWith(find: MetadataCopies["find"]) {
  return createMetadataWatch({
    load: () => Promise.reject(new MetadataError("unreachable", "away")),
    read: async (task) => readMetadata(task.xml, { ...task, keys: [] }),
    copies: { find, save: async () => undefined },
    clock: { now: () => nowMs },
    logger: createLogger({ service: "idp", instance: "test", level: "error" }).logger,
    count: () => undefined,
    onChange: () => undefined,
  });
}

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
});
