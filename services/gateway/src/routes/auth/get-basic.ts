import { operation } from "@postern/shared/contracts";
import type { GatewayContext } from "../../context.ts";
import { createBasicParser, createBasicRenderer } from "../../dialects/basic.ts";
import type { DialectRoute } from "./auth-route.ts";

/**
 * `GET /api/v1/auth/basic`. Its `Authorization` is the user's: the endpoint needs no caller authentication, and each request takes a token
 * of the failure budget.
 */
export function basicRoute(context: Pick<GatewayContext, "names" | "settings" | "spendBudget">): DialectRoute {
  const { names, settings, spendBudget } = context;
  const parse = createBasicParser(settings.requestHeaders);
  const { decision, malformed } = createBasicRenderer(names);
  return {
    operations: [operation("authenticateBasic")],
    onRequest: spendBudget,
    pair: {
      dialect: "basic",
      parse: ({ raw }, facts) => parse({ url: "", rawHeaders: raw.rawHeaders, facts }),
      decision,
      malformed,
    },
  };
}
