import { test } from "vitest";
import { compareCounters } from "./counters-model.ts";

test("the counters of a rehearsal decide as the scripts in Redis do, in 200 sequences", async () => {
  await compareCounters(200);
});
