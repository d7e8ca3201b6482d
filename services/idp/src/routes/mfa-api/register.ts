import { operation } from "@postern/shared/contracts";
import { routeOf } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { readCsrfToken } from "../../flow/browser-binding.ts";
import type { FactorState } from "../../mfa/factor-store.ts";
import { isFresh } from "../../mfa/freshness.ts";
import type { Outcome, Subject } from "../../mfa/self-service.ts";
import { cleanName } from "../../mfa/self-service.ts";
import { readRegistration } from "../../mfa/webauthn/browser-answer.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import { cookieNames } from "../../sessions/cookies.ts";
import type { LoginDeps } from "../login/deps.ts";
import { notificationOrigin } from "../notification-origin.ts";
import { isDemanded } from "../self-service/demands.ts";
import { noteShown } from "../self-service/enrolled.ts";
import { hasFactor } from "../self-service/member.ts";
import { callContext, formVisit } from "../visit.ts";

interface Asker {
  readonly session: BrowserSessionRecord;
  readonly subject: Subject;
  readonly state: FactorState;
}

type Answer = (asker: Asker, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === "string" ? value : undefined;
}

/**
 * Whether our own page sends the request: the browser says so, or the request carries a page's token (OWASP, CSRF
 * prevention).
 */
function isOurs({ pages, origin }: LoginDeps, request: FastifyRequest, sessionUid: string): boolean {
  const site = headerOf(request, "sec-fetch-site");
  if (site !== undefined && site !== "same-origin") return false;
  const from = headerOf(request, "origin");
  if (from !== undefined) return from === origin;
  const token = headerOf(request, "x-csrf-token");
  const browserToken = pages.cookies.read(request.headers.cookie, cookieNames.flow);
  return site === "same-origin" || readCsrfToken(token, browserToken) === sessionUid;
}

/** 401 without a session, 403 for foreign pages, and 403 `step_up_required` if the sign-in is too long ago. */
function answering(deps: LoginDeps, answer: Answer, isChange: boolean) {
  const { pages, sessions, self, nowMs, decisionTimeoutMs } = deps;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    reply.header("cache-control", "no-store");
    const sid = pages.cookies.read(request.headers.cookie, cookieNames.session);
    const session = sid === undefined ? undefined : await sessions.findBySid(sid);
    if (session === undefined) return reply.code(401).send({ error: "session_missing" });
    if (isChange && !isOurs(deps, request, session.uid)) return reply.code(403).send({ error: "cross_site" });
    const visit = formVisit({ request, reply, path: "", language: undefined });
    const context = callContext(visit, nowMs() + decisionTimeoutMs());
    const origin = notificationOrigin(pages, visit, session.attributes);
    const subject = { account: session.account, sessionUid: session.uid, context, origin };
    const state = await self.read(subject);
    if (!isFresh(session, hasFactor(state), Math.floor(nowMs() / 1000))) {
      return reply.code(403).send({ error: "step_up_required" });
    }
    if (state === undefined) return reply.code(400).send({ error: "unsupported" });
    return answer({ session, subject, state }, request, reply);
  };
}

function textIn(body: unknown, name: string): string {
  const value: unknown = typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined;
  return typeof value === "string" ? value : "";
}

function sendOutcome(reply: FastifyReply, outcome: Outcome, message: string): FastifyReply {
  if (outcome === "done") return reply.send({ status: "success", message });
  if (outcome === "absent") return reply.code(400).send({ error: "unknown" });
  return reply.code(outcome === "refused" ? 500 : 400).send({ error: outcome });
}

function totpAnswers(deps: LoginDeps): Readonly<Record<"setup" | "register" | "remove", Answer>> {
  const { self } = deps;
  return {
    setup: async ({ subject }, _request, reply) => {
      const { secret, url } = await self.totpSetup(subject);
      return reply.send({ secret, qr_code_url: url });
    },
    register: async ({ session, subject }, { body }, reply) => {
      const outcome = await self.confirmTotp(subject, textIn(body, "code"));
      if (outcome === "done") await noteShown(deps, { session, subject, csrfToken: "" }, "totp");
      return sendOutcome(reply, outcome, "TOTP registered");
    },
    remove: async ({ subject, state }, _request, reply) => {
      if (await isDemanded(deps, subject.account, state, { totp: true })) {
        return reply.code(403).send({ error: "factor_required" });
      }
      return sendOutcome(reply, await self.removeTotp(subject), "TOTP deleted");
    },
  };
}

function webauthnAnswers(deps: LoginDeps): Readonly<Record<"begin" | "finish" | "remove", Answer>> {
  const { self, ceremonies } = deps;
  return {
    begin: async ({ session, subject, state }, _request, reply) => {
      const publicKey = await ceremonies.beginRegistration({
        owner: subject.sessionUid,
        account: state.account,
        displayName: session.displayName,
        credentials: state.webauthnCredentials,
      });
      return reply.send({ publicKey });
    },
    finish: async ({ session, subject, state }, { body }, reply) => {
      const response = readRegistration(body);
      if (response === undefined) return reply.code(400).send({ error: "invalid_request" });
      const name = cleanName(textIn(body, "name"), `Passkey ${state.webauthnCredentials.length + 1}`);
      const outcome = await self.addPasskey(subject, response, name);
      if (outcome === "done") await noteShown(deps, { session, subject, csrfToken: "" }, "webauthn");
      return sendOutcome(reply, outcome, "WebAuthn credential registered");
    },
    remove: async ({ subject, state }, { params }, reply) => {
      if (await isDemanded(deps, subject.account, state, { passkeys: 1 })) {
        return reply.code(403).send({ error: "factor_required" });
      }
      return sendOutcome(
        reply,
        await self.removePasskeys(subject, textIn(params, "credentialID")),
        "WebAuthn credential deleted",
      );
    },
  };
}

/** MFA API for a signed-in session: authenticated by the browser's session, not by an API caller. */
export function registerMfaApi(app: FastifyInstance, deps: LoginDeps): void {
  const totp = totpAnswers(deps);
  const webauthn = webauthnAnswers(deps);
  const generate: Answer = async ({ subject, state }, _request, reply) => {
    if (!hasFactor(state)) return reply.code(400).send({ error: "no_mfa_method" });
    const codes = await deps.self.makeCodes(subject);
    return codes === undefined ? reply.code(500).send({ error: "refused" }) : reply.send({ codes });
  };
  app.register(async (scope) => {
    scope.route({ ...routeOf(operation("totpSetup")), handler: answering(deps, totp.setup, false) });
    scope.route({ ...routeOf(operation("totpRegister")), handler: answering(deps, totp.register, true) });
    scope.route({ ...routeOf(operation("totpDelete")), handler: answering(deps, totp.remove, true) });
    scope.route({ ...routeOf(operation("recoveryCodesGenerate")), handler: answering(deps, generate, true) });
    scope.route({ ...routeOf(operation("webauthnRegisterBegin")), handler: answering(deps, webauthn.begin, false) });
    scope.route({ ...routeOf(operation("webauthnRegisterFinish")), handler: answering(deps, webauthn.finish, true) });
    scope.route({ ...routeOf(operation("webauthnDelete")), handler: answering(deps, webauthn.remove, true) });
  });
}
