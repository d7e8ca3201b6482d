import { expect, test } from "vitest";
import { compareCounters } from "./counters-model.ts";

test("the counters of a rehearsal decide as the scripts in Redis do, in 200 sequences", async () => {
  // Otherwise the sequences would prove nothing.
  expect(await compareCounters(200)).toBeGreaterThan(50);
});
