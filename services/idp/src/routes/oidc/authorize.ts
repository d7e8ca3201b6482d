import type { Logger } from "@postern/shared/logging";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Bridge } from "../../oidc/bridge.ts";
import type { Pages } from "../../pages/pages.ts";
import { formOf, queryOf } from "./form.ts";
import { refuseAuthorization } from "./render-error.ts";

/** Longer forms would not fit the address of a redirect. */
const redirectLimit = 4096;
/** It is kept for ten minutes for whoever asks; no honest client's is longer. */
const longestState = 2048;
const interactionId = /^[A-Za-z0-9_-]{43}$/;
const languageTag = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,2}$/;

interface SegmentParams {
  readonly Params: { readonly segment: string };
}

/** Why a request gets a page and never a redirect, beyond what the provider refuses so by itself. */
function refusal(query: URLSearchParams): string | undefined {
  const names = [...query.keys()].filter((name) => name !== "resource");
  if (new Set(names).size < names.length) return "a parameter came twice";
  if ((query.get("state")?.length ?? 0) > longestState) return "state is too long";
  if (query.has("request_uri")) return undefined;
  const type = query.get("response_type");
  if (type === null) return "response_type is missing";
  return type === "code" ? undefined : "response_type must be code";
}

export interface AuthorizeDeps {
  readonly bridge: Bridge;
  /** Absent where only programs are served. */
  readonly pages: Pages | undefined;
  readonly logger: Logger;
}

function authorize(
  { bridge, pages, logger }: AuthorizeDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  query: URLSearchParams,
): FastifyReply {
  const why = refusal(query);
  if (why !== undefined) {
    logger.info({ session: request.caller?.session, why }, "authorization refused");
    return refuseAuthorization(pages, request, reply, query);
  }
  return bridge.passAs(request, reply, { method: "GET", url: `/oidc/authorize?${query.toString()}` });
}

export function getAuthorize(deps: AuthorizeDeps) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    authorize(deps, request, reply, new URLSearchParams(queryOf(request.raw.url)));
}

/** `GET /oidc/authorize/:segment`: a language (contract), or the way back into an authorization under way. */
export function getAuthorizeSegment(deps: AuthorizeDeps) {
  return (request: FastifyRequest<SegmentParams>, reply: FastifyReply): FastifyReply => {
    const { segment } = request.params;
    if (interactionId.test(segment)) {
      // Without a query: the provider takes parameters of a stale one for its own.
      return deps.bridge.passAs(request, reply, { method: "GET", url: `/oidc/authorize/${segment}` });
    }
    if (!languageTag.test(segment)) return reply.code(404).send({ error: "not found" });
    const query = new URLSearchParams(queryOf(request.raw.url));
    if (!query.has("ui_locales")) query.set("ui_locales", segment);
    return authorize(deps, request, reply, query);
  };
}

/** `POST /oidc/authorize`: as a GET at the top of the page the browser sends its Lax cookies. */
export function postAuthorize(deps: AuthorizeDeps) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const query = formOf(request.body);
    const text = query.toString();
    if (text.length > redirectLimit) return authorize(deps, request, reply, query);
    return reply.header("cache-control", "no-store").redirect(`/oidc/authorize?${text}`, 302);
  };
}
