import { expect, test } from "vitest";
import { maxLocated } from "../../contracts/index.ts";
import { createLocate } from "./locate.ts";

test("each address is requested once, and at most 256", async () => {
  const sizes: number[] = [];
  const locate = createLocate(async ({ addresses }) => {
    sizes.push(addresses.length);
    return { isConfigured: true, places: addresses.map((_, index) => ({ system: index + 1 })) };
  });
  const many = Array.from({ length: 300 }, (_, index) => `198.51.${index % 250}.${index}`);
  const { state, placeOf } = await locate(["", "192.0.2.1", "192.0.2.1", "x".repeat(65), ...many]);
  expect(state).toBe("known");
  expect(sizes).toEqual([maxLocated]);
  expect(["192.0.2.1", many[0] ?? "", many[299] ?? ""].map(placeOf)).toEqual([{ system: 1 }, { system: 2 }, {}]);
});

test("without an address no engine is asked; one without files, of an earlier version or none leaves places unknown", async () => {
  const failing = createLocate(async () => {
    throw new Error("no responders");
  });
  expect((await failing([""])).state).toBe("known");
  const { state, placeOf } = await failing(["192.0.2.1"]);
  expect([state, placeOf("192.0.2.1")]).toEqual(["unavailable", {}]);
  const bare = createLocate(async () => ({ isConfigured: false, places: [] }));
  expect((await bare(["192.0.2.1"])).state).toBe("off");
});
