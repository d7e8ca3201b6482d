import { isPasswordPath } from "../limits/password-failures.ts";
import type { OnRequest } from "./caller-auth.ts";

/** Runs `first`, then `second` only for requests that carry a user's password. */
export function addPasswordPathHook(first: OnRequest, second: OnRequest): OnRequest {
  return async (request, reply) => {
    await first(request, reply);
    if (!reply.sent && isPasswordPath(request.raw.url)) await second(request, reply);
  };
}
