import { PassThrough } from "node:stream";
import {
  longestWatchSeconds,
  maxWatchedNameLength,
  maxWatchedNames,
  type WatchEnd,
  type WatchFilter,
  type watchEvents,
  watchedOutcomes,
} from "@postern/shared/contracts";
import { foldedName } from "@postern/shared/domain/brute-force";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../../context.ts";
import { auditedRequest, malformed } from "../../read-request.ts";
import { numberOf, textOf } from "../query.ts";
import { subjectOf } from "../subject.ts";
import { writtenDecision } from "../written.ts";
import type { Watching } from "./watch-hub.ts";

/** A client that reads more slowly loses decisions, not the stream. */
const maxUnreadBytes = 262_144;
/** A client that has not read for a minute is left. */
const maxStalledTicks = 12;
/** For which a client may read the rest after the end. */
const endGraceMs = 5000;
/** Proxies close connections on which nothing happens, and a client sees that the stream lives. */
const commentMs = 5000;

export type WatchDeps = Pick<AdminContext, "accountNames" | "watchHub" | "audit" | "adminMetrics">;

/** @throws AppError REQUEST_MALFORMED */
function outcomesIn(query: unknown): readonly string[] | undefined {
  const text = textOf(query, "outcome");
  if (text === undefined) return undefined;
  const outcomes = [...new Set(text.split(",").map((one) => one.trim()))];
  if (!outcomes.every((one) => watchedOutcomes.some((known) => known === one)))
    throw malformed(`outcome: must be ${watchedOutcomes.join(", ")}, or some of them separated by commas`);
  return outcomes;
}

/** @throws AppError REQUEST_MALFORMED */
function networkIn(query: unknown): string | undefined {
  const text = textOf(query, "network")?.trim();
  if (text === undefined) return undefined;
  const subject = subjectOf(text);
  // Engines compare canonical addresses.
  if (subject.kind === "address") return subject.address;
  if (subject.kind === "network") return text;
  throw malformed("network: must be an IP address or a network in CIDR notation");
}

/** @throws AppError REQUEST_MALFORMED */
function askedIn(query: unknown) {
  return {
    account: textOf(query, "account")?.trim(),
    network: networkIn(query),
    outcomes: outcomesIn(query),
    seconds: numberOf(query, "seconds", { usual: longestWatchSeconds, max: longestWatchSeconds }),
  };
}

type Asked = ReturnType<typeof askedIn>;

/** The filter as the audit record names it; undefined if everything is watched. */
function filterText({ account, network, outcomes }: Asked): string | undefined {
  const parts = Object.entries({ account, network, outcome: outcomes?.join() });
  const conditions = parts.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  return conditions.length === 0 ? undefined : conditions.join(" ");
}

/** The name as typed is watched too: while no backend answers, nothing else is known. */
async function namesOf({ accountNames }: WatchDeps, account: string): Promise<readonly string[]> {
  const { accounts } = await accountNames(account);
  const names = [...new Set([account, ...accounts].map(foldedName))].filter(
    (name) => name.length <= maxWatchedNameLength,
  );
  // All watches of an admin process travel in one message: one that the bus refuses would end them all.
  if (names.length === 0) throw malformed("account: is too long");
  return names.slice(0, maxWatchedNames);
}

type EventName = keyof typeof watchEvents;

/** @param onShown counts decisions by whether the client gets them */
function createStream(onShown: (result: "sent" | "dropped", count: number) => void) {
  const body = new PassThrough({ highWaterMark: maxUnreadBytes });
  let unsaid = 0;
  let stalledTicks = 0;
  const unread = (): number => body.writableLength + body.readableLength;
  const write = (name: EventName, data: unknown): void => {
    if (!body.writableEnded) body.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const sayDropped = (): void => {
    if (unsaid === 0 || unread() > maxUnreadBytes) return;
    write("dropped", { count: unsaid });
    unsaid = 0;
  };
  const drop = (count: number): void => {
    unsaid += count;
    onShown("dropped", count);
  };
  const timer = setInterval(() => {
    sayDropped();
    stalledTicks = unread() > maxUnreadBytes ? stalledTicks + 1 : 0;
    if (stalledTicks >= maxStalledTicks) body.destroy();
    else if (!body.writableEnded) body.write(":\n\n");
  }, commentMs);
  body.once("close", () => clearInterval(timer));
  const end = (reason: string): void => {
    sayDropped();
    write("end", { reason } satisfies WatchEnd);
    body.end();
    // A client that does not read keeps it open otherwise.
    setTimeout(() => body.destroy(), endGraceMs).unref();
  };
  const watching: Watching = {
    sources: (sources) => write("sources", sources),
    decision: (decision) => {
      if (unread() > maxUnreadBytes) {
        drop(1);
        return;
      }
      sayDropped();
      const { timeMs: firstMs, instance } = decision;
      write("decision", writtenDecision({ ...decision, firstMs, count: 1, instance }));
      onShown("sent", 1);
    },
    dropped: (count) => {
      drop(count);
      sayDropped();
    },
    end: () => end("shutdown"),
  };
  return { body, end, watching };
}

/** `GET /api/v1/console/watch` */
export function getWatch(deps: WatchDeps) {
  const { watchHub, audit, adminMetrics } = deps;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const wanted = askedIn(request.query);
    const { account, network, outcomes, seconds } = wanted;
    const filter: WatchFilter = {
      ...(account !== undefined && { names: [...(await namesOf(deps, account))] }),
      ...(network !== undefined && { network }),
      ...(outcomes !== undefined && { outcomes: [...outcomes] }),
    };
    const stream = createStream(adminMetrics.watchedDecisions);
    const close = watchHub.open(filter, stream.watching);
    const target = filterText(wanted);
    const outcome = close === undefined ? "denied" : "ok";
    audit.record({ event: "decision.watch", outcome, ...auditedRequest(request), target });
    reply.header("cache-control", "no-store");
    if (close === undefined) {
      stream.body.destroy();
      return reply.code(503).send({ error: "too many watches are open; end one, or try again later" });
    }
    const timer = setTimeout(() => stream.end("time"), seconds * 1000);
    stream.body.once("close", () => {
      clearTimeout(timer);
      close();
    });
    // The head is sent at once, also where nothing happens.
    stream.body.write(":\n\n");
    return reply.header("x-content-type-options", "nosniff").type("text/event-stream").send(stream.body);
  };
}
