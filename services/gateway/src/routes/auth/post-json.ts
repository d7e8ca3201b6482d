import { operation } from "@postern/shared/contracts";
import type { GatewayContext } from "../../context.ts";
import { createJsonRenderer, parseJsonRequest } from "../../dialects/json.ts";
import type { DialectRoute } from "./auth-route.ts";

const emptyBody = Buffer.alloc(0);

/** `POST /api/v1/auth/json`. */
export function jsonRoute({ names, releasable }: Pick<GatewayContext, "names" | "releasable">): DialectRoute {
  const { decision, malformed } = createJsonRenderer({ names, releasable });
  return {
    operations: [operation("authenticateJson")],
    pair: {
      dialect: "json",
      parse: ({ raw, body }, facts) =>
        parseJsonRequest({
          url: raw.url ?? "",
          contentType: raw.headers["content-type"],
          body: Buffer.isBuffer(body) ? body : emptyBody,
          facts,
        }),
      decision,
      malformed,
      listsAccounts: true,
    },
  };
}
