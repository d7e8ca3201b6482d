import { acceptsHtml } from "@postern/shared/platform/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { WireNames } from "../http/naming.ts";
import { jsonReply, type ReplyHeaders, sendReply, utf8Body } from "../http/reply.ts";
import { plainPage, unavailablePage } from "../pages/plain-page.ts";
import awayTexts from "./away-texts.json" with { type: "json" };

const status = 503;
const ofSignIn = /^\/(?:login|oidc\/(?:authorize|consent|device)|saml\/sso)(?:[/?]|$)/;

function pageOf({ raw, id }: FastifyRequest) {
  const { url = "/", headers } = raw;
  const page = { url, acceptLanguage: headers["accept-language"] };
  // A sign-in that cannot be continued can be begun again; nothing else would help with the rest.
  return ofSignIn.test(url)
    ? plainPage(page, { texts: awayTexts, href: "", reference: id })
    : unavailablePage(page, id);
}

/**
 * The region that a request concerns does not answer, so nothing can be known: 503 (RFC 7009 §2.2.1, RFC 6749 §4.1.2.1), for a browser a page
 * that says that a new sign-in helps.
 */
export function answerAway(request: FastifyRequest, reply: FastifyReply, names: WireNames): void {
  const { accept, origin } = request.raw.headers;
  const always: ReplyHeaders = [
    [names.session, request.id],
    ["Retry-After", "5"],
  ];
  if (acceptsHtml(accept)) {
    const { headers, html } = pageOf(request);
    sendReply(reply, { status, headers: [...always, ...headers], body: utf8Body(html) });
    return;
  }
  const headers: ReplyHeaders = [
    ...always,
    ["Cache-Control", "no-store"],
    // The page that sent the request learns that it may repeat it.
    ...(origin === undefined
      ? []
      : ([
          ["Access-Control-Allow-Origin", origin],
          ["Vary", "Origin"],
        ] as const)),
  ];
  const body = { error: "temporarily_unavailable", error_description: "try again in a moment" };
  sendReply(reply, jsonReply(status, headers, body));
}
