import { type Static, type TSchema, Type } from "typebox";
import { errorAnswer, jsonAnswer, jsonBody, operatorApi, pathOf } from "../operations/answers.ts";
import type { Operation } from "../operations/define-operation.ts";
import { count, oneOf, optional, optionalCount, optionalText, text, texts, time } from "../schema.ts";

/** The envelope of every administration response. */
export const Envelope = <Result extends TSchema>(object: string, operation: string, result: Result) =>
  Type.Object({
    session: text("GUID of the request."),
    object: Type.Literal(object),
    operation: Type.Literal(operation),
    result,
  });

export const JobStatus = oneOf("QUEUED", "INPROGRESS", "DONE", "ERROR");
export type JobStatus = Static<typeof JobStatus>;

export const JobType = oneOf("CACHE_FLUSH", "BF_FLUSH");

const Enqueued = Type.Object({ jobId: Type.String(), status: Type.Literal("QUEUED") });

/** Answers of the asynchronous flushes, 202: the job is stored and a worker will run it. */
export const CacheFlushAsync = Envelope("cache", "flush_async", Enqueued);
export type CacheFlushAsync = Static<typeof CacheFlushAsync>;
export const BruteForceFlushAsync = Envelope("bruteforce", "flush_async", Enqueued);
export type BruteForceFlushAsync = Static<typeof BruteForceFlushAsync>;

/** State of a job. Times are ISO 8601 in UTC, empty until known. */
export const JobRecord = Type.Object({
  jobId: Type.String(),
  status: JobStatus,
  type: JobType,
  createdAt: Type.String(),
  startedAt: text("Start of the current run. A job that another worker takes over starts again."),
  finishedAt: Type.String(),
  resultCount: count("Number of removed keys."),
  error: text("Error message. Empty if the job did not fail."),
  ahead: optionalCount("Jobs that will begin before a queued one. Absent while it waits for its next run."),
  runs: optionalCount("Runs of a queued job that failed. Absent before the first.", 1),
  nextRun: optionalText("When a queued job runs again after a failure."),
});
export type JobRecord = Static<typeof JobRecord>;

export const AsyncJobStatus = Envelope("async", "status", JobRecord);
export type AsyncJobStatus = Static<typeof AsyncJobStatus>;

const filter = (what: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 1000, description: what }));

/** Body of `POST /api/v1/bruteforce/list`. Without filters, everything is listed; with filters, only the entries that they select. */
export const BruteForceListRequest = Type.Object({
  accounts: filter("Accounts whose addresses are requested."),
  ip_addresses: filter("Addresses, or networks as they appear in the list."),
});

const error = Type.Union([Type.Null(), Type.String()], {
  description: "Reason why the list is incomplete, otherwise null.",
});

export const DelayedAccount = Type.Object({
  wrong_passwords: count("Number of distinct wrong passwords, from all networks.", 1),
  until: time("End of the delay. Another wrong password moves it."),
});

export type DelayedAccount = Static<typeof DelayedAccount>;

/** Bans by network, and the addresses that sent wrong passwords for accounts. */
export const BruteForceListResult = Type.Tuple([
  Type.Object({ ip_addresses: Type.Record(Type.String(), Type.String()), error }),
  Type.Object({
    accounts: Type.Record(Type.String(), Type.Array(Type.String())),
    slowed: Type.Optional(
      Type.Record(Type.String(), DelayedAccount, {
        description: "Accounts whose logins from unknown networks are delayed.",
      }),
    ),
    error,
  }),
]);
export type BruteForceListResult = Static<typeof BruteForceListResult>;

/** Answer of `GET` and `POST /api/v1/bruteforce/list`. `next` comes with pages only (query `limit`), while there are more. */
export const BruteForceList = Type.Intersect([
  Envelope("bruteforce", "list", BruteForceListResult),
  Type.Object({ next: optionalText("Value of the query parameter cursor for the next page.") }),
]);
export type BruteForceList = Static<typeof BruteForceList>;

/** Body of `DELETE /api/v1/cache/flush`: an account or login name, taken literally. */
export const CacheFlushRequest = Type.Object({
  user: text("User name. Wildcards are not allowed.", { minLength: 1, maxLength: 1024, pattern: "^[^*?]+$" }),
});
export type CacheFlushRequest = Static<typeof CacheFlushRequest>;

const removedKeys = texts("The removed keys, sorted.");
const status = text("Number of removed keys, as a sentence.");

export const CacheFlush = Envelope(
  "cache",
  "flush",
  Type.Object({ user: Type.String(), removed_keys: removedKeys, status }),
);
export type CacheFlush = Static<typeof CacheFlush>;

export const BruteForceFlushRequest = Type.Object({
  ip_address: text("Address, or a network as it appears in the list of bans.", { minLength: 1, maxLength: 128 }),
  rule_name: text("Name of the brute-force rule. * selects all rules.", { minLength: 1, maxLength: 255 }),
  protocol: optionalText("Selects only rules that are limited to this value.", { maxLength: 255 }),
  oidc_cid: optionalText("Selects only rules that are limited to this value.", { maxLength: 255 }),
});
export type BruteForceFlushRequest = Static<typeof BruteForceFlushRequest>;

/** Answer of `DELETE /api/v1/bruteforce/flush`; the request's members are echoed, absent ones as empty strings. */
export const BruteForceFlush = Envelope(
  "bruteforce",
  "flush",
  Type.Object({
    ip_address: Type.String(),
    rule_name: Type.String(),
    protocol: Type.String(),
    oidc_cid: Type.String(),
    removed_keys: removedKeys,
    status,
  }),
);
export type BruteForceFlush = Static<typeof BruteForceFlush>;

const tag = "Flush and bans";
export const cacheApi = operatorApi({ name: "cache flush", prefix: "/api/v1/cache", owner: "admin" }, tag);
const bruteForce = operatorApi({ name: "brute force", prefix: "/api/v1/bruteforce", owner: "admin" }, tag);
const jobs = operatorApi({ name: "async jobs", prefix: "/api/v1/async", owner: "admin" }, "Jobs");
const path = "/api/v1/bruteforce/list";

const answers = (status: 200 | 202, description: string, schema: TSchema): Operation["answers"] => ({
  [status]: jsonAnswer(description, schema),
  400: errorAnswer("Malformed request."),
});

const repeated = (description: string) => optional(texts(description));

const page = Type.Object({
  limit: optionalText("Number of bans per page, 1 to 1000.", { pattern: "^[0-9]+$" }),
  cursor: optionalText("`next` of the previous page."),
  accounts: repeated("Accounts to list, in place of a body; the parameter may be repeated."),
  ip_addresses: repeated("IP addresses and networks to list, in place of a body; the parameter may be repeated."),
});
const listing = { query: page, ...jsonBody(BruteForceListRequest), bodyRequired: false } as const;

export const flushOperations = [
  cacheApi("delete", "/api/v1/cache/flush", "flushUserCache", {
    concerns: { of: "account", in: "body", member: "user" },
    summary: "Flush the cached results of a user and the bans of addresses that tried passwords for the account",
    request: jsonBody(CacheFlushRequest),
    answers: answers(200, "The removed keys.", CacheFlush),
  }),
  // Without `concerns`: it lifts bans, which protect the accounts of other domains too.
  cacheApi("delete", "/api/v1/cache/flush/async", "enqueueUserCacheFlush", {
    summary: "Flush a user as a background job",
    request: jsonBody(CacheFlushRequest),
    answers: answers(202, "The job was accepted.", CacheFlushAsync),
  }),
  bruteForce("delete", "/api/v1/bruteforce/flush", "flushBruteForceRule", {
    summary: "Remove the bans and failure counts of an address",
    request: jsonBody(BruteForceFlushRequest),
    answers: answers(200, "The removed keys.", BruteForceFlush),
  }),
  bruteForce("delete", "/api/v1/bruteforce/flush/async", "enqueueBruteForceRuleFlush", {
    summary: "Remove the bans of an address as a background job",
    request: jsonBody(BruteForceFlushRequest),
    answers: answers(202, "The job was accepted.", BruteForceFlushAsync),
  }),
  bruteForce("get", path, "listBruteForceEntries", {
    summary: "List all bans, or those of some accounts and addresses",
    request: listing,
    answers: answers(200, "Bans, and the addresses from which wrong passwords were sent for accounts.", BruteForceList),
  }),
  bruteForce("post", path, "listFilteredBruteForceEntries", {
    summary: "List the bans of some accounts and addresses",
    request: listing,
    answers: answers(200, "Bans, and the addresses from which wrong passwords were sent for accounts.", BruteForceList),
  }),
  jobs("get", "/api/v1/async/jobs/{jobId}", "readJob", {
    summary: "Get the status of a job",
    request: pathOf({ jobId: Type.String() }),
    answers: {
      200: jsonAnswer("The job.", AsyncJobStatus),
      404: errorAnswer("The job does not exist, or its record has expired."),
    },
  }),
];

/** Operations that a site may list in `openapi_validation.operations`: management operations only. */
export const validatedOperations: readonly string[] = flushOperations
  .filter((operation) => operation.tag === tag)
  .map(({ operationId }) => operationId);
