import { once } from "node:events";
import { poll } from "@postern/testing";
import { expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { startStack } from "../../support/stack.ts";

/** Long, so that a thousand lines are more than may wait. */
const external_session_id = "x".repeat(30_000);

function droppedIn(metrics: string): number {
  return Number(/^service_log_lines_dropped_total (\d+)$/mu.exec(metrics)?.[1]);
}

test("an unread log drops lines, which are counted and reported, but delays neither decisions nor shutdown and takes no more memory", async () => {
  await using stack = await startStack({ shape: "five" });
  const { gateway, url } = stack;
  const { stdout } = gateway.process;
  if (stdout === null) throw new Error("no standard output");
  let requests = 0;
  const ask = async (): Promise<void> => {
    requests += 1;
    expect((await askJson(url, { ...alice, external_session_id }, { query: "?mode=no-auth" })).status).toBe(200);
  };
  const dropped = async (): Promise<number> => droppedIn(await gateway.metrics());
  const linesFrom = gateway.output().length;

  expect(await dropped()).toBe(0);
  stdout.pause();
  await poll("lines to be dropped", async () => {
    await Promise.all(Array.from({ length: 25 }, ask));
    return (await dropped()) > 10;
  });
  const lost = await dropped();
  stdout.resume();

  const output = (): string => gateway.output().slice(linesFrom);
  const line = await poll("the line that reports the loss", () => /^.*"log lines were lost.*$/mu.exec(output())?.[0]);
  expect(JSON.parse(line)).toMatchObject({
    level: "warn",
    dropped: lost,
    msg: "log lines were lost because standard output was not read",
  });
  await ask();
  const decided = (): number => output().split('"msg":"decided"').length - 1;
  await poll("every line to be written or counted", () => decided() + lost === requests);
  expect(await dropped()).toBe(lost);

  stdout.pause();
  await Promise.all(Array.from({ length: 25 }, ask));
  // The test sends no SIGKILL: the gateway must end by itself.
  const ended = once(gateway.process, "exit");
  gateway.signal("SIGTERM");
  await ended;
});
