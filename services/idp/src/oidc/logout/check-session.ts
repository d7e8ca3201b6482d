import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Pages } from "../../pages/pages.ts";
import { cookieNames } from "../../sessions/cookies.ts";

/**
 * The frame of OpenID Connect Session Management 1.0 §3.2. A client's message is `<client_id> <session_state>`. Where the
 * browser withholds cookies from frames of other sites, the answer is `error`: after `changed`, the client would send an
 * authorization request, find the session unchanged, and repeat this without end.
 */
function checkSessionScript(cookieName: string): string {
  return `"use strict";
(() => {
  const wanted = ${JSON.stringify(`${cookieName}=`)};
  const readState = () => {
    const found = document.cookie.split("; ").find((pair) => pair.startsWith(wanted));
    return found === undefined ? undefined : found.slice(wanted.length);
  };
  const isReadable = async () => document.hasStorageAccess !== undefined && (await document.hasStorageAccess());
  const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const check = async (data, origin) => {
    const [, client, digest, salt] = /^(.+) ([0-9a-f]{64})[.]([0-9a-f]{32})$/.exec(String(data)) ?? [];
    if (salt === undefined || crypto.subtle === undefined) return "error";
    const state = readState();
    if (state === undefined) return (await isReadable()) ? "changed" : "error";
    const text = new TextEncoder().encode([client, origin, state, salt].join(" "));
    return hex(await crypto.subtle.digest("SHA-256", text)) === digest ? "unchanged" : "changed";
  };
  addEventListener("message", async ({ data, origin, source }) => {
    if (origin === "null" || source === null || source === window) return;
    source.postMessage(await check(data, origin).catch(() => "error"), origin);
  });
})();
`;
}

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
