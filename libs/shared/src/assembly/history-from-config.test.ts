import { expect, test } from "vitest";
import { loadConfig } from "../platform/config/index.ts";
import { recordsHistory } from "./history-from-config.ts";

const encryption = { encryption_secret: "a secret of a test, long enough" };

test.each([
  [{ storage: { redis: encryption } }, true],
  [{ storage: { redis: encryption }, observability: { decision_history: { enabled: false } } }, false],
  [{}, false],
])("decisions are recorded if values are encrypted at rest, unless the site turns it off: %j", (tree, expected) => {
  const loaded = loadConfig({ text: JSON.stringify(tree), env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  expect(recordsHistory(loaded.config)).toBe(expected);
});
