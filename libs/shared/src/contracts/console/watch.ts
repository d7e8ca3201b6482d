import { type Static, type TProperties, Type } from "typebox";
import { defineEvent } from "../define.ts";
import { backchannel, errorAnswer, queryOf, temporaryFailure } from "../operations/answers.ts";
import { operationsWith } from "../operations/define-operation.ts";
import { component, count, optionalText, text } from "../schema.ts";
import { consoleFamily } from "./operations.ts";
import { DecisionRecord } from "./records.ts";

/** Outcomes by which a watch selects. */
export const watchedOutcomes = ["ok", "denied", "blocked", "undecided"] as const;

/** Watches of one admin process. Each costs the services that decide a comparison for each sign-in. */
export const maxWatches = 8;
/** An account has few names; those of an alias that expands to more are not all watched. */
export const maxWatchedNames = 32;
/** Characters; with the limits of names and watches, a message stays below the megabyte that NATS accepts. */
export const maxWatchedNameLength = 512;

const event = <Members extends TProperties>(fact: string, members: Members) =>
  defineEvent({ domain: "decision", fact, major: 1, body: Type.Object(members) });
const identifier = Type.String({ pattern: "^[0-9a-f]{16}$" });
const bounded = (maxLength: number) => Type.String({ maxLength });

/** Which decisions an operator watches; all conditions apply. */
export const WatchFilter = Type.Object({
  names: Type.Optional(
    Type.Array(bounded(maxWatchedNameLength), {
      maxItems: maxWatchedNames,
      description: "Folded names: of the account, or as typed.",
    }),
  ),
  network: optionalText("Address, or network in CIDR notation.", { maxLength: 64 }),
  outcomes: Type.Optional(Type.Array(bounded(16), { maxItems: 8 })),
});
export type WatchFilter = Static<typeof WatchFilter>;

/**
 * All that operators watch at one admin process, sent again before the lease ends; without watches, publishing stops at once. Versions that do
 * not know it send nothing.
 */
export const watchesRenewed = event("watches-renewed", {
  watcher: identifier,
  watches: Type.Array(Type.Object({ id: identifier, filter: WatchFilter }), { maxItems: maxWatches }),
  leaseMs: Type.Integer({ minimum: 0, maximum: 60_000 }),
});

/** A decision as it crosses the bus. Its texts are cut, because callers choose them. */
export const WatchedDecision = Type.Object({
  timeMs: Type.Integer({ minimum: 0 }),
  outcome: bounded(16),
  channel: bounded(16),
  account: Type.Optional(bounded(256)),
  username: bounded(256),
  clientIp: bounded(64),
  protocol: bounded(64),
  reason: bounded(64),
  rule: bounded(64),
  step: bounded(64),
  client: bounded(256),
  session: bounded(64),
});
export type WatchedDecision = Static<typeof WatchedDecision>;

/** What a process has decided since its last report of a watch; also sent, empty, while nothing happens. Lost reports show in `matched`. */
export const decisionsSeen = event("seen", {
  watch: identifier,
  service: bounded(64),
  instance: bounded(256),
  decisions: Type.Array(WatchedDecision, { maxItems: 256 }),
  matched: count("Decisions that matched since this process began the watch."),
});

/** Events of the stream. */
export const WatchSources = component("WatchSources", {
  engines: count("Engines that report what they decide."),
  live_engines: count("Engines that decide. One of an earlier version reports nothing."),
  identity_providers: count("Identity providers that report second factors."),
});
export type WatchSources = Static<typeof WatchSources>;

export const WatchDropped = component("WatchDropped", {
  count: count("Decisions that matched and are not shown, since the last such event.", 1),
});
export type WatchDropped = Static<typeof WatchDropped>;

export const WatchEnd = component("WatchEnd", {
  reason: text("time (connect again to go on), or shutdown (connect again in a moment)."),
});
export type WatchEnd = Static<typeof WatchEnd>;

/** The data of each event of a stream is one line of JSON. */
export const watchEvents = {
  sources: WatchSources,
  decision: DecisionRecord,
  dropped: WatchDropped,
  end: WatchEnd,
} as const;

/** Credentials are checked when a stream begins, so that none may last for ever. */
export const longestWatchSeconds = 900;

const consoleApi = operationsWith(backchannel(consoleFamily, "Help desk"));
const subject = (description: string) => optionalText(description, { minLength: 1, maxLength: 1024 });

export const watchOperations = [
  consoleApi("get", "/api/v1/console/watch", "watchDecisions", {
    summary: "Watch sign-ins as they are decided",
    description: [
      "A stream of events (text/event-stream). `sources`: which services report, whenever that changes. `decision`: a DecisionRecord of one sign-in,",
      "within about a second. `dropped`: how many matched and are not shown, because there are more than the stream takes (50 a quarter of a second",
      "from each engine) or the client reads too slowly. `end`: the last event. All conditions apply. Engines report nothing while no client watches;",
      `an admin process serves at most ${maxWatches} streams. Needs no decision history. Audited as decision.watch.`,
    ].join(" "),
    request: queryOf({
      account: subject("Account or alias."),
      network: subject("IP address, or network in CIDR notation."),
      outcome: optionalText(`Outcomes, separated by commas: ${watchedOutcomes.join(", ")}.`, { maxLength: 64 }),
      seconds: optionalText(`When the stream ends, 1 to ${longestWatchSeconds}; ${longestWatchSeconds} by default.`, {
        pattern: "^[0-9]+$",
      }),
    }),
    answers: {
      200: {
        description: "The stream.",
        content: { "text/event-stream": text("Events with one line of JSON each.") },
      },
      400: errorAnswer("A query parameter is invalid."),
      500: temporaryFailure,
      503: errorAnswer("Too many streams are open, or the service is shutting down."),
    },
  }),
];
