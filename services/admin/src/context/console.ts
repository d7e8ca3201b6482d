import { type Base, type EngineBus, keyRingFromConfig } from "@postern/shared/assembly";
import { authenticate } from "@postern/shared/contracts";
import type { Config } from "@postern/shared/platform/config";
import { createCallerSigner } from "@postern/shared/platform/http";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock as clock } from "@postern/shared/platform/time";
import { consoleSettings } from "../console-settings.ts";
import { createAct } from "../operators/act.ts";
import { createFindOperator } from "../operators/operator.ts";
import { type ApiRequest, type ApiResponse, createOperatorApi, sendTo } from "../operators/operator-api.ts";
import { createOperatorSessions, createSignInAttempts } from "../operators/operator-sessions-redis.ts";
import { createProvider } from "../operators/provider-http.ts";
import { createRoleLookup } from "../operators/role-lookup.ts";
import { createShowPage } from "../pages/console-document.ts";
import { consoleStyle } from "../pages/console-style.ts";
import { createConsoleCookies } from "../routes/console-pages/console-cookies.ts";
import type { ConsolePagesDeps } from "../routes/console-pages/deps.ts";
import type { AdminSettings, LiveAdminSettings } from "../settings.ts";

interface ConsoleParts extends Pick<Base, "audit" | "logger">, Pick<EngineBus, "bus"> {
  readonly settings: AdminSettings;
  readonly live: { readonly current: LiveAdminSettings };
  readonly state: RedisClient;
}

/** How a request reaches the management interface of this process. */
export type SendToOwn = (request: ApiRequest) => Promise<ApiResponse>;

export type CreateConsolePages = (sendToOwn: SendToOwn) => ConsolePagesDeps;

const apiTimeoutMs = 20_000;

/** Undefined if the console is off. */
export function createConsole(config: Config, parts: ConsoleParts): CreateConsolePages | undefined {
  const settings = consoleSettings(config);
  const keys = keyRingFromConfig(config, "console");
  if (settings === undefined || keys === undefined) return undefined;
  const { audit, logger, bus, live, state: redis } = parts;
  const { origin, name, idpUrl, assertionTtlSeconds: ttlSeconds } = settings;
  const helpdesk = () => live.current.console.helpdesk;
  const style = consoleStyle(settings.accent);
  const stores = { redis, keyPrefix: config.storage.redis.prefix, keys, clock };
  const sessions = createOperatorSessions(stores);
  const findRole = createRoleLookup({
    settings: () => live.current.console.roles,
    decide: (request, context) => bus.request(authenticate, request, context),
    timeoutMs: () => live.current.decisionTimeoutMs,
    clock,
  });
  const sign = createCallerSigner({ secret: parts.settings.assertionSecret, ttlSeconds });
  return (sendToOwn) => {
    const send = { admin: sendToOwn, idp: sendTo(idpUrl, apiTimeoutMs) };
    const ask = createOperatorApi({ sign, send, identifier: parts.settings.identifier, helpdesk });
    return {
      origin,
      show: createShowPage({ origin, name, stylesheet: style.path }),
      style,
      cookies: createConsoleCookies(origin),
      sessions,
      attempts: createSignInAttempts(stores),
      provider: createProvider({ ...settings, logger }),
      findRole,
      findOperator: createFindOperator({ sessions, findRole, clock }),
      ask,
      act: createAct({ findRole, ask, audit, helpdesk }),
      helpdesk,
      audit,
      clock,
      logger,
    };
  };
}
