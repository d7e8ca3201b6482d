import { type JwtTokenRequest, userNameFault } from "@postern/shared/contracts";
import { Secret } from "@postern/shared/platform/crypto";
import { createJwtRoute, type JwtRouteDeps } from "./jwt-route.ts";

const maxPasswordLength = 4096;

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === "string" && value !== "" && value.length <= maxLength;
}

function isUsername(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && userNameFault(value) === undefined;
}

function isTokenRequest(body: unknown): body is JwtTokenRequest {
  if (typeof body !== "object" || body === null || !("username" in body) || !("password" in body)) return false;
  return isUsername(body.username) && isText(body.password, maxPasswordLength);
}

/** `POST /api/v1/jwt/token`. */
export function postToken(deps: JwtRouteDeps) {
  return createJwtRoute(
    deps,
    (issuer, { body }, context) => {
      if (!isTokenRequest(body)) return undefined;
      return issuer.logIn({ username: body.username.trim(), password: new Secret(body.password) }, context);
    },
    { malformed: "invalid payload", denied: "authentication failed" },
  );
}
