import { type Base, type EngineBus, keyRingFromConfig, type LiveDomains } from "@postern/shared/assembly";
import { authenticate } from "@postern/shared/contracts";
import type { Audit } from "@postern/shared/domain/audit";
import type { FindAccountNames } from "@postern/shared/domain/flush";
import type { Suspensions } from "@postern/shared/domain/suspensions";
import type { Config } from "@postern/shared/platform/config";
import { createCallerSigner, type SharedClock } from "@postern/shared/platform/http";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock as clock, steadyClock } from "@postern/shared/platform/time";
import { createAct } from "../operators/act.ts";
import { createAdmit } from "../operators/admit.ts";
import type { OperatorProofs } from "../operators/context.ts";
import type { EventStreams } from "../operators/event-streams.ts";
import { createFindOperator } from "../operators/operator.ts";
import {
  type ApiRequest,
  type ApiResponse,
  createOperatorApi,
  createStreamApi,
  createWriteRequest,
  type StreamFromOwn,
  sendTo,
} from "../operators/operator-api.ts";
import { createOperatorSessions, createSignInAttempts } from "../operators/operator-sessions-redis.ts";
import { createProvider } from "../operators/provider-http.ts";
import { createFindReach } from "../operators/reach.ts";
import { createRoleLookup } from "../operators/role-lookup.ts";
import { createSubjectHandles } from "../operators/subject-handles.ts";
import type { AdminSettings, LiveAdminSettings } from "../settings.ts";
import { createConsoleCookies } from "./console-cookies.ts";
import { createShowPage } from "./console-document.ts";
import { consoleSettings } from "./console-settings.ts";
import { consoleStyle } from "./console-style.ts";
import { liveScript } from "./live-script.ts";
import { createPreferenceCookies } from "./preferences/preference-cookies.ts";

interface ConsoleParts extends Pick<Base, "logger">, Pick<EngineBus, "bus">, OperatorProofs {
  readonly audit: Audit;
  readonly settings: AdminSettings;
  readonly live: { readonly current: LiveAdminSettings };
  readonly state: RedisClient;
  readonly consoleStreams: EventStreams;
  readonly sharedClock: SharedClock;
  readonly suspensions: Pick<Suspensions, "find">;
  readonly accountNames: FindAccountNames;
  readonly domains: LiveDomains;
}

/** How a request reaches the management interface of this process. */
export interface OwnApi {
  readonly send: (request: ApiRequest) => Promise<ApiResponse>;
  readonly stream: StreamFromOwn;
}

const apiTimeoutMs = 20_000;

/** Undefined if the console is off. */
export async function createConsole(config: Config, parts: ConsoleParts) {
  const settings = consoleSettings(config);
  const keys = keyRingFromConfig(config, "console");
  if (settings === undefined || keys === undefined) return undefined;
  const { audit, logger, bus, live, state: redis, consoleStreams: streams, suspensions } = parts;
  const { origin, name, idpUrl, assertionTtlSeconds: ttlSeconds } = settings;
  const helpdesk = () => live.current.console.helpdesk;
  const style = consoleStyle(settings.accent);
  const stores = { redis, keyPrefix: config.storage.redis.prefix, keys, clock };
  const sessions = createOperatorSessions(stores);
  const findRole = createRoleLookup(
    parts.readRight,
    (request, context) => bus.request(authenticate, request, context),
    () => live.current.decisionTimeoutMs,
    steadyClock,
  );
  const findReach = createFindReach(findRole, parts.accountNames, () => parts.domains.current);
  const sign = createCallerSigner({ secret: parts.settings.assertionSecret, ttlSeconds }, parts.sharedClock);
  const writeRequest = createWriteRequest(sign, parts.settings.identifier, helpdesk);
  return (own: OwnApi) => {
    const ask = createOperatorApi(writeRequest, { admin: own.send, idp: sendTo(idpUrl, apiTimeoutMs) });
    return {
      origin,
      show: createShowPage(origin, name, style.path),
      assets: [style, liveScript],
      streams,
      cookies: createConsoleCookies(origin),
      preferenceCookies: createPreferenceCookies(origin),
      sessions,
      attempts: createSignInAttempts(stores),
      provider: createProvider({ ...settings, logger }),
      findRole,
      admit: createAdmit(parts),
      findReach,
      findOperator: createFindOperator(sessions, findRole, (account) => suspensions.find(account) !== undefined, clock),
      ask,
      stream: createStreamApi(writeRequest, own.stream),
      act: createAct(findReach, ask, audit, helpdesk),
      handles: createSubjectHandles(keys, clock),
      helpdesk,
      audit,
      clock,
      logger,
    };
  };
}

/** What the pages of the console need. */
export type ConsolePagesDeps = ReturnType<NonNullable<Awaited<ReturnType<typeof createConsole>>>>;
