import { steadyClock as clock } from "@postern/shared/platform/time";
import { expect, test } from "vitest";
import { ConnectionPool } from "./connection-pool.ts";
import type { PooledConnection } from "./connection-pool-options.ts";
import { createTargetSet, type ServerAddress } from "./target-set.ts";

interface Connection extends PooledConnection {
  readonly uri: string;
}

const log = { warn: () => undefined, info: () => undefined };
const breaker = { failureThreshold: 3, cooldownMs: 60_000, halfOpenMax: 1 };

/** Two servers, of which the first one is connected to first. @param refusing called when the other one refuses a connection */
function poolOfTwo(refusing?: () => void): ConnectionPool<Connection, ServerAddress> {
  const of = { what: "TEST", poolName: "default", clock, log };
  return new ConnectionPool<Connection, ServerAddress>({
    label: "test connection",
    targets: createTargetSet([{ uri: "slow" }, { uri: "dead" }], breaker, of),
    size: 2,
    capacity: 1,
    queueLength: 10,
    needsServiceAccount: false,
    patienceMs: 1,
    open: async ({ address: { uri } }) => {
      if (uri === "slow" || refusing === undefined) return { uri, isAlive: true, close: () => undefined };
      refusing();
      throw new Error("connect ECONNREFUSED");
    },
    classify: () => "lost",
    clock,
  });
}

const within = (ms: number) => ({ deadline: clock.now() + ms, signal: new AbortController().signal });

/** One operation that the slow server has not answered when the connection to the other one is lost. */
function operation() {
  const slow = Promise.withResolvers<string>();
  const lost = Promise.withResolvers<undefined>();
  const work = ({ uri }: Connection): Promise<string> => {
    if (uri === "slow") return slow.promise;
    lost.resolve(undefined);
    return Promise.reject(new Error("read ECONNRESET"));
  };
  return { work, slow, lost: lost.promise };
}

test("where the other server fails, the answer of the slow one counts", async () => {
  const { work, slow, lost } = operation();
  const answer = poolOfTwo().run(work, within(60_000));
  await lost;
  slow.resolve("found");
  expect(await answer).toBe("found");
});

test("where both servers fail, the error names the slow one", async () => {
  const { work, slow, lost } = operation();
  const answer = poolOfTwo().run(work, within(60_000));
  await lost;
  slow.reject(new Error("write EPIPE"));
  await expect(answer).rejects.toMatchObject({
    code: "DIRECTORY_UNAVAILABLE",
    message: expect.stringContaining("test connection to slow: Error: write EPIPE"),
  });
});

test("a slow server is not given the operation again where the other one refuses connections", async () => {
  const { work, slow } = operation();
  let begun = 0;
  const refused = Promise.withResolvers<undefined>();
  const pool = poolOfTwo(() => refused.resolve(undefined));
  const answer = pool.run((connection) => {
    begun += 1;
    return work(connection);
  }, within(60_000));
  await refused.promise;
  slow.resolve("found");
  expect([await answer, begun]).toEqual(["found", 1]);
  expect(pool.snapshot()).toMatchObject({ inFlight: 0, waiting: 0 });
});

test("the wait for a slow server ends with the deadline, and with the caller's abort", async () => {
  const { work, lost } = operation();
  const controller = new AbortController();
  const answer = poolOfTwo().run(work, { deadline: clock.now() + 60_000, signal: controller.signal });
  await lost;
  controller.abort();
  await expect(answer).rejects.toMatchObject({ code: "REQUEST_ABORTED" });
  await expect(poolOfTwo().run(operation().work, within(200))).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
});
