import replyFrom from "@fastify/reply-from";
import { errorCodes } from "@postern/shared/errors";
import { type AssertionAudience, type Caller, type SignCaller } from "@postern/shared/http";
import type { Logger } from "@postern/shared/logging";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { WireNames } from "../dialects/naming.ts";
import { jsonReply } from "../dialects/reply.ts";
import type { OnRequest } from "../plugins/caller-auth.ts";
import { sendReply } from "../plugins/send-reply.ts";
import { requestHeaders, responseHeaders } from "./headers.ts";
import { type OwnedPaths, ownedPaths } from "./owners.ts";

export interface ForwardDeps {
  readonly sign: SignCaller;
  /** Where each owner listens: an origin without a path. */
  readonly origins: Readonly<Record<AssertionAudience, string>>;
  readonly callerAuth: OnRequest;
  /** For paths whose owner asks who is calling. */
  readonly limitAddress: OnRequest;
  readonly addressOf: (request: FastifyRequest) => string;
  readonly names: WireNames;
  readonly timeoutMs: number;
  readonly logger: Logger;
}

function upstreamFailed(
  reply: FastifyReply,
  request: FastifyRequest,
  { names, logger }: ForwardDeps,
  err: unknown,
): void {
  logger.error({ session: request.id, err }, "owner of the path cannot be reached");
  const { publicMessage } = errorCodes.UPSTREAM_UNAVAILABLE;
  sendReply(reply, jsonReply(500, [[names.session, request.id]], { error: publicMessage }));
}

function registerOwned(app: FastifyInstance, { owner, caller, prefixes }: OwnedPaths, deps: ForwardDeps): void {
  const origin = deps.origins[owner];
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const who: Caller = {
      method: request.callerMethod,
      scopes: [],
      clientIp: deps.addressOf(request),
      session: request.id,
    };
    const assertion = await deps.sign(who, owner);
    // Without the query, which is passed on as it came: the library would look for paths in it and refuse some.
    const [path = "/"] = (request.raw.url ?? "/").split("?", 1);
    return reply.from(`${origin}${path}`, {
      rewriteRequestHeaders: (_request, headers) =>
        requestHeaders(request.method, headers, { rule: caller, caller: who, assertion }),
      rewriteHeaders: responseHeaders,
      // A 503 with Retry-After is the owner's answer to the caller, not ours to ask again for.
      retryDelay: () => null,
      onError: (_reply, { error }) => upstreamFailed(reply, request, deps, error),
    });
  };
  const hooks = { onRequest: caller === "backchannel" ? deps.callerAuth : deps.limitAddress };
  for (const prefix of prefixes) {
    app.all(prefix, hooks, handler);
    app.all(`${prefix}/*`, hooks, handler);
  }
}

/** Passes the paths of the other services on (design decision 10), bodies as streams, with who is calling signed. */
export async function registerForwarding(app: FastifyInstance, deps: ForwardDeps): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    await scope.register(replyFrom, {
      undici: { connections: 64, pipelining: 1, headersTimeout: deps.timeoutMs, bodyTimeout: deps.timeoutMs },
      disableRequestLogging: true,
    });
    for (const owned of ownedPaths) registerOwned(scope, owned, deps);
  });
}
