import { createLogger } from "@postern/shared/logging";
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

/** Of a source that is away. */
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

describe("metadata whose source is away when a replica starts", () => {
  it("are taken of the kept copy as soon as Redis is there, and the start waits for it", async () => {
    let asked = 0;
    const watch = watchWith(async () => {
      asked += 1;
      if (asked < 3) throw new Error("Redis is not connected yet");
      return kept;
    });
    await watch.follow([source], bounds);
    expect(asked).toBe(3);
    expect(watch.unusable()).toBe(0);
    watch.close();
  });

  it("are waited for by who asks for them while they are looked for, and by nobody once it is known that there are none", async () => {
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
