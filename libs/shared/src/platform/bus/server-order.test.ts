import { expect, test } from "vitest";
import { createServerOrder } from "./server-order.ts";

const announcing = (current: string, ...all: readonly string[]) => ({
  getServer: () => current,
  getServers: () =>
    all.map((server) => {
      const [hostname = "", port = ""] = server.split(":");
      const url = { hostname, port: Number(port), listen: server, src: server, tlsName: "", gossiped: true };
      return { ...url, reconnects: 0, lastConnect: 0, didConnect: false };
    }),
});

test("all configured servers are tried, in varying order", () => {
  const order = createServerOrder(["nats://a:4222", "b:4222", "c:4222"]);
  const seen = new Set(Array.from({ length: 200 }, () => order.inOrder().join(" ")));
  expect(seen.size).toBe(6);
});

test("the server that was used last comes last, for every scheme", () => {
  const order = createServerOrder(["nats://a:4222", "b:4222"]);
  order.learn(announcing("a:4222", "a:4222", "b:4222"));
  for (let turn = 0; turn < 50; turn += 1) expect(order.inOrder()).toEqual(["b:4222", "nats://a:4222"]);
});

test("servers that the cluster announces are tried after the configured ones, once, and without a lost one first", () => {
  const order = createServerOrder(["nats://seed:4222"]);
  expect(order.hasOthers()).toBe(false);
  order.learn(announcing("b:4222", "seed:4222", "a:4222", "b:4222"));
  expect(order.hasOthers()).toBe(true);
  expect(order.inOrder()).toEqual(["nats://seed:4222", "a:4222", "b:4222"]);
});

test("servers that were announced remain known when the one in use announces no others", () => {
  const order = createServerOrder(["seed:4222"]);
  order.learn(announcing("b:4222", "seed:4222", "a:4222", "b:4222"));
  order.learn(announcing("b:4222", "seed:4222", "b:4222"));
  expect(order.inOrder()).toEqual(["seed:4222", "a:4222", "b:4222"]);
  order.learn(announcing("c:4222", "seed:4222", "c:4222", "d:4222"));
  expect(order.inOrder()).toEqual(["seed:4222", "d:4222", "c:4222"]);
});
