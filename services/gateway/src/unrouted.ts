import { operations, pathTo, routeFamilies } from "@postern/shared/contracts";
import { acceptsHtml, type MethodTable, sitePath } from "@postern/shared/platform/http";
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import type { GatewayContext } from "./context.ts";
import type { WireNames } from "./http/naming.ts";
import { sendError, sendNotFound } from "./http/reply.ts";
import notFoundTexts from "./pages/not-found-texts.json" with { type: "json" };
import { sendPlainPage } from "./pages/plain-page.ts";

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
  { raw }: FastifyRequest,
  reply: FastifyReply,
  { names, channels, settings }: GatewayContext,
): void {
  const { url = "/" } = raw;
  const { accept } = raw.headers;
  if (!settings.servesPages || !channels.isForBrowsers(raw) || !acceptsHtml(accept) || known.has(firstSegment(url))) {
    sendNotFound(reply, names);
    return;
  }
  sendPlainPage(reply, names, { status: 404, texts: notFoundTexts, href: pathTo("rootPage") });
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
