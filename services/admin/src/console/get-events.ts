import { PassThrough } from "node:stream";
import { type ConsolePageId, hasRight } from "@postern/shared/contracts";
import type { Html } from "@postern/shared/platform/pages";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { FoundOperator, Operator } from "../operators/operator.ts";
import { auditWithdrawn, lookOf, originOf } from "./console-visit.ts";
import type { ConsolePagesDeps } from "./context.ts";
import { type Look, writePage } from "./house/times.ts";

/** A withdrawn role or a session that has ended ends its streams within five seconds. */
const checkMs = 1500;
const contentMs = 3000;
/** A client that reads nothing is left. */
const maxUnreadBytes = 1_048_576;
/** How long browsers wait before they connect again. */
const retryMs = 3000;

export type EventsDeps = Pick<
  ConsolePagesDeps,
  "cookies" | "preferenceCookies" | "clock" | "sessions" | "findOperator" | "streams" | "audit" | "logger"
>;

interface LivePage {
  readonly page: ConsolePageId;
  readonly render: (operator: Operator) => Promise<Html>;
}

const isOperator = (found: FoundOperator): found is Operator => found !== "none" && !("withdrawn" in found);

/** Repeats work that may take longer than its interval. */
function every(ms: number, work: () => Promise<void>): NodeJS.Timeout {
  let isBusy = false;
  return setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    void work().finally(() => {
      isBusy = false;
    });
  }, ms);
}

function createStream(onEnd: () => void) {
  const body = new PassThrough();
  const timers: NodeJS.Timeout[] = [];
  let isOver = false;
  /** If it is final, the browser is told not to connect again. */
  const finish = (isFinal = false): void => {
    if (isOver) return;
    isOver = true;
    for (const timer of timers) clearInterval(timer);
    onEnd();
    if (isFinal) body.write("event: end\ndata:\n\n");
    body.end();
  };
  // What could not be checked is not shown; the browser connects again.
  const fail = (): void => finish();
  body.once("close", () => finish());
  return {
    body,
    finish,
    repeat: (ms: number, work: () => Promise<void>): void => {
      timers.push(every(ms, () => work().catch(fail)));
    },
  };
}

/** A stream without content: a browser that gets an error instead never connects again. */
function emptyStream(): PassThrough {
  return new PassThrough().end(`retry: ${retryMs}\n\n`);
}

/** Who follows a page. */
interface Follower {
  readonly ask: () => Promise<FoundOperator>;
  readonly look: () => Look;
}

/** `GET /console/<page>/events`: the live part of a page, as long as the operator may open it. A stream is no activity of the session. */
export function getEvents(deps: EventsDeps, { page, render }: LivePage) {
  const { cookies, sessions, findOperator, streams } = deps;
  const mayRead = (found: FoundOperator): found is Operator => isOperator(found) && hasRight(found, page);
  const begin = (cookie: string, { ask, look }: Follower, operator: Operator): PassThrough | undefined => {
    const stream = createStream(() => leave?.());
    const { body, finish, repeat } = stream;
    const leave = streams.open(operator.account, () => finish());
    if (leave === undefined) return undefined;
    // Apart from the role, which an engine may take long to tell.
    repeat(checkMs, async () => {
      if ((await sessions.peek(cookie)) === undefined) finish(true);
    });
    repeat(checkMs, async () => {
      const now = await ask();
      // What the stream shows is read with the rights of the role with which it began.
      if (!mayRead(now) || now.role !== operator.role || now.domain !== operator.domain) finish(true);
    });
    const send = async (): Promise<void> => {
      const text = JSON.stringify(writePage(await render(operator), look()));
      if (body.writableLength + body.readableLength > maxUnreadBytes) finish();
      else if (!body.writableEnded) body.write(`event: page\ndata: ${text}\n\n`);
    };
    body.write(`retry: ${retryMs}\n\n`);
    repeat(contentMs, send);
    return body;
  };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const about = originOf(request);
    const cookie = cookies.read(request.headers.cookie, "session");
    const ask = async (): Promise<FoundOperator> => {
      const found = await findOperator({ cookie, ...about, isPassive: true });
      if (found !== "none" && "withdrawn" in found) auditWithdrawn(deps, found.withdrawn, about);
      return found;
    };
    const operator = await ask().catch((error: unknown) => {
      deps.logger.warn(
        { session: about.session, err: error },
        "the operator of a stream of events could not be checked",
      );
      return undefined;
    });
    reply.headers({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
    if (operator === undefined) return reply.type("text/event-stream").send(emptyStream());
    if (cookie === undefined || !mayRead(operator)) return reply.code(403).send();
    const body = begin(cookie, { ask, look: () => lookOf(deps, request) }, operator);
    return body === undefined ? reply.code(503).send() : reply.type("text/event-stream").send(body);
  };
}
