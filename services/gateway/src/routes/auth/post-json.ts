import { createJsonRenderer, type JsonRendererDeps, parseJsonRequest } from "../../dialects/json.ts";
import type { DialectPair } from "./auth-route.ts";

export const postJson = { method: "POST", url: "/api/v1/auth/json" } as const;

const emptyBody = Buffer.alloc(0);

/** `POST /api/v1/auth/json` (contract, "Authentication endpoints"). */
export function jsonPair(deps: JsonRendererDeps): DialectPair {
  const renderer = createJsonRenderer(deps);
  return {
    dialect: "json",
    parse: ({ raw, body }, facts) =>
      parseJsonRequest({
        url: raw.url ?? "",
        contentType: raw.headers["content-type"],
        body: Buffer.isBuffer(body) ? body : emptyBody,
        facts,
      }),
    decision: renderer.decision,
    malformed: renderer.malformed,
  };
}
