import { expect, test } from "vitest";
import { clockOffset } from "../../support/clock-offset.ts";
import { basicAuth } from "../../support/stack.ts";
import { startRedisSite } from "./redis-site.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

test.each([
  ["a minute forward", minuteMs],
  ["a minute back", -minuteMs],
  ["an hour forward", hourMs],
  ["an hour back", -hourMs],
  ["a day forward", 24 * hourMs],
])(
  "the wall clocks of a gateway, an engine and admin are set %s under load: no request fails, and bans hold",
  async (_step, offsetMs) => {
    await using site = await startRedisSite({}, { engines: 3, env: clockOffset(offsetMs, "at SIGUSR2") });
    const { stack } = site.oidc;
    const [engine] = stack.engines;
    const configLoad = async (): Promise<number> =>
      (await fetch(`${stack.url}/api/v1/config/load`, { headers: { authorization: basicAuth } })).status;
    const { wrong, undecided } = await site.observe(async (waitForAnswers) => {
      await waitForAnswers(50);
      for (const service of [stack.gateway, engine, stack.services.get("admin")]) {
        service?.signal("SIGUSR2");
        await waitForAnswers(50);
        expect(await configLoad()).toBe(200);
      }
    });
    expect({ wrong, undecided }).toEqual({ wrong: [], undecided: [] });
  },
  300_000,
);
