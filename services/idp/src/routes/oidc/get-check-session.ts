import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { checkSessionScript } from "../../pages/check-session-script.ts";
import type { Pages } from "../../pages/pages.ts";
import { cookieNames } from "../../sessions/cookies.ts";

/** A new version of the page reaches browsers within this time. */
const cacheSeconds = 300;

/**
 * `GET /oidc/check_session`: any site may frame the page. It tells a client only whether the `session_state` that this
 * client received is still that of the browser.
 */
export function getCheckSession(pages: Pages | undefined) {
  if (pages?.managesSessions !== true) {
    return (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
      reply.code(404).send({ error: "not_found", error_description: "session management is off" });
  }
  const script = checkSessionScript(pages.cookies.nameOf(cookieNames.browserState));
  const source = `'sha256-${hash("sha256", script, "base64")}'`;
  const body = `<!doctype html>\n<meta charset="utf-8">\n<title>Session</title>\n<script>${script}</script>\n`;
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": `public, max-age=${cacheSeconds}`,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "content-security-policy": `default-src 'none'; script-src ${source}; base-uri 'none'; form-action 'none'; frame-ancestors *`,
  };
  return (_request: FastifyRequest, reply: FastifyReply): FastifyReply => reply.headers(headers).send(body);
}
