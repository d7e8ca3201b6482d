import { randomUUID } from "node:crypto";
import type { AttributeFilter } from "@postern/shared/domain/released-attributes";
import { busHealth } from "@postern/shared/platform/bus";
import { createResponseDelays } from "@postern/shared/platform/concurrency";
import type { Config } from "@postern/shared/platform/config";
import { createHealth, type SharedByProcess } from "@postern/shared/platform/lifecycle";
import { redisHealth } from "@postern/shared/platform/redis";
import { steadyClock } from "@postern/shared/platform/time";
import { createAuth } from "./auth/context.ts";
import { createCallerHooks } from "./callers/context.ts";
import { createChannels, ListenerDomains } from "./connection/channels.ts";
import { createAttributeHeaders } from "./dialects/attribute-headers.ts";
import { createDovecot } from "./dovecot/context.ts";
import { createFoundation, type Foundation } from "./foundation.ts";
import { createForwarding } from "./internal-services/context.ts";
import { limitsOnTheBus } from "./limits/context.ts";
import { createAccountPages } from "./list-accounts/account-pages.ts";
import { createPublicStatus } from "./public-status/context.ts";
import { createUpstreams } from "./upstream-health/context.ts";

/** The health of this gateway for load balancers and operators. Without Redis the gateway is degraded but serves requests. */
function createGatewayHealth({ service, instance, logger, bus, state, settings }: Foundation) {
  const { keyPrefix } = settings;
  return createHealth({
    checks: [
      busHealth(bus, true),
      redisHealth({ client: state, role: "state", required: false, keyPrefix, service, instance }),
    ],
    onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
  });
}

/** Constructs all components of the gateway, with the `context.ts` of each feature. */
export async function createContext(config: Config, shared: SharedByProcess) {
  const foundation = await createFoundation(config, shared);
  const { settings, live, names, bus } = foundation;
  const limits = limitsOnTheBus(foundation);
  const hooks = createCallerHooks(foundation, limits);
  const responseDelays = createResponseDelays();
  const accountPages = createAccountPages(bus, steadyClock, () => live.current.decisionTimeoutMs);
  const releasable: AttributeFilter = (attributes) => live.current.releasable(attributes);
  const health = createGatewayHealth(foundation);
  const auth = createAuth(foundation, limits, accountPages, responseDelays);
  return {
    ...foundation,
    hooks,
    channels: createChannels(names, settings.frontAddresses.length > 0),
    listenerDomains: new ListenerDomains(),
    health,
    /** Undefined if the site does not show its status. */
    publicStatus: createPublicStatus(foundation, health),
    releasable,
    attributeHeaders: createAttributeHeaders(names, releasable),
    accountPages,
    upstreams: createUpstreams(foundation),
    /** Delayed responses for accounts under attack. */
    responseDelays,
    auth,
    dovecot: createDovecot(foundation, limits),
    forward: createForwarding(foundation, hooks, limits),
    newSession: (): string => randomUUID(),
  };
}

export type GatewayContext = Awaited<ReturnType<typeof createContext>>;
