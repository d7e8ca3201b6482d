import { isPasswordPath } from "../limits/password-failures.ts";
import type { OnRequest } from "./caller-auth.ts";

/** Runs `first`, then `second` only for requests that carry a user's password. */
export function andForPasswords(first: OnRequest, second: OnRequest): OnRequest {
  return (request, reply, next) =>
    first(request, reply, () => {
      if (isPasswordPath(request.raw.url)) second(request, reply, next);
      else next();
    });
}
