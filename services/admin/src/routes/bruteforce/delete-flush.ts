import type { BruteForceFlush } from "@postern/shared/contracts";
import { type Flushes, flushStatus } from "@postern/shared/domain/flush";
import type { FastifyRequest } from "fastify";
import { type FlushRouteDeps, flushCounted, sessionOf } from "../flush-route.ts";
import { readBruteForceFlush } from "../read-request.ts";

/** `DELETE /api/v1/bruteforce/flush`. */
export function deleteBruteForceFlush(flushes: Pick<Flushes, "bruteForce">, deps: FlushRouteDeps) {
  return async (request: FastifyRequest): Promise<BruteForceFlush> => {
    const flushRequest = readBruteForceFlush(request.body);
    const flushed = await flushCounted("bruteforce", request, deps, () => flushes.bruteForce(flushRequest));
    const result = { ...flushRequest, removed_keys: [...flushed.removedKeys], status: flushStatus(flushed) };
    return { session: sessionOf(request), object: "bruteforce", operation: "flush", result };
  };
}
