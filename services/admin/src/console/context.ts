import { keyRingFromConfig } from "@postern/shared/assembly";
import { authenticate } from "@postern/shared/contracts";
import type { Audit } from "@postern/shared/domain/audit";
import type { Config } from "@postern/shared/platform/config";
import { createCallerSigner } from "@postern/shared/platform/http";
import { systemClock as clock, steadyClock } from "@postern/shared/platform/time";
import type { AdminParts } from "../admin-parts.ts";
import { createAct } from "../operators/act.ts";
import { createAdmit } from "../operators/admit.ts";
import type { OperatorProofs } from "../operators/context.ts";
import { createFindOperator } from "../operators/operator.ts";
import { createOperatorApi, createWriteRequest, type OwnApi, sendTo } from "../operators/operator-api.ts";
import { createOperatorSessions, createSignInAttempts } from "../operators/operator-sessions-redis.ts";
import { createProvider } from "../operators/provider-http.ts";
import { createFindReach } from "../operators/reach.ts";
import { createRoleLookup } from "../operators/role-lookup.ts";
import { createSubjectHandles } from "../operators/subject-handles.ts";
import type { Suspending } from "../suspensions/context.ts";
import { createConsoleCookies, createPreferenceCookies } from "./console-cookies.ts";
import { createShowPage } from "./console-document.ts";
import { consoleSettings } from "./console-settings.ts";
import { consoleStyle } from "./console-style.ts";
import { liveScript } from "./live-script.ts";

const apiTimeoutMs = 20_000;

/** Undefined if the console is off. */
export function createConsole(config: Config, parts: AdminParts & OperatorProofs & Suspending) {
  const settings = consoleSettings(config);
  const keys = keyRingFromConfig(config, "console");
  if (settings === undefined || keys === undefined) return undefined;
  const audit: Audit = parts.audit;
  const { logger, bus, live, state: redis, keyPrefix, consoleStreams: streams, suspensions } = parts;
  const { origin, name, idpUrl, assertionTtlSeconds: ttlSeconds } = settings;
  const helpdesk = () => live.current.console.helpdesk;
  const style = consoleStyle(settings.accent);
  const stores = { redis, keyPrefix, keys, clock };
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
    const { ask, stream } = createOperatorApi(writeRequest, own, sendTo(idpUrl, apiTimeoutMs));
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
      stream,
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
export type ConsolePagesDeps = ReturnType<NonNullable<ReturnType<typeof createConsole>>>;
