import { acceptsHtml } from "@postern/shared/platform/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { WireNames } from "../http/naming.ts";
import { jsonReply, type ReplyHeaders, sendReply } from "../http/reply.ts";
import { sendPlainPage } from "../pages/plain-page.ts";
import unavailableTexts from "../pages/unavailable-texts.json" with { type: "json" };
import awayTexts from "./away-texts.json" with { type: "json" };

const status = 503;
const ofSignIn = /^\/(?:login|oidc\/(?:authorize|consent|device)|saml\/sso)(?:[/?]|$)/;

/**
 * The region that a request concerns does not answer, so nothing can be known: 503 (RFC 7009 §2.2.1, RFC 6749 §4.1.2.1), for a browser a page
 * that says that a new sign-in helps.
 */
export function answerAway(request: FastifyRequest, reply: FastifyReply, names: WireNames): void {
  const { accept, origin } = request.raw.headers;
  const later: ReplyHeaders = [["Retry-After", "5"]];
  if (acceptsHtml(accept)) {
    // A sign-in that cannot be continued can be begun again; nothing else would help with the rest.
    const texts = ofSignIn.test(request.raw.url ?? "/") ? awayTexts : unavailableTexts;
    sendPlainPage(reply, names, { status, texts, reference: request.id, headers: later });
    return;
  }
  const headers: ReplyHeaders = [
    [names.session, request.id],
    ...later,
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
