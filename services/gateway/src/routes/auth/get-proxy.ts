import { operation } from "@postern/shared/contracts";
import type { FastifyRequest } from "fastify";
import type { GatewayContext } from "../../context.ts";
import { createHeaderParser } from "../../dialects/header.ts";
import { decodePercents } from "../../dialects/percent-decode.ts";
import { createProxyRenderer } from "../../dialects/proxy.ts";
import type { DialectRoute } from "./auth-route.ts";

export type ProxyRouteContext = Pick<
  GatewayContext,
  "names" | "attributeHeaders" | "settings" | "live" | "logger" | "upstreams"
>;

/** `GET` or `POST /api/v1/auth/proxy`, for nginx's mail proxy. */
export function proxyRoute({
  names,
  attributeHeaders,
  settings,
  live,
  logger,
  upstreams: mailBackends,
}: ProxyRouteContext): DialectRoute {
  const parse = createHeaderParser({ names: settings.requestHeaders, query: false });
  const { decision, malformed } = createProxyRenderer({
    names,
    attributeHeaders,
    settings: () => live.current.proxy,
    liveUpstream: mailBackends.pick,
    onNoUpstream: (session, protocol) =>
      logger.warn({ session, protocol }, "no upstream is configured for the protocol"),
  });
  const protocolHeader = settings.requestHeaders.protocol.toLowerCase();
  const protocolOf = ({ raw }: FastifyRequest): string =>
    decodePercents(String(raw.headers[protocolHeader] ?? "")) ?? "";
  return {
    operations: [operation("authenticateProxy"), operation("authenticateProxyPost")],
    pair: {
      dialect: "proxy",
      deniesUnacceptableCredentials: true,
      parse: ({ raw }, facts) => parse({ url: "", rawHeaders: raw.rawHeaders, facts }),
      decision: (answer, session, request) => decision(answer, session, protocolOf(request)),
      malformed,
    },
  };
}
