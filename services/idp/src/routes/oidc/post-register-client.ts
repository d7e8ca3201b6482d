import type { Audit } from "@postern/shared/domain/audit";
import type { Logger } from "@postern/shared/platform/logging";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { OidcMetrics } from "../../oidc/metrics/oidc-metrics.ts";
import type { RegisterClient, RegistrationOutcome } from "../../oidc/registered/register-client.ts";
import { auditVisit } from "../../visit/visit.ts";
import { noStore, oauthError } from "./json-reply.ts";
import { logFailure } from "./managed-registration.ts";
import { bearerOf, whileAvailable } from "./registration-request.ts";
import { shownRegistration } from "./shown-registration.ts";

export interface RegisterClientRouteDeps {
  readonly registerClient: RegisterClient;
  readonly issuer: string;
  readonly audit: Audit;
  readonly metrics: Pick<OidcMetrics, "registration">;
  readonly logger: Pick<Logger, "info" | "warn" | "error">;
}

function refuse(reply: FastifyReply, known: Exclude<RegistrationOutcome, { outcome: "registered" }>, issuer: string) {
  switch (known.outcome) {
    case "disabled":
      return oauthError(reply, 404, "not_found");
    case "no_token":
      reply.header("www-authenticate", `Bearer realm="${issuer}", error="invalid_token"`);
      return oauthError(reply, 401, "invalid_token", "an initial access token is required");
    case "invalid":
      return oauthError(reply, 400, known.refusal.error, known.refusal.description);
    case "rate_limited":
    case "network_full":
      reply.header("retry-after", "60");
      return oauthError(reply, 429, "temporarily_unavailable", "too many registrations from this network");
    case "full":
      reply.header("retry-after", "3600");
      return oauthError(reply, 503, "temporarily_unavailable", "too many registrations");
  }
}

/** `POST /oidc/register`: dynamic registration (RFC 7591). */
export function postRegisterClient({ registerClient, issuer, audit, metrics, logger }: RegisterClientRouteDeps) {
  return whileAvailable(async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { caller, body } = request;
    const known = await registerClient({ body, bearer: bearerOf(request), clientIp: caller?.clientIp });
    metrics.registration(known.outcome);
    if (known.outcome !== "registered") {
      const why = known.outcome === "invalid" ? known.refusal.description : undefined;
      // Full is a state of the whole site, which an operator has to end.
      const level = known.outcome === "full" ? "warn" : "info";
      logger[level]({ session: caller?.session, reason: known.outcome, why }, "registration of a client refused");
      return refuse(reply, known, issuer);
    }
    const { registration, token } = known;
    const { initialToken: actor, id: target } = registration;
    auditVisit(audit, request, { event: "client.register", outcome: "ok", actor, target });
    return noStore(reply)
      .code(201)
      .send(shownRegistration(registration, issuer, token));
  }, logFailure({ logger }));
}
