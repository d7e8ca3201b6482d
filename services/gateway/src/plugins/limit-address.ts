import type { FastifyRequest } from "fastify";
import type { WireNames } from "../dialects/naming.ts";
import type { AddressRateLimit } from "../limits/address-rate-limit.ts";
import type { OnRequest } from "./caller-auth.ts";
import { retryAfterSeconds } from "./reject-caller.ts";
import { sendReply } from "./send-reply.ts";

export interface LimitAddressDeps {
  readonly limit: AddressRateLimit;
  readonly callerAddressKey: (request: FastifyRequest) => string;
  readonly names: WireNames;
  readonly limited: () => void;
}

/**
 * For routes without caller authentication: each request counts, and requests above the limit are answered with 429 immediately.
 */
export function createLimitAddressHook({ limit, callerAddressKey, names, limited }: LimitAddressDeps): OnRequest {
  return async (request, reply) => {
    const waitMs = limit(callerAddressKey(request));
    if (waitMs === 0) return;
    limited();
    const headers = [
      [names.session, request.id],
      ["Retry-After", retryAfterSeconds(waitMs)],
    ] as const;
    sendReply(reply, { status: 429, headers, body: "" });
  };
}
