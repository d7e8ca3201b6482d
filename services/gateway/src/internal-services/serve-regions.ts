import { type ForwardedAnswer, type ForwardedRequest, forwardRequest } from "@postern/shared/contracts";
import type { RegionCalls } from "@postern/shared/domain/region-calls";
import { AppError } from "@postern/shared/platform/errors";
import type { Caller } from "@postern/shared/platform/http";
import { bytesOf } from "../http/body.ts";
import { splitTarget } from "../http/request-path.ts";
import { tieOf } from "../regions/owner-of.ts";
import type { ForwardDeps } from "./context.ts";
import { passesBody, requestHeaders, responseHeaders } from "./headers.ts";
import { dotSegment } from "./paths.ts";
import { type ServiceAgent, untilStarted } from "./service-agent.ts";

const maxAnswerBytes = 2 * 1024 * 1024;

/** Nothing but the address of the client, its certificate and the identifier of the request is believed of another region's gateway. */
function callerOf({ client }: ForwardedRequest): Caller {
  const { ip: clientIp, session, certificate } = client;
  return { method: "none", scopes: [], clientIp, session, certificate };
}

const tooLong = () => new AppError("UPSTREAM_UNAVAILABLE", { detail: "the answer is too long" });

async function answerHere(
  message: ForwardedRequest,
  signal: AbortSignal,
  agent: ServiceAgent,
  { places, sign }: ForwardDeps,
): Promise<ForwardedAnswer> {
  const { method, url, host } = message;
  const { path } = splitTarget(url);
  if (tieOf(path) === undefined || dotSegment.test(path)) throw new AppError("REQUEST_MALFORMED");
  await untilStarted(places.idp);
  const caller = callerOf(message);
  const assertion = await sign(caller, "idp");
  const body = Buffer.from(message.body, "base64");
  const vouched = { rule: "service", caller, assertion, traceparent: undefined } as const;
  const headers = requestHeaders({ method, host }, message.headers, vouched);
  const hasBody = passesBody(method) && body.length > 0;
  const { statusCode, ...answer } = await agent.request({
    origin: places.idp.origin,
    path: url,
    method,
    headers: { ...headers, ...(passesBody(method) && { "content-length": String(body.length) }) },
    ...(hasBody && { body }),
    signal,
  });
  const passed = Object.entries(responseHeaders(answer.headers)).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const bytes = await bytesOf(answer.body, maxAnswerBytes, tooLong);
  return { status: statusCode, headers: Object.fromEntries(passed), body: bytes.toString("base64") };
}

/** Passes requests that other regions forward to the identity provider of this one, and never on to another region. */
export function serveRegions(calls: RegionCalls, agent: ServiceAgent, deps: ForwardDeps): void {
  calls.serve(forwardRequest, async (message, { signal }) => {
    try {
      return await answerHere(message, signal, agent, deps);
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "the identity provider did not answer", cause });
    }
  });
}
