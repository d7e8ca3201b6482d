import { connect, headers } from "@nats-io/transport-node";
import type { Replica } from "@postern/shared/platform/bus";
import { type NatsServer, poll, spawnNats } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { echo, makeBus, namespace, soon } from "./bus-fixture.ts";
import { replica, serve } from "./replica-fixture.ts";

const repeatable = { ...echo, repeatable: true };
const text = "x";

let nats: NatsServer;
beforeAll(async () => {
  nats = await spawnNats();
});
afterAll(() => nats.stop());

interface ReplySubjects extends AsyncDisposable {
  /** All messages of the namespace, in their order. */
  readonly seen: string[];
  /** Sends what NATS sends when no process has subscribed to the subject of that message. */
  refuse(index: number): Promise<void>;
}

async function watchReplySubjects(url: string): Promise<ReplySubjects> {
  const connection = await connect({ servers: url });
  const seen: string[] = [];
  connection.subscribe(`${namespace}.>`, { callback: (_error, { reply }) => void seen.push(reply ?? "") });
  await connection.flush();
  return {
    seen,
    async refuse(index) {
      connection.publish(seen[index] ?? "", undefined, { headers: headers(503, "No Responders") });
      await connection.flush();
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

test("a late 503 about a replica that a request has left does not concern the replica that has it now", async () => {
  await using first = await serve(nats.url, "first", { holds: true });
  await using second = await serve(nats.url, "second", { holds: true });
  await using third = await serve(nats.url, "third");
  await using bus = await makeBus(nats.url);
  const [one, two, three] = [replica("first"), replica("second"), replica("third")];
  let live = [one];
  const refused: (Replica | undefined)[] = [];
  bus.balance(echo.service, {
    live: () => live,
    isReturning: () => false,
    unreachable: (gone) => void refused.push(gone),
  });
  await using messages = await watchReplySubjects(nats.url);
  const answer = bus.request(repeatable, { text }, soon(60_000));
  await poll("the request", () => first.seen.length === 1 && messages.seen.length === 1);
  live = [two];
  bus.resend([one]);
  await poll("the request at the second", () => second.seen.length === 1 && messages.seen.length === 2);
  live = [three];
  await messages.refuse(0);
  await bus.flush();
  expect(refused).toEqual([]);
  expect(third.seen).toEqual([]);
  await messages.refuse(1);
  expect((await answer).by).toBe("third");
  expect(refused).toEqual([two]);
});
