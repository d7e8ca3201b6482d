import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import replyFrom from "@fastify/reply-from";
import { errorCodes } from "@postern/shared/errors";
import { type AssertionAudience, type Caller, callerAssertionHeader, type SignCaller } from "@postern/shared/http";
import type { Logger } from "@postern/shared/logging";
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import type { RejectionDelay } from "../caller-auth/rejection.ts";
import type { WireNames } from "../dialects/naming.ts";
import { jsonReply, notFoundReply } from "../dialects/reply.ts";
import { sendReply } from "../plugins/send-reply.ts";
import { type OwnedPaths, ownedPaths } from "./owners.ts";

export interface ForwardDeps {
  readonly sign: SignCaller;
  /** Where each owner listens: an origin without a path. */
  readonly origins: Readonly<Record<AssertionAudience, string>>;
  readonly callerAuth: onRequestHookHandler;
  readonly delay: RejectionDelay;
  /** Told of an owner's 401 or 403 where it checks credentials itself. */
  readonly onOwnerRejected: (clientIp: string, status: 401 | 403) => void;
  readonly addressOf: (request: FastifyRequest) => string;
  readonly names: WireNames;
  readonly timeoutMs: number;
  readonly logger: Logger;
}

/** Told by whoever connects to us and meant for us; the owner must not take any of it from a client. */
const droppedHeaders = new Set([
  callerAssertionHeader,
  "x-forwarded-for",
  "x-real-ip",
  "x-forwarded-host",
  "x-forwarded-proto",
  "forwarded",
]);

function forwardedHeaders(headers: IncomingHttpHeaders, caller: Caller, assertion: string): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !droppedHeaders.has(name));
  const passed: IncomingHttpHeaders = Object.fromEntries(kept);
  // Credentials that the gateway has checked end here: the assertion says what they proved.
  if (caller.method !== "none") delete passed.authorization;
  return { ...passed, [callerAssertionHeader]: assertion, "x-forwarded-for": caller.clientIp };
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

/** A path that the client of HTTP would rewrite on the way, so that the owner saw another than we checked. */
const dotSegment = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)|\\/i;

interface OwnerAnswer {
  readonly statusCode?: number | undefined;
  readonly stream: Readable;
}

/** Passes the answer on; a rejection of credentials after 300 ms, as the gateway's own. */
function passAnswer(reply: FastifyReply, clientIp: string, answer: OwnerAnswer, deps: ForwardDeps): void {
  const { stream, statusCode: status } = answer;
  if (status === 401 || status === 403) deps.onOwnerRejected(clientIp, status);
  if (status !== 401) {
    reply.send(stream);
    return;
  }
  reply.raw.once("close", () => stream.destroy());
  deps.delay.later(reply.raw, (closing) => {
    if (closing) reply.header("connection", "close");
    reply.send(stream);
  });
}

function registerOwned(app: FastifyInstance, owned: OwnedPaths, deps: ForwardDeps): void {
  const { owner, caller, prefixes, checksCredentials } = owned;
  const origin = deps.origins[owner];
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const url = request.raw.url ?? "/";
    if (dotSegment.test(url.split("?", 1)[0] ?? "")) {
      sendReply(reply, notFoundReply(deps.names, request.id));
      return reply;
    }
    const who: Caller = {
      method: request.callerMethod,
      scopes: request.callerToken?.scopes ?? [],
      clientIp: deps.addressOf(request),
      session: request.id,
    };
    const assertion = await deps.sign(who, owner);
    return reply.from(`${origin}${url}`, {
      rewriteRequestHeaders: (_request, headers) => forwardedHeaders(headers, who, assertion),
      ...(checksCredentials === true && {
        onResponse: (_request: unknown, _reply: unknown, answer: OwnerAnswer) =>
          passAnswer(reply, who.clientIp, answer, deps),
      }),
      onError: (_reply, { error }) => upstreamFailed(reply, request, deps, error),
    });
  };
  const hooks = caller === "backchannel" ? { onRequest: deps.callerAuth } : {};
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
