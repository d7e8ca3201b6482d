import { cborLimits } from "@postern/shared/cbor";
import type { GatewayContext } from "../../context.ts";
import { createCborRenderer, parseCborRequest } from "../../dialects/cbor.ts";
import type { DialectRoute } from "./auth-route.ts";

const emptyBody = Buffer.alloc(0);

/** `POST /api/v1/auth/cbor` (contract, "Authentication endpoints"). */
export function cborRoute({
  names,
  releasable,
  settings,
}: Pick<GatewayContext, "names" | "releasable" | "settings">): DialectRoute {
  const { decision, malformed } = createCborRenderer({ names, releasable });
  return {
    method: "POST",
    url: "/api/v1/auth/cbor",
    maxBodyBytes: Math.min(settings.maxBodyBytes, cborLimits.maxBytes),
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
