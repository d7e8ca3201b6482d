import { operation } from "@postern/shared/contracts";
import { isBelow } from "@postern/shared/platform/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Configuration, KoaContextWithOIDC } from "oidc-provider";
import type { DomainLimit } from "../../domains/account-domains.ts";
import type { DomainBrand } from "../../pages/domain-brands.ts";
import { accountPath, type Pages, type Shown } from "../../pages/pages.ts";
import { errorPage, type Problem } from "../../pages/templates/messages.ts";
import { referenceOf } from "../../visit/visit.ts";
import { oauthError } from "../http/replies.ts";
import { fitsAddress } from "../http/send-again.ts";
import { isFault } from "./authorize-failure.ts";
import { referenceHeader } from "./interaction-url.ts";

const shownReference = (session: string): string | undefined => (session === "" ? undefined : referenceOf(session));

interface Failed {
  readonly error: string;
  readonly status: number;
  readonly reference: string | undefined;
  readonly again?: string | undefined;
  readonly uiLocales: string | undefined;
  readonly headers: { readonly cookie?: string | undefined; readonly "accept-language"?: string | undefined };
}

function problemOf({ error, status }: Failed): Problem {
  if (status >= 500) return error === "temporarily_unavailable" ? "unavailable" : "failed";
  // The provider's error for a return to an authorization that has ended.
  return error === "session_not_found" ? "expired" : "request";
}

/** The log has the reason under this reference; the page shows it with the standard's error code. */
function pageOf(pages: Pages, failed: Failed, brand?: DomainBrand): Shown {
  const { error, status, reference, uiLocales, headers } = failed;
  const look = pages.lookOf({ path: "", query: "", language: undefined, uiLocales, headers, brand });
  const problem = problemOf(failed);
  const href = problem === "expired" ? accountPath : failed.again;
  const displayReference = reference === undefined ? error : `${reference} (${error})`;
  return pages.show(
    errorPage,
    { problem, reference: displayReference, href: problem === "request" ? undefined : href },
    look,
    {
      status,
    },
  );
}

/** Refuses an authorization request without notifying a client: 400, invalid or missing parameters. */
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
    reference: referenceOf(request.caller?.session ?? request.id),
    uiLocales: query.get("ui_locales") ?? undefined,
    headers: request.headers,
  });
  return reply
    .code(status)
    .headers({ ...headers })
    .send(body);
}

const ofObject: ReadonlySet<string> = new Set(["invalid_request_object", "invalid_redirect_uri"]);

/**
 * A pushed request was valid when it was stored. If it is refused later, the reference is the client's fault: it was issued to another
 * client (RFC 9126 §2.2), whose redirect URI the provider compares with those of this one.
 */
function errorCode(ctx: KoaContextWithOIDC, error: string): string {
  const isPushed = ctx.oidc?.entities.PushedAuthorizationRequest !== undefined;
  return isPushed && ofObject.has(error) ? "invalid_request_uri" : error;
}

/** Whether the page may link to the request: not to one that a form has sent and that does not belong into an address. */
function canRepeat(ctx: KoaContextWithOIDC): boolean {
  const isAuthorization = ctx.method === "GET" && isBelow(operation("authorize").family.prefix, ctx.path);
  return isAuthorization && fitsAddress(new URLSearchParams(ctx.querystring));
}

/** The response to an error that must not go to the client (RFC 6749 §4.1.2.1): a page for browsers, JSON for programs. */
export function createRenderError(
  pages: () => Pages | undefined,
  limitOf: (clientId: string) => DomainLimit | undefined,
): NonNullable<Configuration["renderError"]> {
  /** The brand of the application's only domain. */
  const brandFor = async ({ brands }: Pages, ctx: KoaContextWithOIDC): Promise<DomainBrand | undefined> => {
    const clientId = ctx.oidc?.client?.clientId;
    const [own, ...others] = clientId === undefined ? [] : (limitOf(clientId) ?? []);
    return own === undefined || others.length > 0 ? undefined : brands?.ofName(`@${own}`);
  };
  return async (ctx: KoaContextWithOIDC, { error: named, error_description: description }, cause) => {
    const error = errorCode(ctx, named);
    ctx.set("cache-control", "no-store");
    if (isFault(cause)) ctx.status = 500;
    const shown = pages();
    if (shown === undefined || ctx.accepts("html") === false) {
      ctx.type = "application/json";
      ctx.body = { error, ...(description !== undefined && { error_description: description }) };
      return;
    }
    const { ui_locales: uiLocales } = ctx.query;
    const failed = {
      error,
      status: ctx.status,
      again: canRepeat(ctx) ? ctx.url : undefined,
      reference: shownReference(ctx.get(referenceHeader)),
      uiLocales: typeof uiLocales === "string" ? uiLocales : undefined,
      headers: ctx.headers,
    };
    const { headers, body } = pageOf(shown, failed, await brandFor(shown, ctx));
    ctx.set({ ...headers });
    ctx.body = body;
  };
}
