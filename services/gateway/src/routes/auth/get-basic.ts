import type { GatewayContext } from "../../context.ts";
import { createBasicParser, createBasicRenderer } from "../../dialects/basic.ts";
import type { DialectRoute } from "./auth-route.ts";

/**
 * `GET /api/v1/auth/basic` (contract, "Authentication endpoints"). Its `Authorization` is the user's: whoever reaches the
 * endpoint may ask.
 */
export function basicRoute({ names, settings }: Pick<GatewayContext, "names" | "settings">): DialectRoute {
  const parse = createBasicParser(settings.requestHeaders);
  const { decision, malformed } = createBasicRenderer(names);
  return {
    method: "GET",
    url: "/api/v1/auth/basic",
    onRequest: [],
    pair: {
      dialect: "basic",
      parse: ({ raw }, facts) => parse({ url: "", rawHeaders: raw.rawHeaders, facts }),
      decision,
      malformed,
    },
  };
}
