import { type TSchema, Type } from "typebox";
import { errorAnswer, jsonAnswer, jsonBody, operatorApi } from "../operations/answers.ts";
import type { Operation } from "../operations/define-operation.ts";
import { optionalText } from "../schema.ts";
import { BruteForceList, BruteForceListRequest } from "./brute-force-list.ts";
import { BruteForceFlush, BruteForceFlushRequest, CacheFlush, CacheFlushRequest } from "./flush.ts";
import { AsyncJobStatus, BruteForceFlushAsync, CacheFlushAsync } from "./jobs.ts";

const tag = "Flush and bans";
const cache = operatorApi({ name: "cache flush", prefix: "/api/v1/cache", owner: "admin" }, tag);
const bruteForce = operatorApi({ name: "brute force", prefix: "/api/v1/bruteforce", owner: "admin" }, tag);
const jobs = operatorApi({ name: "async jobs", prefix: "/api/v1/async", owner: "admin" }, "Jobs");
const path = "/api/v1/bruteforce/list";

const answers = (status: 200 | 202, description: string, schema: TSchema): Operation["answers"] => ({
  [status]: jsonAnswer(description, schema),
  400: errorAnswer("Malformed request."),
});

const filter = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));

const page = Type.Object({
  limit: optionalText("Number of bans per page, 1 to 1000.", { pattern: "^[0-9]+$" }),
  cursor: optionalText("`next` of the previous page."),
  accounts: filter("Accounts to list, in place of a body; the parameter may be repeated."),
  ip_addresses: filter("IP addresses and networks to list, in place of a body; the parameter may be repeated."),
});
const listing = { query: page, ...jsonBody(BruteForceListRequest), bodyRequired: false } as const;

/** Flushes of caches and of brute-force counts and bans. */
export const flushOperations = [
  cache("delete", "/api/v1/cache/flush", "flushUserCache", {
    summary: "Flush the cached results of a user and the bans of addresses that tried passwords for the account",
    request: jsonBody(CacheFlushRequest),
    answers: answers(200, "The removed keys.", CacheFlush),
  }),
  cache("delete", "/api/v1/cache/flush/async", "enqueueUserCacheFlush", {
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
    request: { path: Type.Object({ jobId: Type.String() }) },
    answers: {
      200: jsonAnswer("The job.", AsyncJobStatus),
      404: errorAnswer("The job does not exist, or its record has expired."),
    },
  }),
];
