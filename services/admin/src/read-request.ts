import { BruteForceFlushRequest, CacheFlushRequest } from "@postern/shared/contracts";
import { flushedAddress } from "@postern/shared/domain/flush";
import { AppError } from "@postern/shared/platform/errors";
import { compileCheck } from "@postern/shared/platform/http";
import type { FastifyRequest } from "fastify";

export function malformed(what: string): AppError {
  return new AppError("REQUEST_MALFORMED", { publicMessage: `invalid payload: ${what}` });
}

interface BodyCheck<Body> {
  accepts(value: unknown): value is Body;
  explain(value: unknown): string;
}

/** Unknown members are ignored. @throws AppError REQUEST_MALFORMED */
function read<Body>(check: BodyCheck<Body>, body: unknown): Body {
  if (!check.accepts(body)) throw malformed(check.explain(body));
  return body;
}

const cacheFlush = compileCheck(CacheFlushRequest);
const bruteForceFlush = compileCheck(BruteForceFlushRequest);

export function readCacheFlush(body: unknown): CacheFlushRequest {
  return { user: read(cacheFlush, body).user };
}

export function readBruteForceFlush(body: unknown): Required<BruteForceFlushRequest> {
  const { ip_address, rule_name, protocol = "", oidc_cid = "" } = read(bruteForceFlush, body);
  if (flushedAddress(ip_address) === undefined)
    throw malformed("ip_address: must be an IP address, or a network as it appears in the list");
  return { ip_address, rule_name, protocol, oidc_cid };
}

export function sessionOf({ caller, id }: FastifyRequest): string {
  return caller?.session ?? id;
}
