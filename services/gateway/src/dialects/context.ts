import type { Dialect } from "@postern/shared/contracts";
import type { EngineWatch } from "@postern/shared/domain/engine-watch";
import type { Bus } from "@postern/shared/platform/bus";
import type { ResponseDelays } from "@postern/shared/platform/concurrency";
import { logFields } from "@postern/shared/platform/errors";
import type { Logger, ProcessLogger } from "@postern/shared/platform/logging";
import { steadyClock, systemClock } from "@postern/shared/platform/time";
import type { FastifyRequest } from "fastify";
import { createDecide } from "../decide.ts";
import { createDecisionLog } from "../decision-log.ts";
import type { RequestFacts } from "./complete-request.ts";
import type { WireNames } from "../http/naming.ts";
import { withOauthFailure } from "./oauth-failure.ts";
import { createReportIgnoredAddress, type ReportIgnoredAddress } from "../connection/addresses.ts";
import { createAccountDelays } from "../limits/account-delays.ts";
import type { Limits } from "../limits/context.ts";
import type { AccountPages } from "../list-accounts/account-pages.ts";
import { createAnswerListing } from "../list-accounts/answer-listing.ts";
import type { GatewayMetrics } from "../metrics.ts";
import { createRequestAddresses, type RequestAddresses } from "../connection/addresses.ts";
import type { ProxiedConnections } from "../connection/proxied-connections.ts";
import type { AuthRouteDeps } from "./endpoint.ts";
import type { LiveGatewaySettings } from "../settings.ts";

export interface ClientAddresses {
  readonly addresses: RequestAddresses;
  readonly reportIgnoredAddress: ReportIgnoredAddress;
}

/** The addresses of the caller and its client, by the current settings. */
export function createClientAddresses({
  live,
  logger,
  metrics,
  proxied,
}: Pick<AuthRouteParts, "live" | "metrics"> & {
  readonly logger: Logger;
  readonly proxied: ProxiedConnections | undefined;
}): ClientAddresses {
  const reportIgnoredAddress = createReportIgnoredAddress({
    logger,
    clock: systemClock,
    counted: (dialect, reason) => metrics.addressIgnored(dialect, reason),
  });
  const addresses = createRequestAddresses(() => live.current, reportIgnoredAddress, proxied?.sourceOf);
  return { addresses, reportIgnoredAddress };
}

function createFacts({ clientOf }: RequestAddresses, reportIgnoredAddress: ReportIgnoredAddress) {
  return (request: FastifyRequest, dialect: Dialect): RequestFacts => {
    const { headers } = request.raw;
    const { clientIp, clientPort, clientIpIsPeer } = clientOf(request, request.id, dialect);
    return {
      session: request.id,
      dialect,
      clientIp,
      clientPort,
      clientIpIsPeer,
      reportIgnoredAddress,
      userAgent: headers["user-agent"],
      acceptLanguage: headers["accept-language"],
    };
  };
}

export interface AuthRouteParts extends ClientAddresses {
  readonly bus: Bus;
  readonly engineWatch: EngineWatch;
  readonly live: { readonly current: LiveGatewaySettings };
  readonly accountPages: AccountPages;
  readonly names: WireNames;
  readonly limits: Limits;
  readonly metrics: GatewayMetrics;
  readonly processLogger: ProcessLogger;
  readonly responseDelays: ResponseDelays;
}

export function createAuthRoute(parts: AuthRouteParts): AuthRouteDeps {
  const { bus, engineWatch, live, accountPages: pages, names, limits, metrics, processLogger } = parts;
  const { logger } = processLogger;
  const { addresses, reportIgnoredAddress, responseDelays } = parts;
  const timeoutMs = (): number => live.current.decisionTimeoutMs;
  return {
    decide: createDecide({
      bus,
      watch: engineWatch,
      clock: steadyClock,
      timeoutMs,
      onError: (err, session) => logger[err.row.logLevel]({ session, ...logFields(err) }, "no decision"),
    }),
    answerListing: createAnswerListing({
      pages,
      names,
      onError: (err, session) =>
        logger[err.row.logLevel]({ session, ...logFields(err) }, "the list of accounts failed"),
    }),
    metrics,
    log: createDecisionLog(processLogger),
    gate: limits.gate,
    accountDelays: createAccountDelays(responseDelays, () => live.current.accountDelays),
    callerAddress: addresses.callerAddress,
    factsOf: createFacts(addresses, reportIgnoredAddress),
    addOauthFailure: (reply, request, decision) =>
      withOauthFailure(reply, request, { decision, names, settings: live.current.oauthFailure }),
    reportIgnoredAddress,
  };
}
