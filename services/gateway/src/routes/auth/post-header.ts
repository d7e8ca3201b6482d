import { operation } from "@postern/shared/contracts";
import type { GatewayContext } from "../../context.ts";
import { createHeaderParser, createHeaderRenderer } from "../../dialects/header.ts";
import type { DialectRoute } from "./auth-route.ts";

export type HeaderRouteContext = Pick<GatewayContext, "names" | "attributeHeaders" | "settings" | "logger">;

/** `POST /api/v1/auth/header`. A body is ignored. */
export function headerRoute({ names, attributeHeaders, settings, logger }: HeaderRouteContext): DialectRoute {
  const parse = createHeaderParser({ names: settings.requestHeaders, query: true });
  const { decision, malformed } = createHeaderRenderer({
    names,
    attributeHeaders,
    onLeftOut: (session, attributes) =>
      logger.warn({ session, attributes: attributes.slice(0, 16) }, "attributes too large for headers"),
  });
  return {
    operations: [operation("authenticateHeader")],
    pair: {
      dialect: "header",
      listsAccounts: true,
      parse: ({ raw }, facts) => parse({ url: raw.url ?? "", rawHeaders: raw.rawHeaders, facts }),
      decision,
      malformed,
    },
  };
}
