import { expect, test } from "vitest";
import { createDeadlines } from "../concurrency/deadlines.ts";
import { AppError } from "../errors/app-error.ts";
import { createCodec } from "./codec.ts";
import type { BusStatus, Link } from "./link.ts";
import { LocalBus } from "./local-bus.ts";
import type { LocalRequest } from "./local-calls.ts";
import { noMetrics } from "./metrics.ts";
import { createPendingTable } from "./pending-table.ts";
import { createRequestSender } from "./request-sender.ts";
import type { Route } from "./route.ts";

const route: Route = {
  name: "test",
  service: "service",
  subject: "service.test",
  subjectAt: (instance) => `service.test.${instance}`,
  isShared: true,
  isRepeatable: true,
};

/** A sender on a link whose state the test determines. */
function senderOn(local?: LocalBus) {
  const published: string[] = [];
  const listeners: ((status: BusStatus) => void)[] = [];
  const failed: (() => void)[] = [];
  const state = { isConnected: true, isMoving: false };
  const link: Link = {
    status: () => (state.isConnected ? "connected" : "disconnected"),
    isConnected: () => state.isConnected,
    isMoving: () => state.isMoving,
    connections: () => 1,
    maxPayload: () => 1024 * 1024,
    publish: (subject) => void published.push(subject),
    subscribe: () => ({ drain: async () => undefined, unsubscribe: () => undefined }),
    onStatus: (listener) => void listeners.push(listener),
    beforeMove: () => undefined,
    canMove: () => false,
    move: () => undefined,
    onMoveFailed: (listener) => void failed.push(listener),
    flush: async () => undefined,
    close: async () => undefined,
  };
  const clock = { now: () => 1000 };
  const pending = createPendingTable(createDeadlines(), noMetrics);
  const sender = createRequestSender(
    { link, inbox: "inbox", clock, codec: createCodec(), metrics: noMetrics, tracer: undefined, local },
    pending,
  );
  const request = (): Promise<unknown> => {
    const settler = Promise.withResolvers<unknown>();
    const init = {
      route,
      body: createCodec().encode("x"),
      deadlineMs: 60_000,
      signal: undefined,
      decode: String,
      span: undefined,
    };
    sender.add(route.subject, pending.open(init, settler, 59_000));
    sender.flush();
    // Most tests end before an answer arrives, and other files run in this process until the deadline.
    settler.promise.catch(() => undefined);
    return settler.promise;
  };
  const become = (status: "connected" | "disconnected", isMoving: boolean): void => {
    Object.assign(state, { isConnected: status === "connected", isMoving });
    for (const listener of listeners) listener(status);
  };
  return { published, sender, pending, request, become, state, failMove: () => failed[0]?.() };
}

const liveReplica = (instance: string) => ({ instance, outstanding: 0 });

test("a request that is made during a move is sent once, to the next server, and not again as one that was lost", () => {
  const { published, sender, request, become, state } = senderOn();
  sender.balance("service", {
    live: () => [liveReplica("a"), liveReplica("b")],
    isReturning: () => false,
    unreachable: () => undefined,
  });
  state.isMoving = true;
  void request();
  sender.resend([]);
  become("disconnected", true);
  void request();
  sender.resend([]);
  expect(published).toEqual([]);
  become("connected", false);
  expect(published).toHaveLength(2);
  sender.resend([]);
  expect(published).toHaveLength(2);
});

test("a request that was sent before the move is sent again after it", () => {
  const { published, sender, request, become } = senderOn();
  sender.balance("service", {
    live: () => [liveReplica("a"), liveReplica("b")],
    isReturning: () => false,
    unreachable: () => undefined,
  });
  void request();
  become("disconnected", true);
  become("connected", false);
  sender.resend([]);
  expect(published).toHaveLength(2);
});

test("a request left to another process is answered here when the connection is lost, once, and under its id", async () => {
  const local = new LocalBus(["service", "other"], true);
  const taken: LocalRequest[] = [];
  const calls = { isFull: () => false, call: (request: LocalRequest) => void taken.push(request) };
  local.serve(route.subject, { calls, instance: "here" });
  const { published, sender, request, become, pending } = senderOn(local);
  const elsewhere = liveReplica("a");
  sender.balance("service", { live: () => [elsewhere], isReturning: () => false, unreachable: () => undefined });
  const reply = request();
  expect(published).toHaveLength(1);
  become("disconnected", false);
  expect(taken).toMatchObject([{ value: "x", id: 1, inbox: "inbox" }]);
  expect(elsewhere.outstanding).toBe(0);
  become("connected", false);
  sender.resend([elsewhere]);
  expect(published).toHaveLength(1);
  const [own] = taken;
  if (own !== undefined) pending.resolve(own.request, "answered");
  expect(await reply).toBe("answered");
});

test("requests fail if no server accepts the connection, those of the move too", async () => {
  const { request, become, failMove, pending } = senderOn();
  become("disconnected", true);
  const waiting = request();
  become("disconnected", false);
  failMove();
  await expect(waiting).rejects.toEqual(new AppError("BUS_DISCONNECTED"));
  await expect(request()).rejects.toEqual(new AppError("BUS_DISCONNECTED"));
  expect(pending.size()).toBe(0);
});
