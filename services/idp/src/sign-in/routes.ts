import { operation } from "@postern/shared/contracts";
import { guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance } from "fastify";
import { type PageRoute, servePage } from "../visit/page-routes.ts";
import { referenceOf } from "../visit/visit.ts";
import { getFactor, getMfa, postFactor, recoveryFactor, totpFactor } from "./code-factors.ts";
import type { SignInContext } from "./context.ts";
import { getCodesLow, getPasswordWarning } from "./finish-sign-in.ts";
import { getLogin, getRestart, postCancel } from "./login-page.ts";
import { lostPhoneFactor } from "./lost-phone-factor.ts";
import { beginWebauthn, finishWebauthn, getWebauthn } from "./passkey-sign-in.ts";
import { postLogin } from "./post-login.ts";

/** The pages of a sign-in. */
export function signInRoutes(context: SignInContext): readonly PageRoute[] {
  const totp = totpFactor(context);
  const recovery = recoveryFactor(context);
  const lostPhone = lostPhoneFactor(context);
  return [
    servePage("loginPage", getLogin(context)),
    servePage("login", postLogin(context)),
    servePage("mfaPage", getMfa(context)),
    servePage("restartLogin", getRestart(context)),
    servePage("cancelLogin", postCancel(context)),
    servePage("totpPage", getFactor(context, totp)),
    servePage("totpSignIn", postFactor(context, totp)),
    servePage("recoveryPage", getFactor(context, recovery)),
    servePage("recoverySignIn", postFactor(context, recovery)),
    servePage("lostPhonePage", getFactor(context, lostPhone)),
    servePage("lostPhoneSignIn", postFactor(context, lostPhone)),
    servePage("codesLowPage", getCodesLow(context)),
    servePage("passwordWarningPage", getPasswordWarning(context)),
    servePage("webauthnPage", getWebauthn(context)),
    servePage("beginWebauthnSignIn", beginWebauthn(context)),
  ];
}

/** Called by the pages' script, with JSON. */
export function signInScriptRoutes(context: SignInContext): readonly PageRoute[] {
  return [servePage("finishWebauthnSignIn", finishWebauthn(context))];
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
