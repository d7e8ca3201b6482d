import { expect, test } from "vitest";
import { type Config, loadConfig } from "../config/index.ts";
import { createLogger } from "../logging/logger.ts";
import { createReload, type ReloadDeps } from "./reload.ts";
import type { PreparedReload } from "./service-program.ts";

const loaded = () => loadConfig({ text: "{}", env: {}, readFile: () => "" });
const broken = (): never => {
  throw new TypeError("planted");
};

/** A service, and what it receives for one reload. */
function fakeService(prepared: Omit<PreparedReload, "use"> & Partial<PreparedReload> = {}, prepare = () => undefined) {
  const seen = { lines: "", refusals: [] as (readonly string[])[], applied: [] as Config[], discarded: 0 };
  const { logger } = createLogger({
    service: "test",
    instance: "one",
    level: "info",
    stream: { write: (line: string) => void (seen.lines += line) },
  });
  return {
    seen,
    logger,
    prepare: async (next: Config): Promise<PreparedReload> => {
      prepare();
      return {
        use: () => void seen.applied.push(next),
        discard: () => void (seen.discarded += 1),
        ...prepared,
      };
    },
    reloadRefused: (reasons: readonly string[]) => void seen.refusals.push(reasons),
  };
}

async function reloaded(
  services: readonly ReturnType<typeof fakeService>[],
  more: Partial<Pick<ReloadDeps, "readConfig" | "preflight">> = {},
) {
  await createReload({ services, readConfig: loaded, preflight: () => [], ...more })();
  return services.map(({ seen }) => seen);
}

test.each([
  ["the configuration cannot be read", { readConfig: broken }],
  ["its checks cannot be run", { preflight: broken }],
])("when %s, the process continues with the old configuration and logs an error", async (_when, more) => {
  const [seen] = await reloaded([fakeService()], more);
  expect(seen?.applied).toEqual([]);
  expect(seen?.refusals).toHaveLength(1);
  expect(JSON.parse(seen?.lines ?? "")).toMatchObject({
    level: "error",
    msg: "reload failed",
    err: { message: "planted" },
  });
});

test("a valid configuration is applied", async () => {
  expect(await reloaded([fakeService()])).toMatchObject([{ refusals: [], applied: [expect.anything()] }]);
});

test("when one service cannot use the configuration, no service of the process does", async () => {
  const [good, bad] = await reloaded([fakeService(), fakeService({}, broken)]);
  expect(good).toMatchObject({ applied: [], discarded: 1, refusals: [["planted"]] });
  expect(bad).toMatchObject({ applied: [], discarded: 0, refusals: [["planted"]] });
});

test("a service that fails although it had prepared reports that, and the others use the configuration", async () => {
  const [good, bad, last] = await reloaded([fakeService(), fakeService({ use: broken }), fakeService()]);
  expect([good, last]).toMatchObject([
    { applied: [expect.anything()], refusals: [] },
    { applied: [expect.anything()], refusals: [] },
  ]);
  expect(bad).toMatchObject({ applied: [], refusals: [["planted"]] });
});
