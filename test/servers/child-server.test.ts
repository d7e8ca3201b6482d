import { once } from "node:events";
import { expect, test } from "vitest";
import { startChildServer, stopRunningServers } from "./child-server.ts";
import { poll } from "./poll.ts";

const forever = { command: process.execPath, args: ["-e", "console.log('begun'); setInterval(() => {}, 1000)"] };

test("running servers are stopped, and so are those that are being started", async () => {
  const started = await startChildServer({ ...forever, ready: () => true });
  let wasChecked = false;
  const starting = startChildServer({
    ...forever,
    ready: () => {
      wasChecked = true;
      return false;
    },
  });
  const failure = starting.then(
    () => "started",
    (error: unknown) => String(error),
  );
  await poll("the second to be asked", () => wasChecked);
  const exited = once(started.process, "exit");
  await stopRunningServers();
  await exited;
  expect(await failure).toContain("ended early");
});
