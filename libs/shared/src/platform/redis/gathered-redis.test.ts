import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { type RedisServer, spawnRedis } from "@postern/testing";
import { Command } from "ioredis";
import { afterEach, beforeEach, expect, test } from "vitest";
import { GatheredRedis } from "./gathered-redis.ts";

let server: RedisServer;
beforeEach(async () => {
  server = await spawnRedis();
});
afterEach(async () => server[Symbol.asyncDispose]());

/** A proxy in front of Redis that counts what arrives in one chunk. */
async function startGate() {
  const pieces: unknown[] = [];
  const sockets: Socket[] = [];
  const gate = createServer((socket) => {
    const behind = connect(server.port, "127.0.0.1");
    sockets.push(socket);
    socket.on("data", (piece) => pieces.push(piece)).on("error", () => undefined);
    socket.pipe(behind).on("error", () => undefined);
    behind.pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(gate, "listening");
  const address: string | AddressInfo | null = gate.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    port: address.port,
    pieces,
    cut: () => sockets.splice(0).forEach((socket) => socket.destroy()),
    [Symbol.dispose]: () => gate.close(),
  };
}

test("the commands of a turn are sent in one chunk, and each receives its own reply in order", async () => {
  using gate = await startGate();
  const client = new GatheredRedis({ port: gate.port });
  await client.ping();
  gate.pieces.length = 0;
  const counts = await Promise.all(Array.from({ length: 50 }, () => client.incr("turns")));
  expect(counts).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  expect(gate.pieces).toHaveLength(1);
  client.disconnect();
});

test("commands, a pipeline and a transaction of one turn keep their order", async () => {
  const client = new GatheredRedis({ port: server.port });
  const [first, piped, multi, last] = await Promise.all([
    client.rpush("list", "a"),
    client.pipeline().rpush("list", "b").rpush("list", "c").exec(),
    client.multi().rpush("list", "d").exec(),
    client.rpush("list", "e"),
  ]);
  expect(await client.lrange("list", 0, -1)).toHaveLength(5);
  expect([first, piped?.length, multi?.length, last]).toEqual([1, 2, 1, expect.any(Number)]);
  client.disconnect();
});

test("a command releases its arguments when its reply arrives, and not before", async () => {
  const client = new GatheredRedis({ port: server.port });
  const command = new Command("set", ["key", "value"], { replyEncoding: "utf8" });
  void client.sendCommand(command);
  expect(command.args).toEqual(["key", "value"]);
  expect(await command.promise).toBe("OK");
  expect(command.args).toEqual([]);
  expect(await client.get("key")).toBe("value");
  client.disconnect();
});

test("a connection that is lost while commands wait to be sent blocks nothing afterwards", async () => {
  using gate = await startGate();
  const client = new GatheredRedis({ port: gate.port, maxRetriesPerRequest: 0, retryStrategy: () => 20 });
  client.on("error", () => undefined);
  await client.ping();
  for (let round = 0; round < 5; round += 1) {
    const outcome = client.ping().then(
      () => "answered",
      () => "failed",
    );
    gate.cut();
    expect(["answered", "failed"]).toContain(await outcome);
    await once(client, "ready");
    expect(await client.ping()).toBe("PONG");
  }
  client.disconnect();
});
