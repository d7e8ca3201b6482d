import { type AssertionAudience, type Caller, createCallerSigner } from "@postern/shared/platform/http";
import { addressKey } from "@postern/shared/platform/net";
import type { FastifyReply } from "fastify";
import type { CallerHooks } from "../callers/context.ts";
import { createForwardedActionOf, createNeedOf } from "../callers/demands.ts";
import { createClientCertificates } from "../connection/certificates.ts";
import type { Foundation } from "../foundation.ts";
import { createReadBody } from "../http/body.ts";
import type { Limits } from "../limits/context.ts";
import { isPasswordPath, passwordKey } from "../limits/password-failures.ts";
import type { ServicePlace } from "./service-agent.ts";

/**
 * Takes a token of the failure budget, synchronously from the local bucket, when a service behind the gateway rejects credentials. A wrong
 * password (401) also takes one of the password budget; 403 means a correct password without a role. Resolves to 0, or to the milliseconds
 * until a token is available if there was none.
 */
function createOnRejected({ live, counts, logger }: Foundation, { budget, passwordBudget }: Limits) {
  return async (
    { clientIp: callerIp, session }: Caller,
    status: 401 | 403,
    url: string | undefined,
  ): Promise<number> => {
    const key = addressKey(callerIp, live.current.ipv6Prefix);
    const isWrongPassword = status === 401 && isPasswordPath(url);
    const spent = [budget.spend(key), ...(isWrongPassword ? [passwordBudget.spend(passwordKey(key))] : [])];
    const waitMs = Math.max(...(await Promise.all(spent)));
    // `client_ip` is the field's name in the log: here the address of the API caller.
    const fields = { session, transport: "http", client_ip: callerIp, reason: "bad_jwt_login", status };
    if (waitMs > 0) counts.callerChecked("budget_exhausted");
    else logger.warn(fields, "caller rejected");
    return waitMs;
  };
}

const isEventStream = (reply: FastifyReply): boolean =>
  String(reply.raw.getHeader("content-type")).startsWith("text/event-stream");

/** Forwarded responses of admin. Those that are streams of events do not end by themselves, and a shutdown would wait for them. */
class ForwardedStreams {
  readonly #open = new Set<FastifyReply>();
  #hasEnded = false;

  add(reply: FastifyReply): void {
    this.#open.add(reply);
    reply.raw.once("close", () => this.#open.delete(reply));
    if (this.#hasEnded) reply.raw.once("pipe", () => isEventStream(reply) && reply.raw.destroy());
  }

  /** At shutdown: ends the streams. Browsers connect again, to another gateway or to the next process. */
  end(): void {
    this.#hasEnded = true;
    for (const reply of this.#open) if (isEventStream(reply)) reply.raw.destroy();
  }
}

/** A service of this process is reached by its socket, others by the URL of the configuration. */
function placeOf(service: AssertionAudience, { settings, shared }: Foundation): ServicePlace {
  const socketPath = shared.socketOf(service);
  if (socketPath === undefined) return { origin: settings.origins[service] };
  return { origin: `http://${service}`, socketPath, started: shared.allStarted };
}

/** What the routes of the services behind the gateway need. */
export function createForwarding(foundation: Foundation, hooks: CallerHooks, limits: Limits) {
  const { settings, addresses, sharedClock, logger } = foundation;
  const needOf = createNeedOf(settings.identifier);
  const actionOf = createForwardedActionOf();
  return {
    ...foundation,
    ...limits,
    ...hooks,
    callerAuth: hooks.callerAuth({
      needOf: ({ method, raw }) => needOf(method, raw.url ?? ""),
      actionOf: ({ method, raw }) => actionOf(method, raw.url ?? ""),
    }),
    sign: createCallerSigner(settings.assertion, sharedClock),
    onRejected: createOnRejected(foundation, limits),
    certificates: createClientCertificates(settings.certificateHeaders, addresses.isFromTrustedProxy, logger),
    streams: new ForwardedStreams(),
    readBody: createReadBody(settings.decompression),
    places: { admin: placeOf("admin", foundation), idp: placeOf("idp", foundation) },
  };
}

export type ForwardDeps = ReturnType<typeof createForwarding>;
