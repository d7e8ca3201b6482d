import { METHODS } from "node:http";
import type { Readable } from "node:stream";
import replyFrom from "@fastify/reply-from";
import { errorCodes } from "@postern/shared/platform/errors";
import { type AssertionAudience, acceptsHtml, type Caller, type SignCaller } from "@postern/shared/platform/http";
import type { Logger } from "@postern/shared/platform/logging";
import type { Tracer } from "@postern/shared/platform/tracing";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RejectionDelay } from "../callers/reject.ts";
import { type HttpReply, jsonReply, notFoundReply, utf8Body } from "../http/reply.ts";
import type { GuessesInFlight } from "../limits/concurrency.ts";
import { unavailablePage } from "../pages/plain-page.ts";
import type { OnRequest } from "../callers/hooks.ts";
import type { ClientCertificates } from "../connection/certificates.ts";
import { retryAfterSeconds } from "../callers/reject.ts";
import { sendReply } from "../http/reply.ts";
import type { ForwardedStreams } from "./event-streams.ts";
import { type ExpandBodiesDeps, expandBodies } from "./expand-bodies.ts";
import { methodTowardsOwner, requestHeaders, responseHeaders } from "./headers.ts";
import { OwnerAgent } from "./owner-agent.ts";
import { failureReason, type OwnerFailure } from "./owner-failure.ts";
import { type OwnedPaths, ownedPaths, urlsOf } from "./owners.ts";
import { uploadError } from "./upload.ts";

export interface OwnerRejected {
  readonly callerIp: string;
  readonly session: string;
  readonly status: 401 | 403;
  readonly url: string | undefined;
}

export interface ForwardDeps extends ExpandBodiesDeps {
  readonly sign: SignCaller;
  /** The origin of each owner, without a path. */
  readonly origins: Readonly<Record<AssertionAudience, string>>;
  readonly callerAuth: OnRequest;
  /** Paths on which the gateway does not check credentials, among those that accept them optionally. */
  readonly publicPaths: () => ReadonlySet<string>;
  /** For paths whose owner identifies the caller. */
  readonly limitAddress: OnRequest;
  /** For paths whose owner checks credentials. */
  readonly admitByBudget: OnRequest;
  readonly guesses: GuessesInFlight;
  readonly delay: RejectionDelay;
  /**
   * Called for an owner's 401 or 403 if the owner checks credentials itself. Takes a token, synchronously from the local bucket, and resolves
   * to 0, or to the milliseconds until a token is available if there was none.
   */
  readonly onOwnerRejected: (rejected: OwnerRejected) => Promise<number>;
  readonly onOwnerFailed: (owner: AssertionAudience, reason: OwnerFailure) => void;
  readonly callerAddress: (request: FastifyRequest) => string;
  readonly certificates: ClientCertificates;
  readonly streams: ForwardedStreams;
  /** `identity.frontend.enabled`: `/` redirects to the account page. */
  readonly servesPages: boolean;
  /** Whether the console has a listener. */
  readonly servesConsole: boolean;
  readonly timeoutMs: number;
  readonly logger: Logger;
  readonly tracer: Tracer | undefined;
}

interface OwnerFailed {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly owner: AssertionAudience;
  readonly error: unknown;
}

/** Read on by the listener for a moment only, because the rest of the body may be endless. */
function refuseLongBody(request: FastifyRequest, reply: FastifyReply, names: ForwardDeps["names"]): void {
  const headers: HttpReply["headers"] = [
    [names.session, request.id],
    ["Connection", "close"],
  ];
  sendReply(reply, jsonReply(413, headers, { error: "the body is too large" }));
}

/** Answers in the owner's place: a page for browsers, JSON otherwise. */
function upstreamFailed({ request, reply, owner, error: err }: OwnerFailed, deps: ForwardDeps): void {
  const { names, logger, onOwnerFailed } = deps;
  const upload = uploadError(err);
  if (upload !== undefined) {
    if (upload.reason === "too-large") refuseLongBody(request, reply, names);
    else reply.raw.destroy();
    return;
  }
  const reason = failureReason(err);
  onOwnerFailed(owner, reason);
  logger[reason === "oversized" ? "warn" : "error"](
    { session: request.id, owner, reason, err },
    "service behind the path is unreachable",
  );
  const session: HttpReply["headers"] = [[names.session, request.id]];
  if (reason === "oversized") {
    sendReply(reply, jsonReply(400, session, { error: "the response to this request would be too long" }));
    return;
  }
  const { accept, "accept-language": acceptLanguage } = request.raw.headers;
  if (acceptsHtml(accept)) {
    const { headers, html } = unavailablePage({ url: request.raw.url ?? "/", acceptLanguage }, request.id);
    sendReply(reply, { status: 500, headers: [...session, ...headers], body: utf8Body(html) });
  } else {
    sendReply(reply, jsonReply(500, session, { error: errorCodes.UPSTREAM_UNAVAILABLE.publicMessage }));
  }
}

/**
 * A path that the HTTP client would rewrite, so that the owner would see a different path from the one that was checked.
 */
const dotSegment = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)|\\/i;

/** The owner decides which of them a path supports. CONNECT has no path. */
const forwardedMethods = METHODS.filter((method) => method !== "CONNECT");

interface OwnerAnswer {
  readonly statusCode?: number | undefined;
  readonly stream: Readable;
}

interface OwnerAnswered {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly callerIp: string;
  readonly answer: OwnerAnswer;
}

function passLater(reply: FastifyReply, stream: Readable, { delay }: ForwardDeps): void {
  reply.raw.once("close", () => stream.destroy());
  delay.later(reply.raw, (closing) => {
    if (closing) reply.header("connection", "close");
    reply.send(stream);
  });
}

/** Passes the answer on. A rejection of credentials takes a token and is delayed by 300 ms, like the gateway's own. */
async function passAnswer({ request, reply, callerIp, answer }: OwnerAnswered, deps: ForwardDeps): Promise<void> {
  const { stream, statusCode: status } = answer;
  if (status !== 401 && status !== 403) {
    reply.send(stream);
    return;
  }
  // An answer that is not passed on is destroyed. Its stream reports that as an error, for which there is no other listener yet.
  stream.on("error", () => undefined);
  const waitMs = await deps.onOwnerRejected({ callerIp, session: request.id, status, url: request.raw.url });
  if (waitMs > 0) {
    stream.destroy();
    const headers: HttpReply["headers"] = [
      [deps.names.session, request.id],
      ["Retry-After", retryAfterSeconds(waitMs)],
    ];
    sendReply(reply, { status: 429, headers, body: "" });
  } else if (status === 403) {
    reply.send(stream);
  } else {
    passLater(reply, stream, deps);
  }
}

/** What a proxy in front of the services answers if the one that it chose has failed. No service does, except in the name of a hook. */
const ofProxy: ReadonlySet<number | undefined> = new Set([502, 504]);

/** For an answer that is not passed on. */
function discard(stream: Readable): void {
  stream.on("error", () => undefined);
  stream.destroy();
}

/** Passes the owner's answer on, or answers in its place. */
function takeAnswer(
  answered: OwnerAnswered,
  { owner, caller, checksCredentials }: OwnedPaths,
  deps: ForwardDeps,
): void {
  const { request, reply, answer } = answered;
  if (caller !== "offered" && ofProxy.has(answer.statusCode)) {
    discard(answer.stream);
    const error = new Error(`a proxy in front of ${owner} answered ${answer.statusCode}`);
    upstreamFailed({ request, reply, owner, error }, deps);
  } else if (checksCredentials === true) void passAnswer(answered, deps);
  else reply.send(answer.stream);
  // By now the wrong password has taken its token, before any other request could.
  deps.guesses.leave(request);
}

/** The caller as the owner learns it. */
function vouchedCaller(request: FastifyRequest, { owner, caller }: OwnedPaths, deps: ForwardDeps): Caller {
  return {
    method: request.callerMethod,
    name: request.callerName ?? undefined,
    scopes: request.callerToken?.scopes ?? [],
    isOpen: request.isOpenCaller && caller === "backchannel" ? true : undefined,
    clientIp: deps.callerAddress(request),
    session: request.id,
    certificate: owner === "idp" ? deps.certificates.read(request) : undefined,
  };
}

function registerOwned(app: FastifyInstance, owned: OwnedPaths, deps: ForwardDeps): void {
  const { owner, caller, checksCredentials } = owned;
  const origin = deps.origins[owner];
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // Without the query, which is passed on unchanged: the library would look for paths in it and reject some.
    const [path = "/"] = (request.raw.url ?? "/").split("?", 1);
    if (dotSegment.test(path)) {
      sendReply(reply, notFoundReply(deps.names, request.id));
      return reply;
    }
    const who = vouchedCaller(request, owned, deps);
    const assertion = await deps.sign(who, owner);
    const traceparent = deps.tracer?.active()?.traceparent;
    if (owned.channel === "console") deps.streams.add(reply);
    const method = methodTowardsOwner(request.raw);
    reply.from(`${origin}${path}`, {
      method,
      rewriteRequestHeaders: (_request, headers) =>
        requestHeaders({ method, host: request.raw.headers.host }, headers, {
          rule: caller,
          caller: who,
          assertion,
          traceparent,
        }),
      rewriteHeaders: responseHeaders,
      // A 503 with Retry-After is the owner's response to the caller; the gateway must not retry it.
      retryDelay: () => null,
      onResponse: (_request: unknown, _reply: unknown, answer: OwnerAnswer) =>
        takeAnswer({ request, reply, callerIp: who.clientIp, answer }, owned, deps),
      onError: (_reply, { error }) => {
        deps.guesses.leave(request);
        upstreamFailed({ request, reply, owner, error }, deps);
      },
    });
    deps.guesses.forwarded(request);
    return reply;
  };
  const offered: OnRequest = async (request, reply) => {
    const [path = ""] = (request.raw.url ?? "").split("?", 1);
    if (request.raw.headers.authorization === undefined || deps.publicPaths().has(path)) return;
    await deps.callerAuth(request, reply);
  };
  const ownersHooks = checksCredentials === true ? [deps.limitAddress, deps.admitByBudget] : [deps.limitAddress];
  const hooksOf = { backchannel: [deps.callerAuth], owner: ownersHooks, offered: [deps.limitAddress, offered] };
  const hooks = { onRequest: hooksOf[caller] };
  for (const url of urlsOf(owned)) app.route({ method: forwardedMethods, url, ...hooks, handler });
}

/** Forwards the paths of the other services (ADR 0010): bodies as streams, with a signed caller assertion. */
export async function registerForwarding(app: FastifyInstance, deps: ForwardDeps): Promise<void> {
  await app.register(async (scope) => {
    for (const method of forwardedMethods) {
      if (!scope.supportedMethods.includes(method)) scope.addHttpMethod(method, { hasBody: false });
    }
    scope.removeAllContentTypeParsers();
    expandBodies(scope, deps);
    const { origins, timeoutMs, logger } = deps;
    const onSilent = (owner: AssertionAudience, requests: number): void =>
      logger.error({ owner, requests }, "service behind a path does not respond: its waiting requests fail");
    const agent = new OwnerAgent({ origins, timeoutMs, onSilent });
    scope.addHook("onClose", async () => agent.unwatch());
    // The owner would reject it and close its connection during the upload, which would look like an outage.
    scope.addHook("onRequest", (request, reply, next) => {
      if (!(Number(request.raw.headers["content-length"]) > deps.maxBodyBytes)) next();
      else refuseLongBody(request, reply, deps.names);
    });
    await scope.register(replyFrom, { undici: agent, destroyAgent: true, disableRequestLogging: true });
    const isServed = ({ isPage, channel }: OwnedPaths): boolean =>
      (isPage !== true || deps.servesPages) && (channel !== "console" || deps.servesConsole);
    for (const owned of ownedPaths.filter(isServed)) registerOwned(scope, owned, deps);
  });
}
