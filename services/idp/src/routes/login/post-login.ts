import { Secret } from "@postern/shared/crypto";
import type { FastifyReply } from "fastify";
import { placeOf } from "../../flow/flow-paths.ts";
import type { FlowRecord, PendingSignIn } from "../../flow/flow-record.ts";
import { neededFactors } from "../../login/needed-factors.ts";
import type { CallContext, PasswordOutcome } from "../../login/password-check.ts";
import { auditVisit } from "../audit-visit.ts";
import type { VisitHandler } from "../page-routes.ts";
import { admit, callContext, lookOf, sendProblem, sendTo, type Visit } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";
import { showLogin } from "./show-login.ts";
import { finishSignIn } from "./signed-in.ts";

const maxUsernameLength = 255;
const maxPasswordLength = 4096;

interface Credentials {
  readonly username: string;
  readonly password: Secret;
  readonly remember: boolean;
}

function credentialsOf({ form }: Visit): Credentials | undefined {
  const username = form.one("username");
  const password = form.one("password");
  if (username === undefined || password === undefined) return undefined;
  if (username.length > maxUsernameLength || password.length > maxPasswordLength) return undefined;
  return { username: username.trim(), password: new Secret(password), remember: form.one("remember_me") === "on" };
}

function acrValuesOf({ params }: FlowRecord): readonly string[] {
  return (params?.acrValues ?? "").split(" ").filter((value) => value !== "");
}

/** Without a name: one that was typed and not proved may be a password. */
function passwordLogin({ client }: FlowRecord, outcome: "denied" | "undecided") {
  return { event: "user.login", outcome, target: client?.id, reason: "password" } as const;
}

async function ask(
  { checkPassword, metrics, audit }: LoginDeps,
  { request }: Visit,
  flow: FlowRecord,
  { username, password, context }: Credentials & { readonly context: CallContext },
): Promise<PasswordOutcome> {
  if (username === "" || password.isEmpty) return { outcome: "denied", message: undefined };
  try {
    return await checkPassword(
      {
        username,
        password,
        kind: flow.kind,
        clientId: flow.client?.id,
        clientIp: request.caller?.clientIp ?? "",
        userAgent: request.headers["user-agent"],
        acceptLanguage: request.headers["accept-language"],
      },
      context,
    );
  } catch (error) {
    metrics.signIn("password", "undecided");
    auditVisit(audit, request, passwordLogin(flow, "undecided"));
    throw error;
  }
}

/** To the second factor; what follows must look the same whether the password was right or not. */
async function askFactor(
  { gate, pages }: LoginDeps,
  visit: Visit,
  flow: FlowRecord,
  { pending, event }: { readonly pending: PendingSignIn; readonly event: "password_accepted" | "password_refused" },
): Promise<FastifyReply> {
  // A factor that this client does not take, or none that can be shown: nobody gets in without one.
  if (pending.methods.length === 0) return sendProblem(pages, visit, "unavailable");
  const moved = await gate.move(flow, event, { pending });
  const place = placeOf(moved ?? flow, visit.language?.tag);
  return place === undefined ? sendProblem(pages, visit, "expired") : sendTo(visit.reply, place);
}

interface Refused {
  readonly flow: FlowRecord;
  readonly browserToken: string;
  readonly credentials: Credentials;
  readonly message: string | undefined;
  readonly context: CallContext;
}

/**
 * Says that it failed; for an application with `delayed_response` only after the second factor, where the account has
 * one, so that whoever has no factor learns nothing of the password.
 */
async function refuse(deps: LoginDeps, visit: Visit, refused: Refused): Promise<FastifyReply> {
  const { flow, browserToken, credentials, message, context } = refused;
  const { username, remember } = credentials;
  const known =
    flow.client?.delayedResponse === true && username !== "" ? await deps.factors.find(username, context) : undefined;
  const needed = known === undefined ? undefined : neededFactors(known, flow.client, acrValuesOf(flow));
  if (known === undefined || needed?.isNeeded !== true) {
    const problem = message ?? lookOf(deps.pages, visit, flow).text("login.failed");
    return showLogin(deps, visit, { flow, browserToken, username, remember, problem });
  }
  const pending: PendingSignIn = {
    account: known.account,
    shownAs: username,
    attributes: {},
    backend: 0,
    remember: false,
    passwordTs: Math.floor(deps.nowMs() / 1000),
    methods: needed.methods,
  };
  return askFactor(deps, visit, flow, { pending, event: "password_refused" });
}

/** `POST /login`: one text for every denial. */
export function postLogin(deps: LoginDeps): VisitHandler {
  const { pages, metrics, factors, rememberMs, nowMs, decisionTimeoutMs } = deps;
  return async (visit) => {
    const passage = await admit(deps, visit, ["login"]);
    if (passage === undefined) return visit.reply;
    const { flow, browserToken } = passage;
    const credentials = credentialsOf(visit);
    if (credentials === undefined) return sendProblem(pages, visit, "request");
    const context = callContext(visit, nowMs() + decisionTimeoutMs());
    const decision = await ask(deps, visit, flow, { ...credentials, context });
    metrics.signIn("password", decision.outcome);
    if (decision.outcome === "denied") {
      auditVisit(deps.audit, visit.request, passwordLogin(flow, "denied"));
      return refuse(deps, visit, { flow, browserToken, credentials, message: decision.message, context });
    }
    const { outcome: _, displayName, ...user } = decision;
    const needed = neededFactors(await factors.enrolled(user.account, context), flow.client, acrValuesOf(flow));
    const pending: PendingSignIn = {
      ...user,
      ...(displayName === undefined ? {} : { displayName }),
      ...(flow.client?.delayedResponse === true ? { shownAs: credentials.username } : {}),
      remember: credentials.remember && rememberMs > 0,
      passwordTs: Math.floor(nowMs() / 1000),
      methods: needed.methods,
      missing: needed.missing,
    };
    if (!needed.isNeeded) return finishSignIn(deps, visit, { flow, pending, method: undefined });
    return askFactor(deps, visit, flow, { pending, event: "password_accepted" });
  };
}
