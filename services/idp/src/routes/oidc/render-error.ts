import type { FastifyReply, FastifyRequest } from "fastify";
import type { Configuration, KoaContextWithOIDC } from "oidc-provider";
import { isFault } from "../../oidc/authorize-failure.ts";
import { referenceHeader } from "../../oidc/request-reference.ts";
import type { Pages, Shown } from "../../pages/pages.ts";
import { errorPage, type Problem } from "../../pages/templates/notices.ts";

import { oauthError } from "./json-reply.ts";

/** What of a request makes its error page. */
interface Failed {
  readonly error: string;
  readonly status: number;
  readonly reference: string | undefined;
  readonly uiLocales: string | undefined;
  readonly headers: { readonly cookie?: string | undefined; readonly "accept-language"?: string | undefined };
}

function problemOf({ error, status }: Failed): Problem {
  if (status >= 500) return error === "temporarily_unavailable" ? "unavailable" : "failed";
  // What the provider says of a way back into an authorization that is over.
  return error === "session_not_found" ? "expired" : "request";
}

/** The reason is in our log under the reference; the page names the error of the standard beside it. */
function pageOf(pages: Pages, failed: Failed): Shown {
  const { error, status, reference, uiLocales, headers } = failed;
  const look = pages.lookOf({ path: "", query: "", language: undefined, uiLocales, headers });
  const told = reference === undefined ? error : `${reference} (${error})`;
  return pages.show(errorPage, { problem: problemOf(failed), reference: told, href: undefined }, look, { status });
}

/** An authorization request that no client may hear of (contract: 400 invalid or missing parameters). */
export function refuseAuthorization(
  pages: Pages | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  query: URLSearchParams,
): FastifyReply {
  if (pages === undefined) return oauthError(reply, 400, "invalid_request");
  const { status, headers, body } = pageOf(pages, {
    error: "invalid_request",
    status: 400,
    reference: request.caller?.session ?? request.id,
    uiLocales: query.get("ui_locales") ?? undefined,
    headers: request.headers,
  });
  return reply
    .code(status)
    .headers({ ...headers })
    .send(body);
}

/** What a browser is shown of an error that must not go to the client (RFC 6749 §4.1.2.1), and what programs get. */
export function createRenderError(pages: () => Pages | undefined): NonNullable<Configuration["renderError"]> {
  return (ctx: KoaContextWithOIDC, { error, error_description: description }, cause) => {
    ctx.set("cache-control", "no-store");
    if (isFault(cause)) ctx.status = 500;
    const shown = pages();
    if (shown === undefined || ctx.accepts("html") === false) {
      ctx.type = "application/json";
      ctx.body = { error, ...(description !== undefined && { error_description: description }) };
      return;
    }
    const { ui_locales: uiLocales } = ctx.query;
    const { headers, body } = pageOf(shown, {
      error,
      status: ctx.status,
      reference: ctx.get(referenceHeader) || undefined,
      uiLocales: typeof uiLocales === "string" ? uiLocales : undefined,
      headers: ctx.headers,
    });
    ctx.set({ ...headers });
    ctx.body = body;
  };
}
