import type { Base } from "@postern/shared/assembly";
import type { Suspensions } from "@postern/shared/domain/suspensions";
import type { Config } from "@postern/shared/platform/config";
import type { KeyRing } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import type { RedisClient } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import type { AccountDomains } from "../domains/account-domains.ts";
import { createFlowGate } from "../flow/flow-gate.ts";
import { createFlowStarter, type FlowStarter } from "../flow/flow-starter.ts";
import { createFlowStore } from "../flow/flow-store-redis.ts";
import { createSitePages } from "../pages/context.ts";
import type { SessionStore } from "../sessions/session-store-redis.ts";

/** What the features with pages are built from. */
export interface PageParts {
  readonly config: Config;
  readonly base: Base;
  readonly state: RedisClient;
  /** The clock of Redis, for the times of what replicas share. */
  readonly sharedClock: Clock;
  /** Accounts that operators have suspended. */
  readonly suspensions: Pick<Suspensions, "find" | "read">;
  readonly domains: AccountDomains;
}

/** What every page needs: the site's look, the browser's flow and its session. */
export function createVisitContext(
  { config, base, state, sharedClock, domains }: PageParts,
  sessions: SessionStore,
  flowKeys: KeyRing,
) {
  const pages = createSitePages(config, async (name) => (await domains.of(name))?.record, base.logger);
  const flows = createFlowStore(state, config.storage.redis.prefix, flowKeys, sharedClock);
  return {
    pages,
    sessions,
    domains,
    gate: createFlowGate(flows),
    starts: createFlowStarter(flows, pages.cookies, sharedClock),
    logger: base.logger,
    audit: base.audit,
    nowMs: (): number => sharedClock.now(),
    /** Timeout of one request to an engine. */
    decisionTimeoutMs: (): number => config.runtime.timeouts.decision,
  };
}

/** Starts flows on pages that are built after what starts them. */
export function starterOf(starts: () => FlowStarter | undefined): FlowStarter {
  return {
    startOidc: async (request, response, flow) => {
      const found = starts();
      if (found === undefined) throw new AppError("CONFIG_INVALID", { detail: "identity.frontend is disabled" });
      return found.startOidc(request, response, flow);
    },
  };
}

export type VisitContext = ReturnType<typeof createVisitContext>;
