import type { Base } from "@postern/shared/assembly";
import { type AssertionAudience, createCallerSigner, type SharedClock } from "@postern/shared/platform/http";
import { addressKey } from "@postern/shared/platform/net";
import type { CallerHooks } from "../callers/context.ts";
import { createForwardedActionOf, createNeedOf } from "../callers/demands.ts";
import type { RequestAddresses } from "../connection/addresses.ts";
import { createClientCertificates } from "../connection/certificates.ts";
import { createReadBody } from "../http/body.ts";
import type { WireNames } from "../http/naming.ts";
import type { Limits } from "../limits/context.ts";
import { isPasswordPath, passwordKey } from "../limits/password-failures.ts";
import type { GatewayMetrics } from "../metrics.ts";
import type { Regions } from "../regions/context.ts";
import type { GatewaySettings, Live } from "../settings.ts";
import { ForwardedStreams } from "./event-streams.ts";
import type { ServiceFailure, ServicePlace } from "./service-agent.ts";

interface ForwardParts extends Pick<Base, "logger" | "tracer" | "shared"> {
  readonly settings: GatewaySettings;
  readonly live: Live;
  readonly names: WireNames;
  readonly addresses: RequestAddresses;
  readonly hooks: CallerHooks;
  readonly limits: Limits;
  readonly metrics: GatewayMetrics;
  readonly sharedClock: SharedClock;
  /** Undefined if there is one region only. */
  readonly regions: Regions | undefined;
}

interface RejectedByService {
  readonly callerIp: string;
  readonly session: string;
  readonly status: 401 | 403;
  readonly url: string | undefined;
}

/**
 * Takes a token of the failure budget, synchronously from the local bucket, when a service behind the gateway rejects credentials. A wrong
 * password (401) also takes one of the password budget; 403 means a correct password without a role. Resolves to 0, or to the milliseconds
 * until a token is available if there was none.
 */
function createOnRejected({ limits, live, metrics, logger }: ForwardParts) {
  const { budget, passwordBudget } = limits;
  return async ({ callerIp, session, status, url }: RejectedByService): Promise<number> => {
    const key = addressKey(callerIp, live.current.ipv6Prefix);
    const isWrongPassword = status === 401 && isPasswordPath(url);
    const spent = [budget.spend(key), ...(isWrongPassword ? [passwordBudget.spend(passwordKey(key))] : [])];
    const waitMs = Math.max(...(await Promise.all(spent)));
    // `client_ip` is the field's name in the log: here the address of the API caller.
    const fields = { session, transport: "http", client_ip: callerIp, reason: "bad_jwt_login", status };
    if (waitMs > 0) metrics.callerChecked("budget_exhausted");
    else logger.warn(fields, "caller rejected");
    return waitMs;
  };
}

/** A service of this process is reached by its socket, others by the URL of the configuration. */
function placeOf(service: AssertionAudience, { settings, shared }: ForwardParts): ServicePlace {
  const socketPath = shared.socketOf(service);
  if (socketPath === undefined) return { origin: settings.origins[service] };
  return { origin: `http://${service}`, socketPath, started: shared.allStarted };
}

/** What the routes of the services behind the gateway need. */
export function createForwarding(parts: ForwardParts) {
  const { settings, live, names, addresses, hooks, limits, metrics, sharedClock, regions, logger, tracer } = parts;
  const { callerAddress, isFromTrustedProxy } = addresses;
  const { servesPages, maxBodyBytes } = settings;
  const needOf = createNeedOf(settings.identifier);
  const actionOf = createForwardedActionOf();
  return {
    ...hooks,
    callerAuth: hooks.callerAuth({
      needOf: ({ method, raw }) => needOf(method, raw.url ?? ""),
      actionOf: ({ method, raw }) => actionOf(method, raw.url ?? ""),
    }),
    sign: createCallerSigner(settings.assertion, sharedClock),
    /** Paths on which the gateway does not check credentials, among those that accept them optionally. */
    publicPaths: () => live.current.publicHookPaths,
    onRejected: createOnRejected(parts),
    onFailed: (service: AssertionAudience, reason: ServiceFailure) => metrics.serviceFailed(service, reason),
    certificates: createClientCertificates(settings.certificateHeaders, isFromTrustedProxy, logger),
    streams: new ForwardedStreams(),
    callerAddress,
    regions,
    guesses: limits.guesses,
    strangersBodies: limits.strangersBodies,
    readBody: createReadBody(settings.decompression),
    servesConsole: settings.consoleAddresses.length > 0,
    timeoutMs: settings.forwardTimeoutMs,
    places: { admin: placeOf("admin", parts), idp: placeOf("idp", parts) },
    servesPages,
    maxBodyBytes,
    names,
    logger,
    tracer,
  };
}

export type ForwardDeps = ReturnType<typeof createForwarding>;
