import { pathTo, routeFamilies } from "@postern/shared/contracts";
import { acceptsHtml, type MethodTable, maxParamLength } from "@postern/shared/platform/http";
import type { FastifyError, FastifyReply, FastifyRequest, FastifyServerOptions } from "fastify";
import type { WireNames } from "../dialects/naming.ts";
import { type DialectReply, jsonReply, notFoundReply, utf8Body } from "../dialects/reply.ts";
import { notFoundTexts } from "../pages/not-found-texts.ts";
import { type PlainPage, plainPage } from "../pages/plain-page.ts";
import type { Channels } from "./channels.ts";
import { sendReply } from "./send-reply.ts";

interface NotFoundPageDeps {
  readonly channels: Pick<Channels, "isForBrowsers">;
  /** `identity.frontend.enabled`: `/` leads to the account. */
  readonly servesPages: boolean;
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

/** For a browser that asks the front channel for a path that does not exist; undefined for all other requests. */
function notFoundPage({ raw }: FastifyRequest, { channels, servesPages }: NotFoundPageDeps): PlainPage | undefined {
  const { url = "/" } = raw;
  const { accept, "accept-language": acceptLanguage } = raw.headers;
  if (!servesPages || !channels.isForBrowsers(raw) || !acceptsHtml(accept) || known.has(firstSegment(url))) {
    return undefined;
  }
  return plainPage({ url, acceptLanguage }, { texts: notFoundTexts, href: pathTo("rootPage") });
}

/** The router answers an undecodable path before any hook runs. */
export function unreadablePaths(names: WireNames): Pick<FastifyServerOptions, "routerOptions" | "frameworkErrors"> {
  return {
    routerOptions: { maxParamLength },
    frameworkErrors: (_error: FastifyError, request, reply) => {
      const session: DialectReply["headers"] = [[names.session, request.id]];
      sendReply(reply, jsonReply(400, session, { error: "the path cannot be read" }));
    },
  };
}

export interface UnroutedDeps {
  readonly names: WireNames;
  readonly methods: MethodTable;
  /** Absent if both channels share the listeners. */
  readonly channels: Channels | undefined;
  /** Whether the configuration disables a route, by its pattern. */
  readonly isOff: (pattern: string) => boolean;
  readonly page: NotFoundPageDeps;
}

function unknownPath(request: FastifyRequest, { names, page }: UnroutedDeps): DialectReply {
  const shown = notFoundPage(request, page);
  if (shown === undefined) return notFoundReply(names, request.id);
  return { status: 404, headers: [[names.session, request.id], ...shown.headers], body: utf8Body(shown.html) };
}

/**
 * 405 with `Allow` if a path supports other methods (RFC 9110 §15.5.6), otherwise 404, for browsers with a page; paths of the other channel are 404.
 */
export function answerUnrouted(deps: UnroutedDeps) {
  const { names, methods, channels, isOff } = deps;
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const found = methods.find(request.raw.url ?? "/");
    if (found === undefined || isOff(found.pattern) || channels?.isForeign(request, found.pattern) === true) {
      sendReply(reply, unknownPath(request, deps));
      return;
    }
    const headers: DialectReply["headers"] = [
      [names.session, request.id],
      ["Allow", found.methods.join(", ")],
    ];
    sendReply(reply, jsonReply(405, headers, { error: "method not allowed" }));
  };
}
