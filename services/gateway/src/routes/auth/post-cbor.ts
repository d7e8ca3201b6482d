import { operation } from "@postern/shared/contracts";
import type { GatewayContext } from "../../context.ts";
import { createCborRenderer, parseCborRequest } from "../../dialects/cbor.ts";
import type { DialectRoute } from "./auth-route.ts";

const emptyBody = Buffer.alloc(0);

/** `POST /api/v1/auth/cbor`. */
export function cborRoute({ names, releasable }: Pick<GatewayContext, "names" | "releasable">): DialectRoute {
  const { decision, malformed } = createCborRenderer({ names, releasable });
  return {
    operations: [operation("authenticateCbor")],
    pair: {
      dialect: "cbor",
      listsAccounts: true,
      parse: ({ raw, body }, facts) =>
        parseCborRequest({
          url: raw.url ?? "",
          contentType: raw.headers["content-type"],
          body: Buffer.isBuffer(body) ? body : emptyBody,
          facts,
        }),
      decision,
      malformed,
    },
  };
}
