import type { Readable } from "node:stream";
import replyFrom from "@fastify/reply-from";
import { errorCodes } from "@postern/shared/errors";
import { type AssertionAudience, type Caller, type SignCaller } from "@postern/shared/http";
import type { Logger } from "@postern/shared/logging";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RejectionDelay } from "../caller-auth/rejection.ts";
import type { WireNames } from "../dialects/naming.ts";
import { type DialectReply, jsonReply, notFoundReply } from "../dialects/reply.ts";
import type { BudgetAnswer } from "../limits/failure-budget.ts";
import type { OnRequest } from "../plugins/caller-auth.ts";
import { retryAfterSeconds } from "../plugins/reject-caller.ts";
import { sendReply } from "../plugins/send-reply.ts";
import { requestHeaders, responseHeaders } from "./headers.ts";
import { type OwnedPaths, ownedPaths } from "./owners.ts";

export interface ForwardDeps {
  readonly sign: SignCaller;
  /** Where each owner listens: an origin without a path. */
  readonly origins: Readonly<Record<AssertionAudience, string>>;
  readonly callerAuth: OnRequest;
  /** Where credentials are not ours to check, among the paths that take them when they come. */
  readonly publicPaths: () => ReadonlySet<string>;
  /** For paths whose owner asks who is calling. */
  readonly limitAddress: OnRequest;
  /** For paths whose owner checks credentials. */
  readonly admitByBudget: OnRequest;
  readonly delay: RejectionDelay;
  /** Told of an owner's 401 or 403 where it checks credentials itself; answers whether there was a token for it. */
  readonly onOwnerRejected: (clientIp: string, status: 401 | 403, answer: BudgetAnswer) => void;
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

/** A path that the client of HTTP would rewrite on the way, so that the owner saw another than we checked. */
const dotSegment = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)|\\/i;

interface OwnerAnswer {
  readonly statusCode?: number | undefined;
  readonly stream: Readable;
}

interface OwnerAnswered {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly clientIp: string;
  readonly answer: OwnerAnswer;
}

function passLater(reply: FastifyReply, stream: Readable, { delay }: ForwardDeps): void {
  reply.raw.once("close", () => stream.destroy());
  delay.later(reply.raw, (closing) => {
    if (closing) reply.header("connection", "close");
    reply.send(stream);
  });
}

/** Passes the answer on; a rejection of credentials takes a token and leaves after 300 ms, as the gateway's own. */
function passAnswer({ request, reply, clientIp, answer }: OwnerAnswered, deps: ForwardDeps): void {
  const { stream, statusCode: status } = answer;
  if (status !== 401 && status !== 403) {
    reply.send(stream);
    return;
  }
  deps.onOwnerRejected(clientIp, status, (waitMs) => {
    if (waitMs > 0) {
      stream.destroy();
      const headers: DialectReply["headers"] = [
        [deps.names.session, request.id],
        ["Retry-After", retryAfterSeconds(waitMs)],
      ];
      sendReply(reply, { status: 429, headers, body: "" });
    } else if (status === 403) {
      reply.send(stream);
    } else {
      passLater(reply, stream, deps);
    }
  });
}

function registerOwned(app: FastifyInstance, owned: OwnedPaths, deps: ForwardDeps): void {
  const { owner, caller, prefixes, checksCredentials } = owned;
  const origin = deps.origins[owner];
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // Without the query, which is passed on as it came: the library would look for paths in it and refuse some.
    const [path = "/"] = (request.raw.url ?? "/").split("?", 1);
    if (dotSegment.test(path)) {
      sendReply(reply, notFoundReply(deps.names, request.id));
      return reply;
    }
    const who: Caller = {
      method: request.callerMethod,
      name: request.callerName ?? undefined,
      scopes: request.callerToken?.scopes ?? [],
      clientIp: deps.addressOf(request),
      session: request.id,
    };
    const assertion = await deps.sign(who, owner);
    return reply.from(`${origin}${path}`, {
      rewriteRequestHeaders: (_request, headers) =>
        requestHeaders(request.method, headers, { rule: caller, caller: who, assertion }),
      rewriteHeaders: responseHeaders,
      // A 503 with Retry-After is the owner's answer to the caller, not ours to ask again for.
      retryDelay: () => null,
      ...(checksCredentials === true && {
        onResponse: (_request: unknown, _reply: unknown, answer: OwnerAnswer) =>
          passAnswer({ request, reply, clientIp: who.clientIp, answer }, deps),
      }),
      onError: (_reply, { error }) => upstreamFailed(reply, request, deps, error),
    });
  };
  const offered: OnRequest = (request, reply, next) => {
    const [path = ""] = (request.raw.url ?? "").split("?", 1);
    if (request.raw.headers.authorization === undefined || deps.publicPaths().has(path)) next();
    else deps.callerAuth(request, reply, next);
  };
  const ownersHooks = checksCredentials === true ? [deps.limitAddress, deps.admitByBudget] : [deps.limitAddress];
  const hooksOf = { backchannel: [deps.callerAuth], owner: ownersHooks, offered: [deps.limitAddress, offered] };
  const hooks = { onRequest: hooksOf[caller] };
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
