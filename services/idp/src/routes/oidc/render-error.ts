import type { FastifyReply } from "fastify";
import type { Configuration, KoaContextWithOIDC } from "oidc-provider";

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function errorPage(error: string, description: string | undefined): string {
  const title = "Sign-in not possible";
  const reason = `<p>${escaped(description ?? error)}</p><p><code>${escaped(error)}</code></p>`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${reason}</html>`;
}

const html = "text/html; charset=utf-8";

/** An authorization request that no client may hear of (contract: 400 invalid or missing parameters). */
export function refuseAuthorization(reply: FastifyReply, description: string): FastifyReply {
  return reply
    .code(400)
    .header("cache-control", "no-store")
    .header("content-security-policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'")
    .type(html)
    .send(errorPage("invalid_request", description));
}

/** What a browser is shown of an error that must not go to the client (RFC 6749 §4.1.2.1), and what programs get. */
export const renderError: NonNullable<Configuration["renderError"]> = (
  ctx: KoaContextWithOIDC,
  { error, error_description: description },
) => {
  ctx.set("cache-control", "no-store");
  if (ctx.accepts("html") === false) {
    ctx.type = "application/json";
    ctx.body = { error, ...(description !== undefined && { error_description: description }) };
    return;
  }
  ctx.type = html;
  ctx.body = errorPage(error, description);
};
