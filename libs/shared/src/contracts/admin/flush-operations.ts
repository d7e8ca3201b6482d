import { type TSchema, Type } from "typebox";
import { errorAnswer, jsonAnswer, temporaryFailure } from "../openapi/answers.ts";
import { defineOperation, type Operation } from "../openapi/define-operation.ts";
import { BruteForceList, BruteForceListRequest } from "./brute-force-list.ts";
import { BruteForceFlush, BruteForceFlushRequest, CacheFlush, CacheFlushRequest } from "./flush.ts";
import { AsyncJobStatus, BruteForceFlushAsync, CacheFlushAsync } from "./jobs.ts";

const common = { tag: "Flush and bans", audience: "management", security: "backchannel" } as const;
const malformed = errorAnswer("The request is none.");
const path = "/api/v1/bruteforce/list";

const answers = (status: 200 | 202, description: string, schema: TSchema): Operation["answers"] => ({
  [status]: jsonAnswer(description, schema),
  400: malformed,
  500: temporaryFailure,
});

const page = Type.Object({
  limit: Type.Optional(Type.String({ pattern: "^[0-9]+$", description: "bans of a page, 1 to 1000" })),
  cursor: Type.Optional(Type.String({ description: "`next` of the page before" })),
});

/** Contract, "Cache and brute force administration". */
export const flushOperations: readonly Operation[] = [
  defineOperation({
    ...common,
    method: "delete",
    path: "/api/v1/cache/flush",
    operationId: "flushUserCache",
    summary: "Forget what is cached of a user, and the bans of the user's addresses",
    request: { body: { "application/json": CacheFlushRequest } },
    answers: answers(200, "What was removed.", CacheFlush),
  }),
  defineOperation({
    ...common,
    method: "delete",
    path: "/api/v1/cache/flush/async",
    operationId: "enqueueUserCacheFlush",
    summary: "The same as a job",
    request: { body: { "application/json": CacheFlushRequest } },
    answers: answers(202, "The job is kept.", CacheFlushAsync),
  }),
  defineOperation({
    ...common,
    method: "delete",
    path: "/api/v1/bruteforce/flush",
    operationId: "flushBruteForceRule",
    summary: "Remove the bans and counts of an address",
    request: { body: { "application/json": BruteForceFlushRequest } },
    answers: answers(200, "What was removed.", BruteForceFlush),
  }),
  defineOperation({
    ...common,
    method: "delete",
    path: "/api/v1/bruteforce/flush/async",
    operationId: "enqueueBruteForceRuleFlush",
    summary: "The same as a job",
    request: { body: { "application/json": BruteForceFlushRequest } },
    answers: answers(202, "The job is kept.", BruteForceFlushAsync),
  }),
  defineOperation({
    ...common,
    method: "get",
    path,
    operationId: "listBruteForceEntries",
    summary: "Everything that is blocked",
    request: { query: page },
    answers: answers(200, "Bans, and addresses from which accounts were guessed.", BruteForceList),
  }),
  defineOperation({
    ...common,
    method: "post",
    path,
    operationId: "listFilteredBruteForceEntries",
    summary: "What is blocked of these accounts and addresses",
    request: { query: page, body: { "application/json": BruteForceListRequest }, bodyRequired: false },
    answers: answers(200, "Bans, and addresses from which accounts were guessed.", BruteForceList),
  }),
  defineOperation({
    ...common,
    tag: "Jobs",
    method: "get",
    path: "/api/v1/async/jobs/{jobId}",
    operationId: "readJob",
    summary: "How far a job is",
    request: { path: Type.Object({ jobId: Type.String() }) },
    answers: {
      200: jsonAnswer("The job.", AsyncJobStatus),
      404: errorAnswer("No such job, or its record has expired."),
      500: temporaryFailure,
    },
  }),
];
