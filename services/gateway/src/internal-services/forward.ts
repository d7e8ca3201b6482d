import { METHODS } from "node:http";
import { Readable } from "node:stream";
import replyFrom from "@fastify/reply-from";
import { endsWithin } from "@postern/shared/platform/concurrency";
import { AppError, errorCodes } from "@postern/shared/platform/errors";
import { type AssertionAudience, acceptsHtml, type Caller } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { OnRequest } from "../callers/hooks.ts";
import type { WireNames } from "../http/naming.ts";
import { sendError, sendNotFound, sendReply, sendTooManyRequests, utf8Body } from "../http/reply.ts";
import { unavailablePage } from "../pages/plain-page.ts";
import { answerAway } from "../regions/answer-away.ts";
import type { Forwarded } from "../regions/forward-to-region.ts";
import { expandBodies, uploadError } from "./bodies.ts";
import type { ForwardDeps } from "./context.ts";
import { forwardedMethod, requestHeaders, responseHeaders } from "./headers.ts";
import { dotSegment, type ServicePaths, servicePaths, urlsOf } from "./paths.ts";
import { serveRegions } from "./serve-regions.ts";
import { failureReason, ServiceAgent } from "./service-agent.ts";

/** Read on by the listener for a moment only, because the rest of the body may be endless. */
function refuseLongBody(reply: FastifyReply, names: WireNames): void {
  sendError(reply, names, { status: 413, error: "the body is too large", headers: [["Connection", "close"]] });
}

/** More than may be held for another region. */
const isTooLong = (error: unknown): boolean => error instanceof AppError && error.code === "REQUEST_TOO_LARGE";

interface ServiceFailed {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly service: AssertionAudience;
  readonly error: unknown;
}

/** Answers in the service's place: a page for browsers, JSON otherwise. */
function serviceFailed({ request, reply, service, error: err }: ServiceFailed, deps: ForwardDeps): void {
  const { names, logger, onFailed } = deps;
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
  onFailed(service, reason);
  logger[reason === "oversized" ? "warn" : "error"](
    { session: request.id, owner: service, reason, err },
    "service behind the path is unreachable",
  );
  if (reason === "oversized") {
    sendError(reply, names, { status: 400, error: "the response to this request would be too long" });
    return;
  }
  const { accept, "accept-language": acceptLanguage } = request.raw.headers;
  if (acceptsHtml(accept)) {
    const { headers, html } = unavailablePage({ url: request.raw.url ?? "/", acceptLanguage }, request.id);
    sendReply(reply, { status: 500, headers: [[names.session, request.id], ...headers], body: utf8Body(html) });
  } else {
    sendError(reply, names, { status: 500, error: errorCodes.UPSTREAM_UNAVAILABLE.publicMessage });
  }
}

/** A service that takes longer to start fails like one that is unavailable. */
const startsWithinMs = 10_000;

/** The service decides which of them a path supports. CONNECT has no path. */
const forwardedMethods = METHODS.filter((method) => method !== "CONNECT");

interface ServiceAnswered {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly callerIp: string;
  readonly answer: { readonly statusCode?: number | undefined; readonly stream: Readable };
}

function passLater(reply: FastifyReply, stream: Readable, { rejectionDelay }: ForwardDeps): void {
  reply.raw.once("close", () => stream.destroy());
  rejectionDelay.later(reply.raw, (closing) => {
    if (closing) reply.header("connection", "close");
    reply.send(stream);
  });
}

/** Passes the answer on. A rejection of credentials takes a token and is delayed by 300 ms, like the gateway's own. */
async function passAnswer({ request, reply, callerIp, answer }: ServiceAnswered, deps: ForwardDeps): Promise<void> {
  const { stream, statusCode: status } = answer;
  if (status !== 401 && status !== 403) {
    reply.send(stream);
    return;
  }
  // An answer that is not passed on is destroyed. Its stream reports that as an error, for which there is no other listener yet.
  stream.on("error", () => undefined);
  const waitMs = await deps.onRejected({ callerIp, session: request.id, status, url: request.raw.url });
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
function takeAnswer(
  answered: ServiceAnswered,
  { service, caller, checksCredentials }: ServicePaths,
  deps: ForwardDeps,
): void {
  const { request, reply, answer } = answered;
  if (caller !== "offered" && proxyStatuses.has(answer.statusCode)) {
    answer.stream.on("error", () => undefined).destroy();
    const error = new Error(`a proxy in front of ${service} answered ${answer.statusCode}`);
    serviceFailed({ request, reply, service, error }, deps);
  } else if (checksCredentials === true) void passAnswer(answered, deps);
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
    clientIp: deps.callerAddress(request),
    session: request.id,
    certificate: service === "idp" ? deps.certificates.read(request) : undefined,
  };
}

interface AnsweredElsewhere {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly callerIp: string;
  readonly forwarded: Forwarded;
}

/** Passes on what another region answered, or says that it did not. */
function passElsewhere(answered: AnsweredElsewhere, paths: ServicePaths, deps: ForwardDeps): void {
  const { request, reply, forwarded, callerIp } = answered;
  const { answer, headers } = forwarded;
  if (answer === undefined) {
    deps.guesses.leave(request);
    answerAway(request, reply, deps.names);
    return;
  }
  reply.code(answer.status).headers(headers(answer.headers));
  const stream = Readable.from([Buffer.from(answer.body, "base64")], { objectMode: false });
  takeAnswer({ request, reply, callerIp, answer: { statusCode: answer.status, stream } }, paths, deps);
}

interface Arrived {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly caller: Caller;
}

/** Lets the region answer that a request concerns. Undefined if there is one region only; "sent" if the response has been sent. */
async function toRegion(
  { request, reply, caller }: Arrived,
  paths: ServicePaths,
  deps: ForwardDeps,
): Promise<Forwarded | "sent" | undefined> {
  const { service } = paths;
  if (service !== "idp" || deps.regions === undefined) return undefined;
  try {
    const forwarded = await deps.regions.forward(request, caller);
    if (forwarded === undefined || forwarded.outcome === "here") return forwarded;
    passElsewhere({ request, reply, callerIp: caller.clientIp, forwarded }, paths, deps);
  } catch (error) {
    deps.guesses.leave(request);
    serviceFailed({ request, reply, service, error }, deps);
  }
  return "sent";
}

function registerPaths(app: FastifyInstance, paths: ServicePaths, deps: ForwardDeps): void {
  const { service, caller, checksCredentials } = paths;
  const { origin, started } = deps.places[service];
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // Without the query, which is passed on unchanged: the library would look for paths in it and reject some.
    const [path = "/"] = (request.raw.url ?? "/").split("?", 1);
    if (dotSegment.test(path)) {
      sendNotFound(reply, deps.names);
      return reply;
    }
    if (started !== undefined) await endsWithin(started, startsWithinMs);
    const vouched = vouchedCaller(request, paths, deps);
    const forwarded = await toRegion({ request, reply, caller: vouched }, paths, deps);
    if (forwarded === "sent") return reply;
    const assertion = await deps.sign(vouched, service);
    const traceparent = deps.tracer?.active()?.traceparent;
    if (service === "admin") deps.streams.add(reply);
    const method = forwardedMethod(request.raw);
    reply.from(`${origin}${path}`, {
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
      onResponse: (_request: unknown, _reply: unknown, answer: ServiceAnswered["answer"]) =>
        takeAnswer({ request, reply, callerIp: vouched.clientIp, answer }, paths, deps),
      onError: (_reply, { error }) => {
        deps.guesses.leave(request);
        serviceFailed({ request, reply, service, error }, deps);
      },
    });
    deps.guesses.forwarded(request);
    return reply;
  };
  const { callerAuth, limitAddress, admitByBudget } = deps;
  const offered: OnRequest = async (request, reply) => {
    const [path = ""] = (request.raw.url ?? "").split("?", 1);
    if (request.raw.headers.authorization === undefined || deps.publicPaths().has(path)) return;
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
    const { places, timeoutMs, logger } = deps;
    const agent = new ServiceAgent(places, timeoutMs, (owner, requests) =>
      logger.error({ owner, requests }, "service behind a path does not respond: its waiting requests fail"),
    );
    scope.addHook("onClose", async () => agent.unwatch());
    if (deps.regions !== undefined)
      serveRegions({ calls: deps.regions.calls, agent, place: places.idp, sign: deps.sign });
    // The service would reject it and close its connection during the upload, which would look like an outage.
    scope.addHook("onRequest", (request, reply, next) => {
      if (!(Number(request.raw.headers["content-length"]) > deps.maxBodyBytes)) next();
      else refuseLongBody(reply, deps.names);
    });
    await scope.register(replyFrom, { undici: agent, destroyAgent: true, disableRequestLogging: true });
    const isServed = ({ isPage, channel }: ServicePaths): boolean =>
      (isPage !== true || deps.servesPages) && (channel !== "console" || deps.servesConsole);
    for (const paths of servicePaths.filter(isServed)) registerPaths(scope, paths, deps);
  });
}
