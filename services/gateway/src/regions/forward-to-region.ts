import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import { type ForwardedAnswer, type ForwardedRequest, forwardRequest } from "@postern/shared/contracts";
import type { RegionCalls } from "@postern/shared/domain/region-calls";
import { AppError } from "@postern/shared/platform/errors";
import { type Caller, readUtf8Form } from "@postern/shared/platform/http";
import type { Logger } from "@postern/shared/platform/logging";
import { steadyClock } from "@postern/shared/platform/time";
import type { FastifyRequest } from "fastify";
import { bytesOf } from "../http/body.ts";
import { splitTarget } from "../http/request-path.ts";
import { beginsSignIn, deviceRegion, taggedRegion, tieOf } from "./owner-of.ts";
import type { Change, RegionCookie } from "./region-cookie.ts";

/** A form of a browser may be a sign-in, which takes its time, with its delays. */
const formWaitMs = 20_000;
const waitMs = 5000;

export interface Forwarded {
  /** `here`: this region answers. `away`: the region that could answer does not. */
  readonly outcome: "answered" | "here" | "away";
  readonly answer?: ForwardedAnswer;
  /** The headers of the answer for the browser, with the cookie that names its region. */
  readonly headers: (headers: IncomingHttpHeaders) => IncomingHttpHeaders;
}

interface Place {
  /** Undefined: this one. */
  readonly region: string | undefined;
  readonly isBrowser: boolean;
  readonly change: Change;
}

function urlOf({ raw }: FastifyRequest) {
  const { path, query } = splitTarget(raw.url);
  return { path, query: new URLSearchParams(query) };
}

/** The longest form, and some reserve: bodies of unauthenticated clients are held in memory. */
const maxBodyBytes = 262_144;

/** Reads the whole body and leaves a copy in its place. */
async function bodyOf(request: FastifyRequest): Promise<Buffer> {
  if (!(request.body instanceof Readable)) return Buffer.alloc(0);
  const body = await bytesOf(request.body, maxBodyBytes, () => new AppError("REQUEST_TOO_LARGE"));
  request.body = Readable.from([body], { objectMode: false });
  return body;
}

function formOf(text: string): URLSearchParams {
  try {
    return readUtf8Form(text);
  } catch {
    // The service refuses it.
    return new URLSearchParams();
  }
}

async function placeOfValue(request: FastifyRequest, calls: RegionCalls): Promise<Place> {
  const { path, query } = urlOf(request);
  const body = await bodyOf(request);
  const form = body.length === 0 ? query : formOf(body.toString("utf8"));
  const { authorization } = request.raw.headers;
  const region = calls.elsewhere(taggedRegion({ path, authorization, form }));
  return { region, isBrowser: false, change: "kept" };
}

/** A browser belongs to one region, with all its flows and its session. */
function placeOfBrowser(request: FastifyRequest, calls: RegionCalls, cookie: RegionCookie): Place {
  const { path, query } = urlOf(request);
  const named = cookie.read(request.raw.headers.cookie);
  const ofDevice = deviceRegion(path, query);
  const wanted = ofDevice ?? named;
  const region = calls.elsewhere(wanted);
  // A browser without a region, or with one that no longer exists.
  const isKnown = named === calls.name || calls.elsewhere(named) !== undefined;
  const isSame = (region ?? calls.name) === named;
  if (isSame) return { region, isBrowser: true, change: "kept" };
  // Only a form of ours moves a browser that has a region, not a mere link.
  const change = !isKnown ? "first" : request.method === "POST" ? "moved" : "kept";
  return { region, isBrowser: true, change };
}

function messageOf(request: FastifyRequest, body: Buffer, caller: Caller): ForwardedRequest {
  const { raw } = request;
  const headers = Object.entries(raw.headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const { host } = raw.headers;
  return {
    method: raw.method ?? "GET",
    url: raw.url ?? "/",
    headers: Object.fromEntries(headers),
    body: body.toString("base64"),
    ...(host !== undefined && { host }),
    client: {
      ip: caller.clientIp,
      session: caller.session,
      ...(caller.certificate !== undefined && { certificate: caller.certificate }),
    },
  };
}

/** Sends requests that concern another region to it. The region that receives one answers it itself: nothing is forwarded twice. */
export function createForwardToRegion(
  calls: RegionCalls,
  cookie: RegionCookie,
  counted: (outcome: "answered" | "away") => void,
  logger: Logger,
) {
  const headersOf =
    ({ isBrowser }: Place, region: string, change: Change): Forwarded["headers"] =>
    (headers) =>
      isBrowser ? cookie.added(headers, region, change) : headers;
  const ask = async (region: string, request: FastifyRequest, caller: Caller): Promise<ForwardedAnswer | undefined> => {
    try {
      const message = messageOf(request, await bodyOf(request), caller);
      const isForm = request.method === "POST" && tieOf(urlOf(request).path) === "browser";
      const deadline = steadyClock.now() + (isForm ? formWaitMs : waitMs);
      return await calls.ask(region, forwardRequest, message, { deadline });
    } catch (err) {
      logger.warn({ session: request.id, region, err }, "another region did not answer a request that concerns it");
      return undefined;
    }
  };
  return async (request: FastifyRequest, caller: Caller): Promise<Forwarded | undefined> => {
    const { path, query } = urlOf(request);
    const tie = tieOf(path);
    if (tie === undefined) return undefined;
    const place = tie === "value" ? await placeOfValue(request, calls) : placeOfBrowser(request, calls, cookie);
    const { region } = place;
    if (region === undefined) return { outcome: "here", headers: headersOf(place, calls.name, place.change) };
    const answer = await ask(region, request, caller);
    if (answer !== undefined) {
      counted("answered");
      return { outcome: "answered", answer, headers: headersOf(place, region, place.change) };
    }
    counted("away");
    const isNew = place.isBrowser && beginsSignIn(request.method, path, query);
    return { outcome: isNew ? "here" : "away", headers: headersOf(place, calls.name, "taken") };
  };
}
