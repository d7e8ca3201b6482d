import { operation } from "@postern/shared/contracts";
import { guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance } from "fastify";
import { type FlowState, factorStates } from "../flow/flow-table.ts";
import { forFlow } from "../visit/flow-visit.ts";
import { type PageRoute, servePage, type VisitHandler } from "../visit/page-routes.ts";
import { referenceOf } from "../visit/visit.ts";
import { getFactor, getMfa, lostPhoneFactor, postFactor, recoveryFactor, totpFactor } from "./code-factors.ts";
import type { FlowHandler, SignInContext } from "./context.ts";
import { getCodesLow, getPasswordWarning } from "./finish-sign-in.ts";
import { getLogin, getRestart, postCancel } from "./login-page.ts";
import { beginWebauthn, finishWebauthn, getWebauthn } from "./passkey-sign-in.ts";
import { postLogin } from "./post-login.ts";

/** Admits the visits to flows in certain states. */
const createInFlow =
  (context: SignInContext) =>
  (states: readonly FlowState[], handler: FlowHandler): VisitHandler =>
    forFlow(context, states, (visit, admitted) => handler(context, visit, admitted));

/** The pages of a sign-in. */
export function signInRoutes(context: SignInContext): readonly PageRoute[] {
  const totp = totpFactor(context);
  const recovery = recoveryFactor(context);
  const lostPhone = lostPhoneFactor(context);
  const inFlow = createInFlow(context);
  return [
    servePage("loginPage", inFlow(["login", "ready"], getLogin)),
    // `ready`: the form was sent twice, and the browser may have dropped the first response with its session.
    servePage("login", inFlow(["login", "ready"], postLogin)),
    servePage("mfaPage", inFlow(factorStates, getMfa)),
    servePage("restartLogin", inFlow([...factorStates, "enrolment", "consent", "login"], getRestart)),
    servePage("cancelLogin", inFlow(["login", ...factorStates], postCancel)),
    servePage("totpPage", getFactor(context, totp)),
    servePage("totpSignIn", postFactor(context, totp)),
    servePage("recoveryPage", getFactor(context, recovery)),
    servePage("recoverySignIn", postFactor(context, recovery)),
    servePage("lostPhonePage", getFactor(context, lostPhone)),
    servePage("lostPhoneSignIn", postFactor(context, lostPhone)),
    servePage("codesLowPage", inFlow(["ready"], getCodesLow)),
    servePage("passwordWarningPage", inFlow(["ready"], getPasswordWarning)),
    servePage("webauthnPage", getWebauthn(context)),
    servePage("beginWebauthnSignIn", inFlow(["login", ...factorStates], beginWebauthn)),
  ];
}

/** Called by the pages' script, with JSON. */
export function signInScriptRoutes(context: SignInContext): readonly PageRoute[] {
  const handler = createInFlow(context)(["login", ...factorStates], finishWebauthn);
  return [servePage("finishWebauthnSignIn", handler)];
}

const longestReference = 64;

/** `GET /api/v1/sign-ins/{reference}`: for operators to whom a user reports the reference of a page. */
export function registerFailedSignIns(
  app: FastifyInstance,
  failedSignIns: Pick<SignInContext["failedSignIns"], "find">,
  identifier: string,
): void {
  app.route<{ readonly Params: { readonly reference: string } }>({
    ...guardedRoute(operation("getFailedSignIn"), identifier),
    handler: async ({ params }, reply) => {
      const input = params.reference.trim();
      // Users read references out, so the case of a GUID is ignored.
      const reference = referenceOf(/^[0-9a-f-]+$/iu.test(input) ? input.toLowerCase() : input);
      const found = reference.length > longestReference ? undefined : await failedSignIns.find(reference);
      if (found === undefined) return reply.code(404).send({ error: "no failed sign-in is stored for this reference" });
      const { timeMs, clientIp, ...named } = found;
      reply.header("cache-control", "no-store");
      return reply.send({ ...named, time: new Date(timeMs).toISOString(), client_ip: clientIp });
    },
  });
}
