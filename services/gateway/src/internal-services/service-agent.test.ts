import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { freePort, poll } from "@postern/testing";
import { afterEach, expect, test, vi } from "vitest";
import { ServiceAgent } from "./service-agent.ts";
import { serviceWatchTickMs } from "./service-watch.ts";

afterEach(() => void vi.useRealTimers());

/** Connections that undici starts, which are refused from now on. */
function connections() {
  const counts = { begun: 0, refused: 0 };
  const onBegun = (): void => void (counts.begun += 1);
  const onRefused = (): void => void (counts.refused += 1);
  subscribe("undici:client:beforeConnect", onBegun);
  subscribe("undici:client:connectError", onRefused);
  return {
    counts,
    [Symbol.dispose]: () => {
      unsubscribe("undici:client:beforeConnect", onBegun);
      unsubscribe("undici:client:connectError", onRefused);
    },
  };
}

test("a service that is shutting down finishes its requests: a refused connection proves that it is alive", async () => {
  const port = await freePort();
  const begun = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => begun.resolve(response)).listen(port, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${port}`;
  const silent: string[] = [];
  const places = { admin: { origin }, idp: { origin: "http://127.0.0.1:1" } };
  const agent = new ServiceAgent(places, 30_000, (service) => void silent.push(service));
  // Only the watch's clock is controlled; connections take real time.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  const answer = agent.request({ origin, path: "/", method: "DELETE" }).catch((error: unknown) => error);
  const response = await begun.promise;
  // From here on new connections are refused; existing ones remain.
  server.close();
  using seen = connections();
  const { counts } = seen;
  // Longer than a request to a frozen service waits.
  for (let passedMs = 0; passedMs < 6000; passedMs += serviceWatchTickMs) {
    await vi.advanceTimersByTimeAsync(serviceWatchTickMs);
    await poll("the probe to be refused", () => counts.refused === counts.begun);
  }
  expect(counts.begun).toBeGreaterThan(0);
  expect(silent).toEqual([]);
  response.end("done");
  const { statusCode, body } = Object(await answer);
  expect([statusCode, await body.text()]).toEqual([200, "done"]);
  agent.unwatch();
  await agent.close();
});
