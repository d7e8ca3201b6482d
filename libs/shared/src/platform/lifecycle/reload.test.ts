import { expect, test } from "vitest";
import { type Config, loadConfig } from "../config/index.ts";
import { createLogger } from "../logging/logger.ts";
import { createReload, type ReloadDeps } from "./run-service.ts";

const loaded = () => loadConfig({ text: "{}", env: {}, readFile: () => "" });
const broken = (): never => {
  throw new TypeError("planted");
};

/** What a service receives for one reload. */
async function reloaded(more: Partial<Pick<ReloadDeps, "readConfig" | "preflight">>, taken = async () => undefined) {
  const seen = { lines: "", refusals: 0, applied: [] as Config[] };
  const { logger } = createLogger({
    service: "test",
    instance: "one",
    level: "info",
    stream: { write: (line: string) => void (seen.lines += line) },
  });
  const reload = createReload({
    service: {
      logger,
      reload: async (next) => {
        await taken();
        seen.applied.push(next);
      },
      reloadRefused: () => void (seen.refusals += 1),
    },
    readConfig: loaded,
    preflight: () => [],
    ...more,
  });
  await reload();
  return seen;
}

test.each([
  ["the configuration cannot be read", { readConfig: broken }],
  ["its checks cannot be run", { preflight: broken }],
])("when %s, the process continues with the old configuration and logs an error", async (_when, more) => {
  const { lines, applied, refusals } = await reloaded(more);
  expect(applied).toEqual([]);
  expect(refusals).toBe(1);
  expect(JSON.parse(lines)).toMatchObject({ level: "error", msg: "reload failed", err: { message: "planted" } });
});

test("a valid configuration is applied", async () => {
  expect(await reloaded({})).toMatchObject({ refusals: 0, applied: [expect.anything()] });
});
