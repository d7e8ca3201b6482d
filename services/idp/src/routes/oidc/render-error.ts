import type { Configuration, KoaContextWithOIDC } from "oidc-provider";

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** What a browser is shown of an error that must not go to the client (RFC 6749 §4.1.2.1), and what programs get. */
export const renderError: NonNullable<Configuration["renderError"]> = (ctx: KoaContextWithOIDC, { error, error_description: description }) => {
  ctx.set("cache-control", "no-store");
  if (!ctx.accepts("html")) {
    ctx.type = "application/json";
    ctx.body = { error, ...(description !== undefined && { error_description: description }) };
    return;
  }
  ctx.type = "text/html; charset=utf-8";
  const reason = escaped(description ?? error);
  ctx.body = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign-in not possible</title><h1>Sign-in not possible</h1><p>${reason}</p><p><code>${escaped(error)}</code></p></html>`;
};
