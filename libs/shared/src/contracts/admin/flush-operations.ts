import { type TSchema, Type } from "typebox";
import { errorAnswer, jsonAnswer, temporaryFailure } from "../operations/answers.ts";
import { defineOperation, type Operation } from "../operations/define-operation.ts";
import { defineFamily, operatorScopes } from "../operations/route-family.ts";
import { BruteForceList, BruteForceListRequest } from "./brute-force-list.ts";
import { BruteForceFlush, BruteForceFlushRequest, CacheFlush, CacheFlushRequest } from "./flush.ts";
import { AsyncJobStatus, BruteForceFlushAsync, CacheFlushAsync } from "./jobs.ts";

const cache = defineFamily({
  name: "cache flush",
  prefix: "/api/v1/cache",
  owner: "admin",
  channel: "back",
  anyScope: operatorScopes,
});
const bruteForce = defineFamily({
  name: "brute force",
  prefix: "/api/v1/bruteforce",
  owner: "admin",
  channel: "back",
  anyScope: operatorScopes,
});
const jobs = defineFamily({
  name: "async jobs",
  prefix: "/api/v1/async",
  owner: "admin",
  channel: "back",
  anyScope: operatorScopes,
});
const common = { tag: "Flush and bans", audience: "management", security: "backchannel" } as const;
const malformed = errorAnswer("Malformed request.");
const path = "/api/v1/bruteforce/list";

const answers = (status: 200 | 202, description: string, schema: TSchema): Operation["answers"] => ({
  [status]: jsonAnswer(description, schema),
  400: malformed,
  500: temporaryFailure,
});

const filter = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));

const page = Type.Object({
  limit: Type.Optional(Type.String({ pattern: "^[0-9]+$", description: "Number of bans per page, 1 to 1000." })),
  cursor: Type.Optional(Type.String({ description: "`next` of the previous page." })),
  accounts: filter("Accounts to list, in place of a body; the parameter may be repeated."),
  ip_addresses: filter("IP addresses and networks to list, in place of a body; the parameter may be repeated."),
});
const listing = { query: page, body: { "application/json": BruteForceListRequest }, bodyRequired: false } as const;

/** Flushes of caches and of brute-force counts and bans. */
export const flushOperations = [
  defineOperation({
    ...common,
    family: cache,
    method: "delete",
    path: "/api/v1/cache/flush",
    operationId: "flushUserCache",
    summary: "Flush the cached results of a user and the bans of addresses that tried passwords for the account",
    request: { body: { "application/json": CacheFlushRequest } },
    answers: answers(200, "The removed keys.", CacheFlush),
  }),
  defineOperation({
    ...common,
    family: cache,
    method: "delete",
    path: "/api/v1/cache/flush/async",
    operationId: "enqueueUserCacheFlush",
    summary: "Flush a user as a background job",
    request: { body: { "application/json": CacheFlushRequest } },
    answers: answers(202, "The job was accepted.", CacheFlushAsync),
  }),
  defineOperation({
    ...common,
    family: bruteForce,
    method: "delete",
    path: "/api/v1/bruteforce/flush",
    operationId: "flushBruteForceRule",
    summary: "Remove the bans and failure counts of an address",
    request: { body: { "application/json": BruteForceFlushRequest } },
    answers: answers(200, "The removed keys.", BruteForceFlush),
  }),
  defineOperation({
    ...common,
    family: bruteForce,
    method: "delete",
    path: "/api/v1/bruteforce/flush/async",
    operationId: "enqueueBruteForceRuleFlush",
    summary: "Remove the bans of an address as a background job",
    request: { body: { "application/json": BruteForceFlushRequest } },
    answers: answers(202, "The job was accepted.", BruteForceFlushAsync),
  }),
  defineOperation({
    ...common,
    family: bruteForce,
    method: "get",
    path,
    operationId: "listBruteForceEntries",
    summary: "List all bans, or those of some accounts and addresses",
    request: listing,
    answers: answers(200, "Bans, and the addresses from which wrong passwords were sent for accounts.", BruteForceList),
  }),
  defineOperation({
    ...common,
    family: bruteForce,
    method: "post",
    path,
    operationId: "listFilteredBruteForceEntries",
    summary: "List the bans of some accounts and addresses",
    request: listing,
    answers: answers(200, "Bans, and the addresses from which wrong passwords were sent for accounts.", BruteForceList),
  }),
  defineOperation({
    ...common,
    family: jobs,
    tag: "Jobs",
    method: "get",
    path: "/api/v1/async/jobs/{jobId}",
    operationId: "readJob",
    summary: "Get the status of a job",
    request: { path: Type.Object({ jobId: Type.String() }) },
    answers: {
      200: jsonAnswer("The job.", AsyncJobStatus),
      404: errorAnswer("The job does not exist, or its record has expired."),
      500: temporaryFailure,
    },
  }),
];
