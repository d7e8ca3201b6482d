import { type MethodTable, maxParamLength } from "@postern/shared/platform/http";
import type { FastifyError, FastifyReply, FastifyRequest, FastifyServerOptions } from "fastify";
import type { WireNames } from "../dialects/naming.ts";
import { type DialectReply, jsonReply, notFoundReply, utf8Body } from "../dialects/reply.ts";
import type { Channels } from "./channels.ts";
import { type NotFoundPageDeps, notFoundPage } from "./not-found-page.ts";
import { sendReply } from "./send-reply.ts";

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
