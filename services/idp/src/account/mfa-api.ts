import { type OperationId, operation } from "@postern/shared/contracts";
import { routeOf } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { readCsrfToken } from "../flow/browser-binding.ts";
import type { FactorState } from "../second-factors/factor-store-nats.ts";
import { isFresh } from "../second-factors/freshness.ts";
import { cookieNames } from "../sessions/cookies.ts";
import { formVisit, sessionOf, textIn } from "../visit/visit.ts";
import type { AccountContext } from "./context.ts";
import { noteShown } from "./enrolment.ts";
import type { ChangeOutcome } from "./factor-owner.ts";
import { hasFactor, type Member, ownerOf } from "./member.ts";
import { addPasskey, beginRegistration } from "./passkey-pages.ts";
import { type Gone, isDemanded } from "./removal.ts";

/** The signed-in user who sends the request. */
type ApiUser = Pick<Member, "session" | "owner"> & { readonly state: FactorState };

type Answer = (user: ApiUser, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/**
 * Whether our own page sends the request: the browser says so, or the request carries a page's token (OWASP, CSRF
 * prevention).
 */
function isOurs({ pages, origin }: AccountContext, request: FastifyRequest, sessionUid: string): boolean {
  const site = textIn(request.headers, "sec-fetch-site");
  if (site !== undefined && site !== "same-origin") return false;
  const from = textIn(request.headers, "origin");
  if (from !== undefined) return from === origin;
  const token = textIn(request.headers, "x-csrf-token");
  const browserToken = pages.cookies.read(request.headers.cookie, cookieNames.flow);
  return site === "same-origin" || readCsrfToken(token, browserToken) === sessionUid;
}

/**
 * Wraps a handler of the MFA API: 401 without a session, 403 for foreign pages, and 403 `step_up_required` if the sign-in is too long ago.
 */
function forApiUser(context: AccountContext, isChange: boolean, answer: Answer) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    reply.header("cache-control", "no-store");
    const session = await sessionOf(context, { request });
    if (session === undefined) return reply.code(401).send({ error: "session_missing" });
    if (isChange && !isOurs(context, request, session.uid)) return reply.code(403).send({ error: "cross_site" });
    const owner = ownerOf(context, formVisit({ request, reply, path: "", language: undefined }), session);
    const state = await context.self.read(owner);
    if (!isFresh(session, hasFactor(state), Math.floor(context.nowMs() / 1000))) {
      return reply.code(403).send({ error: "step_up_required" });
    }
    if (state === undefined) return reply.code(400).send({ error: "unsupported" });
    return answer({ session, owner, state }, request, reply);
  };
}

function sendOutcome(reply: FastifyReply, outcome: ChangeOutcome, message: string): FastifyReply {
  if (outcome === "done") return reply.send({ status: "success", message });
  if (outcome === "doubted") return reply.code(403).send({ error: outcome });
  if (outcome === "absent") return reply.code(400).send({ error: "unknown" });
  return reply.code(outcome === "refused" ? 500 : 400).send({ error: outcome });
}

/** Removes a factor, unless an application demands it. */
function removing(
  context: AccountContext,
  gone: Gone,
  message: string,
  remove: (user: ApiUser, request: FastifyRequest) => Promise<ChangeOutcome>,
): Answer {
  return async (user, request, reply) =>
    (await isDemanded(context, user.owner.account, user.state, gone))
      ? reply.code(403).send({ error: "factor_required" })
      : sendOutcome(reply, await remove(user, request), message);
}

/** MFA API for a signed-in session: authenticated by the browser's session, not by an API caller. Only our own pages may send changes. */
export function registerMfaApi(app: FastifyInstance, context: AccountContext): void {
  const { self } = context;
  const serve = (id: OperationId, answer: Answer): void => {
    const found = operation(id);
    app.route({ ...routeOf(found), handler: forApiUser(context, found.method !== "get", answer) });
  };
  serve("totpSetup", async ({ owner }, _request, reply) => {
    const { secret, url } = await self.totpSetup(owner);
    return reply.send({ secret, qr_code_url: url });
  });
  serve("totpRegister", async (user, { body }, reply) => {
    const outcome = await self.confirmTotp(user.owner, textIn(body, "code") ?? "");
    if (outcome === "done") await noteShown(context, user, "totp");
    return sendOutcome(reply, outcome, "TOTP registered");
  });
  const removeTotp = removing(context, { totp: true }, "TOTP deleted", ({ owner }) => self.removeTotp(owner));
  serve("totpDelete", removeTotp);
  serve("recoveryCodesGenerate", async ({ owner, state }, _request, reply) => {
    if (!hasFactor(state)) return reply.code(400).send({ error: "no_mfa_method" });
    const codes = await self.makeCodes(owner);
    return typeof codes === "string" ? sendOutcome(reply, codes, "") : reply.send({ codes });
  });
  serve("webauthnRegisterBegin", async ({ session, state }, _request, reply) =>
    reply.send({ publicKey: await beginRegistration(context, session, state) }),
  );
  serve("webauthnRegisterFinish", async (user, { body }, reply) => {
    const outcome = await addPasskey(context, user, user.state, body);
    return outcome === "malformed"
      ? reply.code(400).send({ error: "invalid_request" })
      : sendOutcome(reply, outcome, "WebAuthn credential registered");
  });
  const removePasskey = removing(context, { passkeys: 1 }, "WebAuthn credential deleted", ({ owner }, { params }) =>
    self.removePasskeys(owner, textIn(params, "credentialID") ?? ""),
  );
  serve("webauthnDelete", removePasskey);
}
