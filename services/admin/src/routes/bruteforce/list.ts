import { Readable } from "node:stream";
import type { BruteForceState } from "@postern/shared/brute-force";
import type { BruteForceList } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/errors";
import type { Logger } from "@postern/shared/logging";
import type { FastifyReply, FastifyRequest } from "fastify";
import { sessionOf } from "../flush-route.ts";
import { malformed } from "../read-request.ts";
import { listEverything } from "./list-everything.ts";
import { type ListPart, listFiltered, listPage } from "./list-part.ts";
import { type ListQuestion, readListQuestion } from "./list-question.ts";

export interface ListDeps {
  readonly bruteForce: BruteForceState;
  readonly logger: Logger;
}

function failed(cause: unknown): AppError {
  if (cause instanceof RangeError) return malformed("cursor: none that a page gave");
  return new AppError("REDIS_UNAVAILABLE", { detail: "bans cannot be listed", cause });
}

async function partOf(question: ListQuestion, state: BruteForceState): Promise<ListPart | undefined> {
  const { accounts, ipAddresses, page } = question;
  if (accounts.length + ipAddresses.length > 0) return { result: await listFiltered(state, question), next: undefined };
  return page === undefined ? undefined : listPage(state, page);
}

/**
 * `GET` and `POST /api/v1/bruteforce/list` (contract, "Cache and brute force administration"). Without filters and pages
 * the answer is written while it is read: a million bans pass through in pages.
 */
export function listBruteForce({ bruteForce, logger }: ListDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<BruteForceList | Readable> => {
    const question = readListQuestion(Object(request.query), request.body);
    const session = sessionOf(request);
    const onError = (err: unknown): void => logger.error({ session, err }, "the list of bans broke off");
    try {
      const part = await partOf(question, bruteForce);
      if (part !== undefined) {
        const { result, next } = part;
        return { session, object: "bruteforce", operation: "list", result, ...(next !== undefined && { next }) };
      }
      reply.type("application/json; charset=utf-8");
      return Readable.from(await listEverything(bruteForce, session, onError));
    } catch (error) {
      throw failed(error);
    }
  };
}
