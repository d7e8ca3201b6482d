import { once } from "node:events";
import { connect } from "node:net";
import { createTrackedValues, type RedisClient, type TrackedValues } from "@postern/shared/platform/redis";
import { steadyClock } from "@postern/shared/platform/time";
import { poll, type RedisServer, spawnRedis } from "@postern/testing";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startTcpServer, type TcpServer } from "../../support/tcp-server.ts";
import { connect as connectRedis } from "../brute-force/counting.ts";

let server: RedisServer;
let other: RedisClient;
/** Leads to the server, and can lose what the server reports, and that it has closed the connection. */
let link: TcpServer;
let isSilent = false;
let isHalfOpen = false;
let redis: RedisClient;
let tracked: TrackedValues;
let refused: unknown;

const direct = (port: number) => connectRedis({ kind: "standalone", address: { host: "127.0.0.1", port } });

beforeAll(async () => {
  server = await spawnRedis();
  other = await direct(server.port);
  link = await startTcpServer((near) => {
    const far = connect(server.port, "127.0.0.1");
    let isTracking = false;
    far.on("error", () => near.destroy());
    far.on("close", () => {
      if (!isTracking || !isHalfOpen) near.destroy();
    });
    near.on("close", () => far.destroy());
    near.on("data", (chunk: Buffer) => {
      isTracking ||= chunk.includes("__redis__:invalidate");
      far.write(chunk);
    });
    far.on("data", (chunk: Buffer) => {
      if (!isTracking || !isSilent) near.write(chunk);
    });
  });
});

afterAll(async () => {
  other.disconnect();
  await link[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

function track(client: RedisClient): TrackedValues {
  const found = createTrackedValues(client, {
    probePrefix: "probe:one:",
    maxValues: 100,
    clock: steadyClock,
    onRefused: (error) => {
      refused = error;
    },
  });
  if (found === undefined) throw new Error("not tracked");
  return found;
}

beforeEach(async () => {
  isSilent = false;
  isHalfOpen = false;
  redis = await direct(link.port);
  tracked = track(redis);
  await poll("the first proof", () => tracked.isProven);
});

afterEach(async () => {
  const ended = once(redis, "end");
  redis.disconnect();
  await ended;
  await other.flushall();
});

async function killReports(): Promise<void> {
  const clients = String(await other.client("LIST"));
  const [, id = ""] = /id=(\d+) [^\n]*name=\S*-reports /u.exec(clients) ?? [];
  await other.client("KILL", "ID", id);
}

const keysTracked = ["kept:a", "kept:b"];

test("values, and keys that do not exist, are kept until another connection changes one", async () => {
  await other.set("kept:a", "1");
  expect(tracked.peek(keysTracked)).toBeUndefined();
  await poll("the read is kept", async () => {
    expect(await tracked.read(keysTracked)).toEqual(["1", null]);
    return tracked.peek(keysTracked) !== undefined;
  });
  expect(tracked.peek(keysTracked)).toEqual(["1", null]);
  await other.set("kept:b", "2");
  await poll("the report", () => tracked.peek(["kept:b"]) === undefined);
  expect(tracked.peek(["kept:a"])).toEqual(["1"]);
  expect(await tracked.read(keysTracked)).toEqual(["1", "2"]);
});

test("an expired key, a deleted one and the deletion of all keys are reported", async () => {
  for (const change of [
    () => other.pexpire("kept:a", 1),
    () => other.unlink("kept:a"),
    () => other.flushdb(),
    () => other.eval("return redis.call('SET', KEYS[1], '2')", 1, "kept:a"),
  ]) {
    await other.set("kept:a", "1");
    await poll("the read is kept", async () => {
      await tracked.read(["kept:a"]);
      return tracked.peek(["kept:a"])?.[0] === "1";
    });
    await change();
    // Redis reports that a key expires soon, and then that it has expired.
    await poll("the report", async () => {
      if (tracked.peek(["kept:a"]) !== undefined) return false;
      const [value] = await tracked.read(["kept:a"]);
      return value !== "1";
    });
    expect(await tracked.read(["kept:a"])).not.toEqual(["1"]);
  }
});

test("what is kept is what Redis holds, whatever is written while it is read", async () => {
  const names = Array.from({ length: 8 }, (_, index) => `kept:${index}`);
  let next = 1;
  const random = (below: number): number => {
    next = (next * 48_271) % 2_147_483_647;
    return next % below;
  };
  const write = async (): Promise<void> => {
    for (let count = 0; count < 1500; count += 1) {
      const name = names[random(8)] ?? "";
      if (random(3) === 0) await other.del(name);
      else await other.set(name, String(count));
    }
  };
  const writing = new AbortController();
  const read = async (): Promise<void> => {
    while (!writing.signal.aborted) await tracked.read([names[random(8)] ?? "", names[random(8)] ?? ""]);
  };
  const reading = Promise.all([read(), read(), read()]);
  await write();
  writing.abort();
  await reading;
  await other.set("kept:last", "1");
  await poll("all reports so far", async () => {
    await tracked.read(["kept:last"]);
    return tracked.peek(["kept:last"])?.[0] === "1";
  });
  let kept = 0;
  for (const name of names) {
    const [value] = tracked.peek([name]) ?? [];
    if (value === undefined) continue;
    kept += 1;
    expect(value).toBe(await other.get(name));
  }
  expect(kept).toBeGreaterThan(0);
});

test("a lost connection keeps nothing, and nothing that changed meanwhile is missed", async () => {
  await other.set("kept:a", "1");
  await poll("the read is kept", async () => {
    await tracked.read(["kept:a"]);
    return tracked.peek(["kept:a"]) !== undefined;
  });
  await killReports();
  await poll("the loss", () => !tracked.isProven);
  await other.set("kept:a", "2");
  expect(tracked.peek(["kept:a"])).toBeUndefined();
  await poll("the next proof", () => tracked.isProven);
  expect(tracked.peek(["kept:a"])).toBeUndefined();
  expect(await tracked.read(["kept:a"])).toEqual(["2"]);
});

test("a connection on which nothing is reported any more counts as lost, and is replaced", async () => {
  await poll("the read is kept", async () => {
    await tracked.read(["kept:a"]);
    return tracked.peek(["kept:a"]) !== undefined;
  });
  isSilent = true;
  await poll("the silence is noticed", () => !tracked.isProven);
  expect(tracked.peek(["kept:a"])).toBeUndefined();
  expect(await tracked.read(["kept:a"])).toEqual([null]);
  expect(tracked.peek(["kept:a"])).toBeUndefined();
  isSilent = false;
  await poll("the next proof", () => tracked.isProven);
});

test("a connection for reports that only Redis knows to be closed is replaced", async () => {
  refused = undefined;
  isHalfOpen = true;
  const id = await redis.client("ID");
  await killReports();
  await other.client("KILL", "ID", String(id));
  await poll("the loss", () => !tracked.isProven);
  await poll("the next proof", () => tracked.isProven);
  expect(refused).toBeUndefined();
});

test("a connection that no longer tracks what it reads is noticed, and tracks again", async () => {
  await redis.client("TRACKING", "OFF");
  expect(await tracked.read(["kept:a"])).toEqual([null]);
  expect(tracked.peek(["kept:a"])).toBeUndefined();
  await poll("the next proof", () => tracked.isProven);
  await tracked.read(["kept:a"]);
  await other.set("kept:a", "1");
  await poll("the report", () => tracked.peek(["kept:a"]) === undefined);
});

test("without the right to track, every read goes to Redis", async () => {
  refused = undefined;
  await other.call(
    "acl",
    "setuser",
    "plain",
    "on",
    "nopass",
    "~*",
    "-@all",
    "+mget",
    "+set",
    "+client|id",
    "+client|setname",
  );
  const plain = await connectRedis({ kind: "standalone", address: { host: "127.0.0.1", port: server.port } }, "plain");
  const untracked = track(plain);
  await poll("the refusal", () => refused !== undefined);
  await other.set("kept:a", "1");
  expect(await untracked.read(["kept:a"])).toEqual(["1"]);
  expect(untracked.peek(["kept:a"])).toBeUndefined();
  expect(untracked.isProven).toBe(false);
  plain.disconnect();
});
