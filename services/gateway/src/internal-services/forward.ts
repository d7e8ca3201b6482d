import { METHODS } from "node:http";
import { Readable } from "node:stream";
import replyFrom from "@fastify/reply-from";
import { AppError, errorCodes } from "@postern/shared/platform/errors";
import { acceptsHtml, type Caller } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { OnRequest } from "../callers/hooks.ts";
import type { WireNames } from "../http/naming.ts";
import { sendError, sendNotFound, sendTooManyRequests } from "../http/reply.ts";
import { splitTarget } from "../http/request-path.ts";
import { sendPlainPage } from "../pages/plain-page.ts";
import unavailableTexts from "../pages/unavailable-texts.json" with { type: "json" };
import { answerAway } from "../regions/answer-away.ts";
import type { Forwarded } from "../regions/forward-to-region.ts";
import { expandBodies, uploadError } from "./bodies.ts";
import type { ForwardDeps } from "./context.ts";
import { forwardedMethod, requestHeaders, responseHeaders } from "./headers.ts";
import { dotSegment, type ServicePaths, servicePaths, urlsOf } from "./paths.ts";
import { serveRegions } from "./serve-regions.ts";
import { failureReason, ServiceAgent, untilStarted } from "./service-agent.ts";

/** Read on by the listener for a moment only, because the rest of the body may be endless. */
function refuseLongBody(reply: FastifyReply, names: WireNames): void {
  sendError(reply, names, { status: 413, error: "the body is too large", headers: [["Connection", "close"]] });
}

/** More than may be held for another region. */
const isTooLong = (error: unknown): boolean => error instanceof AppError && error.code === "REQUEST_TOO_LARGE";

/** A request for the service behind its path. */
interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly paths: ServicePaths;
  /** As the service learns it. */
  readonly caller: Caller;
}

/** Answers in the service's place: a page for browsers, JSON otherwise. */
function serviceFailed({ request, reply, paths: { service } }: Exchange, err: unknown, deps: ForwardDeps): void {
  const { names, logger, counts } = deps;
  const upload = uploadError(err);
  if (upload?.reason === "too-large" || isTooLong(err)) {
    refuseLongBody(reply, names);
    return;
  }
  if (upload !== undefined) {
    reply.raw.destroy();
    return;
  }
  const reason = failureReason(err);
  counts.serviceFailed(service, reason);
  logger[reason === "oversized" ? "warn" : "error"](
    { session: request.id, owner: service, reason, err },
    "service behind the path is unreachable",
  );
  if (reason === "oversized") {
    sendError(reply, names, { status: 400, error: "the response to this request would be too long" });
    return;
  }
  if (acceptsHtml(request.raw.headers.accept))
    sendPlainPage(reply, names, { status: 500, texts: unavailableTexts, reference: request.id });
  else sendError(reply, names, { status: 500, error: errorCodes.UPSTREAM_UNAVAILABLE.publicMessage });
}

/** The service decides which of them a path supports. CONNECT has no path. */
const forwardedMethods = METHODS.filter((method) => method !== "CONNECT");

type Answer = { readonly statusCode?: number | undefined; readonly stream: Readable };

function passLater(reply: FastifyReply, stream: Readable, { rejectionDelay }: ForwardDeps): void {
  reply.raw.once("close", () => stream.destroy());
  rejectionDelay.later(reply.raw, (closing) => {
    if (closing) reply.header("connection", "close");
    reply.send(stream);
  });
}

/** Passes the answer on. A rejection of credentials takes a token and is delayed by 300 ms, like the gateway's own. */
async function passAnswer(
  { request, reply, caller }: Exchange,
  { stream, statusCode: status }: Answer,
  deps: ForwardDeps,
): Promise<void> {
  if (status !== 401 && status !== 403) {
    reply.send(stream);
    return;
  }
  // An answer that is not passed on is destroyed. Its stream reports that as an error, for which there is no other listener yet.
  stream.on("error", () => undefined);
  const waitMs = await deps.onRejected(caller, status, request.raw.url);
  if (waitMs > 0) {
    stream.destroy();
    sendTooManyRequests(reply, deps.names, waitMs);
  } else if (status === 403) {
    reply.send(stream);
  } else {
    passLater(reply, stream, deps);
  }
}

/** What a proxy in front of the services answers if the one that it chose has failed. No service does, except in the name of a hook. */
const proxyStatuses: ReadonlySet<number | undefined> = new Set([502, 504]);

/** Passes the service's answer on, or answers in its place. */
function takeAnswer(exchange: Exchange, answer: Answer, deps: ForwardDeps): void {
  const { request, reply, paths } = exchange;
  const { service, caller, checksCredentials } = paths;
  if (caller !== "offered" && proxyStatuses.has(answer.statusCode)) {
    answer.stream.on("error", () => undefined).destroy();
    serviceFailed(exchange, new Error(`a proxy in front of ${service} answered ${answer.statusCode}`), deps);
  } else if (checksCredentials === true) void passAnswer(exchange, answer, deps);
  else reply.send(answer.stream);
  // The wrong password has already taken its token, before any other request could.
  deps.guesses.leave(request);
}

/** The caller as the service learns it. */
function vouchedCaller(request: FastifyRequest, { service, caller }: ServicePaths, deps: ForwardDeps): Caller {
  return {
    method: request.callerMethod,
    name: request.callerName ?? undefined,
    scopes: request.callerToken?.scopes ?? [],
    ...request.callerDomains,
    isOpen: request.isOpenCaller && caller === "backchannel" ? true : undefined,
    clientIp: deps.addresses.callerAddress(request),
    session: request.id,
    certificate: service === "idp" ? deps.certificates.read(request) : undefined,
  };
}

/** Passes on what another region answered, or says that it did not. */
function passElsewhere(exchange: Exchange, { answer, headers }: Forwarded, deps: ForwardDeps): void {
  const { request, reply } = exchange;
  if (answer === undefined) {
    deps.guesses.leave(request);
    answerAway(request, reply, deps.names);
    return;
  }
  reply.code(answer.status).headers(headers(answer.headers));
  const stream = Readable.from([Buffer.from(answer.body, "base64")], { objectMode: false });
  takeAnswer(exchange, { statusCode: answer.status, stream }, deps);
}

/** Lets the region answer that a request concerns. Undefined if there is one region only; "sent" if the response has been sent. */
async function toRegion(exchange: Exchange, deps: ForwardDeps): Promise<Forwarded | "sent" | undefined> {
  const { request, paths, caller } = exchange;
  if (paths.service !== "idp" || deps.regions === undefined) return undefined;
  try {
    const forwarded = await deps.regions.forward(request, caller);
    if (forwarded === undefined || forwarded.outcome === "here") return forwarded;
    passElsewhere(exchange, forwarded, deps);
  } catch (error) {
    deps.guesses.leave(request);
    serviceFailed(exchange, error, deps);
  }
  return "sent";
}

function registerPaths(app: FastifyInstance, paths: ServicePaths, deps: ForwardDeps): void {
  const { service, caller, checksCredentials } = paths;
  const place = deps.places[service];
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // Without the query, which is passed on unchanged: the library would look for paths in it and reject some.
    const { path } = splitTarget(request.raw.url);
    if (dotSegment.test(path)) {
      sendNotFound(reply, deps.names);
      return reply;
    }
    await untilStarted(place);
    const vouched = vouchedCaller(request, paths, deps);
    const exchange: Exchange = { request, reply, paths, caller: vouched };
    const forwarded = await toRegion(exchange, deps);
    if (forwarded === "sent") return reply;
    const assertion = await deps.sign(vouched, service);
    const traceparent = deps.tracer?.active()?.traceparent;
    if (service === "admin") deps.streams.add(reply);
    const method = forwardedMethod(request.raw);
    reply.from(`${place.origin}${path}`, {
      method,
      rewriteRequestHeaders: (_request, headers) =>
        requestHeaders({ method, host: request.raw.headers.host }, headers, {
          rule: caller,
          caller: vouched,
          assertion,
          traceparent,
        }),
      rewriteHeaders: (headers) => forwarded?.headers(responseHeaders(headers)) ?? responseHeaders(headers),
      // A 503 with Retry-After is the service's response to the caller; the gateway must not retry it.
      retryDelay: () => null,
      onResponse: (_request: unknown, _reply: unknown, answer: Answer) => takeAnswer(exchange, answer, deps),
      onError: (_reply, { error }) => {
        deps.guesses.leave(request);
        serviceFailed(exchange, error, deps);
      },
    });
    deps.guesses.forwarded(request);
    return reply;
  };
  const { callerAuth, limitAddress, admitByBudget } = deps;
  const offered: OnRequest = async (request, reply) => {
    const { path } = splitTarget(request.raw.url);
    // Public hooks need no credentials.
    if (request.raw.headers.authorization === undefined || deps.live.current.publicHookPaths.has(path)) return;
    await callerAuth(request, reply);
  };
  const hooksOf = {
    backchannel: [callerAuth],
    service: checksCredentials === true ? [limitAddress, admitByBudget] : [limitAddress],
    offered: [limitAddress, offered],
  };
  for (const url of urlsOf(paths)) app.route({ method: forwardedMethods, url, onRequest: hooksOf[caller], handler });
}

/** Forwards the paths of the other services (ADR 0010): bodies as streams, with a signed caller assertion. */
export async function registerForwarding(app: FastifyInstance, deps: ForwardDeps): Promise<void> {
  await app.register(async (scope) => {
    for (const method of forwardedMethods) {
      if (!scope.supportedMethods.includes(method)) scope.addHttpMethod(method, { hasBody: false });
    }
    scope.removeAllContentTypeParsers();
    expandBodies(scope, deps);
    const { places, settings, logger } = deps;
    const agent = new ServiceAgent(places, settings.forwardTimeoutMs, (owner, requests) =>
      logger.error({ owner, requests }, "service behind a path does not respond: its waiting requests fail"),
    );
    scope.addHook("onClose", async () => agent.unwatch());
    if (deps.regions !== undefined) serveRegions(deps.regions.calls, agent, deps);
    // The service would reject it and close its connection during the upload, which would look like an outage.
    scope.addHook("onRequest", (request, reply, next) => {
      if (!(Number(request.raw.headers["content-length"]) > settings.maxBodyBytes)) next();
      else refuseLongBody(reply, deps.names);
    });
    await scope.register(replyFrom, { undici: agent, destroyAgent: true, disableRequestLogging: true });
    const isServed = ({ isPage, channel }: ServicePaths): boolean =>
      (isPage !== true || settings.servesPages) && (channel !== "console" || settings.consoleAddresses.length > 0);
    for (const paths of servicePaths.filter(isServed)) registerPaths(scope, paths, deps);
  });
}
