import type { JwtTokenRequest } from "@postern/shared/contracts";
import { Secret } from "@postern/shared/crypto";
import { createJwtRoute, type JwtRouteDeps } from "./jwt-route.ts";

/** Longer than any name or password that is allowed, in any encoding. */
export const tokenBodyLimit = 32_768;

const maxUsernameLength = 255;
const maxPasswordLength = 4096;

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === "string" && value !== "" && value.length <= maxLength;
}

function isTokenRequest(body: unknown): body is JwtTokenRequest {
  if (typeof body !== "object" || body === null || !("username" in body) || !("password" in body)) return false;
  return isText(body.username, maxUsernameLength) && isText(body.password, maxPasswordLength);
}

/** `POST /api/v1/jwt/token` (contract, "Configuration, tokens, hooks, misc"). */
export function postToken(deps: JwtRouteDeps) {
  return createJwtRoute(
    deps,
    (issuer, { body }, context) => {
      if (!isTokenRequest(body)) return undefined;
      return issuer.logIn({ username: body.username, password: new Secret(body.password) }, context);
    },
    { malformed: "invalid payload", denied: "authentication failed" },
  );
}
