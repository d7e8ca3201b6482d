import { html } from "@postern/shared/platform/pages";
import type { FastifyReply, FastifyRequest } from "fastify";
import { sessionLifeMs } from "../operators/operator-session.ts";
import type { SignInAttempt } from "../operators/operator-sessions-redis.ts";
import type { SignedIn } from "../operators/provider-http.ts";
import { t } from "../texts/texts.ts";
import { pageWithin } from "./console-form.ts";
import { type ConsoleVisit, goTo, originOf, type PageAnswer, queryOf, sendNotice, sendPage } from "./console-visit.ts";
import type { ConsolePagesDeps } from "./context.ts";

/** `GET /console/sign-in`: to the identity provider; with `proof=1`, to enter password and second factor again. */
export function getSignIn({ provider, attempts, cookies, origin }: ConsolePagesDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const next = pageWithin(origin, queryOf(request, "next"));
    // The provider's redirect back will be cross-site, without this cookie.
    const replaces = cookies.read(request.headers.cookie, "session") ?? "";
    const { attempt, url } = await provider.begin({ next, replaces, isProof: queryOf(request, "proof") === "1" });
    reply.header("set-cookie", cookies.set("signIn", await attempts.keep(attempt)));
    return goTo(reply, url);
  };
}

const maxCodeLength = 64;

/** `POST /console/sign-in`: to the identity provider, with an invitation code that is used when the operator comes back. */
export function postSignIn(deps: ConsolePagesDeps) {
  const { provider, attempts, cookies, origin } = deps;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { body, headers } = request;
    if (headers.origin !== origin || !(body instanceof URLSearchParams)) return sendNotice(deps, reply, "form");
    const invitation = (body.get("code") ?? "").trim().slice(0, maxCodeLength);
    const replaces = cookies.read(headers.cookie, "session") ?? "";
    const next = pageWithin(origin, undefined);
    const { attempt, url } = await provider.begin({ next, replaces, isProof: false, invitation });
    reply.header("set-cookie", cookies.set("signIn", await attempts.keep(attempt)));
    // Browsers apply the page's policy for forms to the redirects after a form, and it permits the console only.
    const page = html`<h1>${t("notice.sign_in")}</h1><a class="button" href="${url}">${t("notice.continue")}</a>`;
    return sendPage(deps, reply, { title: t("notice.sign_in"), goesTo: url, body: page });
  };
}

/**
 * The redirect comes from the identity provider's site, so browsers would not send the new cookie (SameSite=Strict) with a redirect from
 * here. A page of our own loads the next one.
 */
function arrived(next: string) {
  return {
    title: t("notice.signed_in"),
    goesTo: next,
    body: html`<h1>${t("notice.signed_in")}</h1><a class="button" href="${next}">${t("notice.continue")}</a>`,
  };
}

const withoutQuestionMark = (url: string): string => url.slice(Math.max(0, url.indexOf("?")));

/** `GET /console/callback`: ends the old session of this browser and creates a new one. */
export function getCallback(deps: ConsolePagesDeps) {
  const { attempts, provider, cookies, sessions, findRole, admit, audit, clock } = deps;
  const takeAttempt = async ({ headers }: FastifyRequest): Promise<SignInAttempt | undefined> => {
    const cookie = cookies.read(headers.cookie, "signIn");
    return cookie === undefined ? undefined : attempts.take(cookie);
  };
  /** @returns the cookie, or why there is none */
  const begin = async ({ account, signedInMs, factor }: SignedIn, guid: string, { invitation = "" }: SignInAttempt) => {
    const known = await findRole(account, guid);
    if (known.right === undefined) return { refusal: "no_role" } as const;
    const refusal = await admit(known.account, { factor, invitation });
    if (refusal !== undefined) return { refusal };
    const nowMs = clock.now();
    const { role, domain } = known.right;
    const own = { account: known.account, role, ...(domain !== undefined && { domain }) };
    const times = { provedMs: Math.min(signedInMs, nowMs), endMs: nowMs + sessionLifeMs };
    return { cookie: await sessions.create({ ...own, ...times }) };
  };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const about = originOf(request);
    const attempt = await takeAttempt(request);
    reply.header("set-cookie", cookies.set("signIn", ""));
    if (attempt === undefined) return sendNotice(deps, reply, "invalid");
    const signedIn = await provider.complete(withoutQuestionMark(request.url), attempt);
    if (typeof signedIn === "string") {
      audit.record({ event: "console.sign_in", outcome: "denied", reason: signedIn, ...about });
      return sendNotice(deps, reply, signedIn);
    }
    const { cookie, refusal: reason } = await begin(signedIn, about.session, attempt);
    const outcome = cookie === undefined ? "denied" : "ok";
    audit.record({ event: "console.sign_in", outcome, actor: signedIn.account, reason, ...about });
    if (cookie === undefined) return sendNotice(deps, reply, reason);
    if (attempt.replaces !== "") await sessions.end(attempt.replaces);
    reply.header("set-cookie", cookies.set("session", cookie));
    return sendPage(deps, reply, arrived(attempt.next));
  };
}

/** `POST /console/sign-out`: ends the session of the console, not the one at the identity provider. */
export async function postSignOut(deps: ConsolePagesDeps, visit: ConsoleVisit): Promise<PageAnswer> {
  const { reply, request, operator } = visit;
  await deps.sessions.end(operator.cookie);
  deps.audit.record({ event: "console.sign_out", outcome: "ok", actor: operator.account, ...originOf(request) });
  reply.header("set-cookie", deps.cookies.set("session", ""));
  return sendNotice(deps, reply, "signed_out");
}
