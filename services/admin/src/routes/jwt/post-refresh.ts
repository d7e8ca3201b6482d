import { createJwtRoute, type JwtRouteDeps } from "./jwt-route.ts";

/** `POST /api/v1/jwt/refresh`: the token is in `X-Refresh-Token`; a body is not read. */
export function postRefresh(deps: JwtRouteDeps) {
  return createJwtRoute(
    deps,
    (issuer, { headers }, context) => {
      const token = headers["x-refresh-token"];
      return typeof token === "string" && token !== "" ? issuer.refresh(token, context) : undefined;
    },
    { malformed: "refresh token is required", denied: "invalid refresh token" },
  );
}
