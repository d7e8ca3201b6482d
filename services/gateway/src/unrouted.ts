import { operations, pathTo, routeFamilies } from "@postern/shared/contracts";
import { acceptsHtml, type MethodTable, maxParamLength, sitePath } from "@postern/shared/platform/http";
import type { FastifyError, FastifyReply, FastifyRequest, FastifyServerOptions, onRequestHookHandler } from "fastify";
import type { GatewayContext } from "./context.ts";
import type { WireNames } from "./http/naming.ts";
import { sendError, sendNotFound, sendReply, utf8Body } from "./http/reply.ts";
import notFoundTexts from "./pages/not-found-texts.json" with { type: "json" };
import { plainPage } from "./pages/plain-page.ts";

/** The router answers an undecodable path before any hook runs. */
export function unreadablePaths(names: WireNames): Pick<FastifyServerOptions, "routerOptions" | "frameworkErrors"> {
  return {
    routerOptions: { maxParamLength },
    frameworkErrors: (_error: FastifyError, _request, reply) =>
      sendError(reply, names, { status: 400, error: "the path cannot be read" }),
  };
}

function isHost(name: string | undefined): boolean {
  return name?.length === 4 && name.toLowerCase() === "host";
}

function hosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) if (isHost(rawHeaders[index])) count += 1;
  return count;
}

/** RFC 9112 §3.2: more than one `Host` is 400. Node keeps the first, and a proxy may have routed by the last. */
export function refuseTwoHosts(names: WireNames): onRequestHookHandler {
  return (request, reply, next) => {
    if (hosts(request.raw.rawHeaders) < 2) next();
    else sendError(reply, names, { status: 400, error: "Host is given more than once" });
  };
}

/** Whether the configuration disables a route. Disabled endpoints are 404 for every method, so that their existence is not revealed. */
function switchedOff({ settings, live }: GatewayContext): (pattern: string) => boolean {
  const keys = new Map(
    operations.flatMap((each) => {
      const { family, disabledBy } = each;
      if (family.owner !== "gateway" || disabledBy === undefined) return [];
      return [[sitePath(each, settings.siteNames), disabledBy] as const];
    }),
  );
  return (pattern) => {
    const { disabledEndpoints, metricsRoute } = live.current;
    const key = keys.get(pattern);
    if (key !== undefined) return disabledEndpoints.has(key);
    return pattern === pathTo("metrics") && !metricsRoute.enabled;
  };
}

function firstSegment(url: string): string {
  return /^\/?[^/?#]*/.exec(url)?.[0] ?? "";
}

/**
 * Beginnings of paths that exist. A path below one of them is answered like one that is disabled or belongs to another channel, whatever
 * the reason is, so that the answer does not tell which it is.
 */
const known: ReadonlySet<string> = new Set(
  routeFamilies.map(({ prefix }) => firstSegment(prefix)).filter((segment) => segment !== "/"),
);

/** 404, as a page for a browser that asks the front channel for a path that does not exist. */
function sendUnknownPath(
  { raw, id }: FastifyRequest,
  reply: FastifyReply,
  { names, channels, settings }: GatewayContext,
): void {
  const { url = "/" } = raw;
  const { accept, "accept-language": acceptLanguage } = raw.headers;
  if (!settings.servesPages || !channels.isForBrowsers(raw) || !acceptsHtml(accept) || known.has(firstSegment(url))) {
    sendNotFound(reply, names);
    return;
  }
  const { headers, html } = plainPage({ url, acceptLanguage }, { texts: notFoundTexts, href: pathTo("rootPage") });
  sendReply(reply, { status: 404, headers: [[names.session, id], ...headers], body: utf8Body(html) });
}

/**
 * 405 with `Allow` if a path supports other methods (RFC 9110 §15.5.6), otherwise 404, for browsers with a page; paths of the other channel are 404.
 *
 * @param isApart whether the front channel or the console has its own listeners
 */
export function answerUnrouted(context: GatewayContext, methods: MethodTable, isApart: boolean) {
  const { names, channels } = context;
  const isOff = switchedOff(context);
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const found = methods.find(request.raw.url ?? "/");
    if (found === undefined || isOff(found.pattern) || (isApart && channels.isForeign(request, found.pattern)))
      sendUnknownPath(request, reply, context);
    else
      sendError(reply, names, {
        status: 405,
        error: "method not allowed",
        headers: [["Allow", found.methods.join(", ")]],
      });
  };
}
