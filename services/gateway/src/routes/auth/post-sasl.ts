import type { GatewayContext } from "../../context.ts";
import { createSaslRenderer, parseSaslRequest } from "../../dialects/sasl.ts";
import type { DialectRoute } from "./auth-route.ts";

const emptyBody = Buffer.alloc(0);

/** `POST /api/v1/auth/sasl` (contract, "Authentication endpoints"), for saslauthd and its like. */
export function saslRoute({ names, settings }: Pick<GatewayContext, "names" | "settings">): DialectRoute {
  const { decision, malformed } = createSaslRenderer(names);
  return {
    method: "POST",
    url: settings.saslPath,
    pair: {
      dialect: "sasl",
      parse: ({ raw, body }, facts) =>
        parseSaslRequest({
          contentType: raw.headers["content-type"],
          body: Buffer.isBuffer(body) ? body : emptyBody,
          facts,
        }),
      decision,
      malformed,
    },
  };
}
