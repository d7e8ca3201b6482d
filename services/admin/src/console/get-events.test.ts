import { finished } from "node:stream/promises";
import { endsWithin } from "@postern/shared/platform/concurrency";
import { createLogger } from "@postern/shared/platform/logging";
import { html } from "@postern/shared/platform/pages";
import { systemClock } from "@postern/shared/platform/time";
import Fastify from "fastify";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createEventStreams } from "../operators/event-streams.ts";
import type { FindOperator, Operator } from "../operators/operator.ts";
import type { OperatorSession } from "../operators/operator-sessions-redis.ts";
import { createConsoleCookies, createPreferenceCookies } from "./console-cookies.ts";
import { getEvents } from "./get-events.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

const cookie = "c".repeat(43);
const account = "sue@example.test";
const operator: Operator = {
  account,
  role: "security",
  isRoleCurrent: true,
  isProved: true,
  clientIp: "192.0.2.1",
  session: "s",
  csrfToken: "t",
  cookie,
};
const session: OperatorSession = { account, role: "security", provedMs: 0, endMs: 1 };

const never = (): never => {
  throw new Error("not asked for here");
};

/** A stream of the page System. What `answers` has can be changed while it is open. */
async function openStream(answers: { session: OperatorSession | undefined; find: FindOperator }) {
  const app = Fastify();
  let checks = 0;
  const handle = getEvents(
    {
      cookies: createConsoleCookies("http://console.example.test"),
      preferenceCookies: createPreferenceCookies("http://console.example.test"),
      clock: systemClock,
      sessions: {
        create: never,
        find: never,
        end: never,
        remember: never,
        peek: async () => {
          checks += 1;
          return answers.session;
        },
      },
      findOperator: (request) => answers.find(request),
      streams: createEventStreams(),
      audit: { record: () => undefined },
      logger: createLogger({ service: "admin", instance: "test", level: "none", onDropped: () => undefined }).logger,
    },
    { page: "system", render: async () => html`<p>the state</p>` },
  );
  app.get("/events", handle);
  const headers = { cookie: `console_session=${cookie}` };
  const response = await app.inject({ url: "/events", headers, payloadAsStream: true });
  const body = response.stream();
  let text = "";
  body.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
  return { text: () => text, ended: finished(body), isOver: () => body.readableEnded, checks: () => checks, app };
}

const found: FindOperator = async () => operator;
const silent: FindOperator = () => new Promise(() => undefined);

test.each([
  ["the session has ended", { session: undefined, find: found }],
  ["the session has ended, and no engine tells the role", { session: undefined, find: silent }],
  ["the role is withdrawn", { session, find: async () => ({ withdrawn: account }) }],
  ["the role is another one", { session, find: async () => ({ ...operator, role: "helpdesk" as const }) }],
])("a stream ends, without an attempt to connect again, within five seconds after %s", async (_what, later) => {
  const answers: Parameters<typeof openStream>[0] = { session, find: found };
  const stream = await openStream(answers);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([stream.isOver(), stream.text()]).toEqual([false, expect.stringContaining("the state")]);
  // The longest wait begins just after a check.
  const before = stream.checks();
  while (stream.checks() === before) await vi.advanceTimersByTimeAsync(100);
  Object.assign(answers, later);
  await vi.advanceTimersByTimeAsync(4900);
  expect(await endsWithin(stream.ended, 10_000)).toBe(true);
  expect(stream.text()).toMatch(/event: end\ndata:\n\n$/u);
  await stream.app.close();
});
