import { operation } from "@postern/shared/contracts";
import type { GatewayContext } from "../../context.ts";
import { createSaslRenderer, parseSaslRequest } from "../../dialects/sasl.ts";
import type { DialectRoute } from "./auth-route.ts";

const emptyBody = Buffer.alloc(0);

/** `POST /api/v1/auth/sasl`, for saslauthd and similar daemons. */
export function saslRoute({ names }: Pick<GatewayContext, "names">): DialectRoute {
  const { decision, malformed } = createSaslRenderer(names);
  return {
    operations: [operation("authenticateSasl")],
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
