import { Readable } from "node:stream";
import type { BruteForceList } from "@postern/shared/contracts";
import type { BruteForceRecords } from "@postern/shared/domain/brute-force";
import { AppError } from "@postern/shared/platform/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../context.ts";
import { malformed, sessionOf } from "../read-request.ts";
import { listEverything } from "./list-everything.ts";
import { type ListPart, listFiltered, listPage } from "./list-part.ts";
import { type ListRequest, readListRequest } from "./list-request.ts";

function failed(cause: unknown): AppError {
  if (cause instanceof RangeError) return malformed("cursor: must be the value of next from a previous page");
  return new AppError("REDIS_UNAVAILABLE", { detail: "bans cannot be listed", cause });
}

async function partOf(listRequest: ListRequest, state: BruteForceRecords): Promise<ListPart | undefined> {
  const { accounts, ipAddresses, page } = listRequest;
  if (accounts.length + ipAddresses.length > 0)
    return { result: await listFiltered(state, listRequest), next: undefined };
  return page === undefined ? undefined : listPage(state, page);
}

/**
 * `GET` and `POST /api/v1/bruteforce/list`. Without filters and pages, the answer is written while the list is read, so that a million bans
 * need one page of memory.
 */
export function listBruteForce({ bruteForce, logger }: AdminContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<BruteForceList | Readable> => {
    const listRequest = readListRequest(Object(request.query), request.body);
    const session = sessionOf(request);
    const onError = (err: unknown): void => logger.error({ session, err }, "the list of bans was interrupted");
    try {
      const part = await partOf(listRequest, bruteForce);
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
