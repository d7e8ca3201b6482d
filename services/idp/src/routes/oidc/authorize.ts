import type { FastifyReply, FastifyRequest } from "fastify";
import type { Bridge } from "../../oidc/bridge.ts";
import { formOf, queryOf } from "./form.ts";

/** Longer forms would not fit the address of a redirect. */
const redirectLimit = 4096;
const interactionId = /^[A-Za-z0-9_-]{43}$/;
const languageTag = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,2}$/;

interface SegmentParams {
  readonly Params: { readonly segment: string };
}

export function getAuthorize(bridge: Bridge) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => bridge.pass(request, reply);
}

/** `GET /oidc/authorize/:segment`: a language (contract), or the way back into an authorization under way. */
export function getAuthorizeSegment(bridge: Bridge) {
  return (request: FastifyRequest<SegmentParams>, reply: FastifyReply): FastifyReply => {
    const { segment } = request.params;
    // Without a query: the provider takes parameters of a stale one for its own.
    if (interactionId.test(segment)) return bridge.passAs(request, reply, { method: "GET", url: `/oidc/authorize/${segment}` });
    if (!languageTag.test(segment)) return reply.code(404).send({ error: "not found" });
    const query = new URLSearchParams(queryOf(request.raw.url));
    if (!query.has("ui_locales")) query.set("ui_locales", segment);
    return bridge.passAs(request, reply, { method: "GET", url: `/oidc/authorize?${query.toString()}` });
  };
}

/** `POST /oidc/authorize`: as a GET at the top of the page the browser sends its Lax cookies. */
export function postAuthorize(bridge: Bridge) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const query = formOf(request.body).toString();
    const url = `/oidc/authorize?${query}`;
    if (query.length > redirectLimit) return bridge.passAs(request, reply, { method: "GET", url });
    return reply.header("cache-control", "no-store").redirect(url, 302);
  };
}
