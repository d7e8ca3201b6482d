import type { FastifyReply } from "fastify";
import { csrfToken } from "../../flow/browser-binding.ts";
import { placeOf } from "../../flow/flow-paths.ts";
import type { FlowRecord, PendingSignIn } from "../../flow/flow-record.ts";
import { factorStates } from "../../flow/flow-table.ts";
import type { SignInMethod } from "../../login/complete-sign-in.ts";
import { isSupported, neededFactors } from "../../login/needed-factors.ts";
import { accountOfHandle, readAssertion } from "../../mfa/webauthn/browser-answer.ts";
import { webauthnLoginPage } from "../../pages/templates/webauthn.ts";
import { auditVisit } from "../audit-visit.ts";
import type { VisitHandler } from "../page-routes.ts";
import { admit, callContext, hrefIn, lookOf, sendProblem, sendShown, sendTo, type Visit } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";
import { placeAfterRefusal, provedAccount } from "./latched.ts";
import { completeFor } from "./signed-in.ts";

/** `GET /login/webauthn` */
export function getWebauthn(deps: LoginDeps): VisitHandler {
  const { pages } = deps;
  return async (visit) => {
    const passage = await admit(deps, visit, factorStates);
    if (passage === undefined) return visit.reply;
    const { flow, browserToken } = passage;
    if (flow.pending?.methods.includes("webauthn") !== true) {
      const place = placeOf(flow, visit.language?.tag);
      return place === undefined ? sendProblem(pages, visit, "expired") : sendTo(visit.reply, place);
    }
    const view = {
      begin: hrefIn("/login/webauthn/begin", visit, flow),
      finish: "/login/webauthn/finish",
      csrfToken: csrfToken(flow.id, browserToken),
      other: flow.pending.methods.length > 1 ? hrefIn("/login/mfa", visit, flow) : undefined,
      restart: hrefIn("/login/restart", visit, flow),
    };
    return sendShown(visit.reply, pages.show(webauthnLoginPage, view, lookOf(pages, visit, flow)));
  };
}

/** `GET /login/webauthn/begin`: for the account whose password was right, or before a name for any passkey. */
export function beginWebauthn(deps: LoginDeps): VisitHandler {
  const { ceremonies, store, nowMs, decisionTimeoutMs } = deps;
  return async (visit) => {
    const passage = await admit(deps, visit, ["login", ...factorStates]);
    if (passage === undefined) return visit.reply;
    const { flow } = passage;
    const context = callContext(visit, nowMs() + decisionTimeoutMs());
    const state = flow.pending === undefined ? undefined : await store.read(flow.pending.account, context);
    const publicKey = await ceremonies.beginSignIn(flow.id, state?.webauthnCredentials);
    return visit.reply.header("cache-control", "no-store").send({ publicKey });
  };
}

interface Proved {
  readonly pending: PendingSignIn;
  readonly method: SignInMethod;
}

type Proof = Proved | "denied" | "throttled";

async function secondFactor(deps: LoginDeps, visit: Visit, flow: FlowRecord, pending: PendingSignIn): Promise<Proof> {
  const { ceremonies, guard, nowMs, decisionTimeoutMs } = deps;
  const response = readAssertion(visit.request.body);
  if (response === undefined || !pending.methods.includes("webauthn")) return "denied";
  const { account } = pending;
  if (!(await guard.admit(account))) return "throttled";
  const context = callContext(visit, nowMs() + decisionTimeoutMs());
  const proof = { owner: flow.id, kind: "webauthn_login", account, response } as const;
  if ((await ceremonies.finishSignIn(proof, context)) === undefined) return "denied";
  if (flow.state !== "latched") await guard.succeeded(account);
  return { pending, method: "webauthn" };
}

function remembers(body: unknown): boolean {
  return typeof body === "object" && body !== null && "remember_me" in body && body.remember_me === true;
}

/** A passkey names its account; a directory must know the account still, and policies must let it in. */
async function passkey(deps: LoginDeps, visit: Visit, flow: FlowRecord): Promise<Proof> {
  const { ceremonies, factors, lookUp, nowMs, decisionTimeoutMs, rememberMs } = deps;
  const { request } = visit;
  if (!isSupported("webauthn", flow.client)) return "denied";
  const response = readAssertion(request.body);
  const account = accountOfHandle(response?.response.userHandle);
  if (response === undefined || account === undefined) return "denied";
  const context = callContext(visit, nowMs() + decisionTimeoutMs());
  const known = await lookUp(
    {
      username: account,
      kind: flow.kind,
      clientId: flow.client?.id,
      clientIp: request.caller?.clientIp ?? "",
      userAgent: request.headers["user-agent"],
      acceptLanguage: request.headers["accept-language"],
    },
    context,
  );
  if (known.outcome !== "ok") return "denied";
  const proof = { owner: flow.id, kind: "passkey", account: known.account, response } as const;
  if ((await ceremonies.finishSignIn(proof, context)) === undefined) return "denied";
  const { displayName, attributes, backend } = known;
  const pending: PendingSignIn = {
    account: known.account,
    attributes,
    backend,
    ...(displayName === undefined ? {} : { displayName }),
    remember: remembers(request.body) && rememberMs > 0,
    passwordTs: Math.floor(nowMs() / 1000),
    methods: ["webauthn"],
    missing: neededFactors(await factors.enrolled(known.account, context), flow.client).missing,
  };
  return { pending, method: "passkey" };
}

function outcomeOf(proof: Proof, flow: FlowRecord): "ok" | "denied" | "throttled" {
  if (typeof proof === "string") return proof;
  return flow.state === "latched" ? "denied" : "ok";
}

/** `POST /login/webauthn/finish`: JSON from our script; 200 or 401 `{redirect}`, or 400 `{error}`. */
export function finishWebauthn(deps: LoginDeps): VisitHandler {
  const { metrics, logger, audit } = deps;
  return async (visit): Promise<FastifyReply> => {
    const passage = await admit(deps, visit, ["login", ...factorStates]);
    if (passage === undefined) return visit.reply;
    const { flow } = passage;
    const { pending } = flow;
    const step = pending === undefined ? "passkey" : "webauthn";
    const reply = visit.reply.header("cache-control", "no-store");
    const proof = await (pending === undefined
      ? passkey(deps, visit, flow)
      : secondFactor(deps, visit, flow, pending)
    ).catch((error: unknown) => {
      metrics.signIn(step, "undecided");
      throw error;
    });
    const outcome = outcomeOf(proof, flow);
    metrics.signIn(step, outcome);
    if (typeof proof === "string") {
      const who = { actor: provedAccount(flow), target: flow.client?.id };
      auditVisit(audit, visit.request, { event: "user.login", outcome: "denied", ...who, reason: step });
      logger.info(
        { session: visit.request.caller?.session, account: pending?.account, method: step, outcome },
        "passkey refused",
      );
      return reply.code(400).send({ error: outcome });
    }
    if (flow.state === "latched") {
      const place = await placeAfterRefusal(deps, visit, flow);
      return place === undefined
        ? reply.code(400).send({ error: "expired" })
        : reply.code(401).send({ redirect: place });
    }
    const redirect = await completeFor(deps, visit, { flow, ...proof });
    return redirect === undefined ? reply.code(400).send({ error: "expired" }) : reply.send({ redirect });
  };
}
