import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { membersOf } from "../../oidc/request-objects/members.ts";
import { textOf } from "../../oidc/storage/json.ts";
import type { Pages } from "../../pages/pages.ts";
import { cookieNames } from "../../sessions/cookies.ts";
import { type AuthorizeDeps, authorize } from "./authorize-request.ts";
import { formOf } from "./form.ts";
import { fitsAddress, sendAgain, sentAgain } from "./send-again.ts";

function hasSession({ cookies }: Pages, { headers }: FastifyRequest): boolean {
  return cookies.read(headers.cookie, cookieNames.session) !== undefined;
}

/** The redirect URI that the form or its request object states; the provider checks it later. */
function targetOf(form: URLSearchParams): string | undefined {
  return textOf(membersOf(form.get("request") ?? "")?.["redirect_uri"] ?? form.get("redirect_uri"));
}

/**
 * `POST /oidc/authorize`: a short form becomes a top-level GET, with which the browser sends its Lax cookies. For a longer one, or
 * one with a token, a page of ours sends it again.
 */
export function postAuthorize(deps: AuthorizeDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const form = formOf(request.body);
    const isAgain = form.has(sentAgain);
    form.delete(sentAgain);
    const action = pathTo("authorize");
    if (fitsAddress(form))
      return reply.header("cache-control", "no-store").redirect(`${action}?${form.toString()}`, 302);
    const { pages } = deps;
    if (pages === undefined || isAgain || hasSession(pages, request)) return authorize(deps, request, reply, form);
    const look = { language: undefined, uiLocales: form.get("ui_locales") ?? undefined, headers: request.headers };
    const sent = sendAgain(pages, reply, { action, form, target: targetOf(form), look });
    return sent ?? authorize(deps, request, reply, form);
  };
}
