import type { FindAccountNames } from "@postern/shared/domain/flush";
import type { DecisionHistory } from "@postern/shared/domain/history";
import { createRiskNames, createRiskReviews, createRiskStore } from "@postern/shared/domain/risk";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock as clock } from "@postern/shared/platform/time";
import type { ExplainDeps } from "../console/explain.ts";
import { createExplainRisk, type ExplainRisk } from "../console/explain-risk.ts";
import type { LiveAdminSettings } from "../settings.ts";

interface Parts {
  readonly live: { readonly current: LiveAdminSettings };
  readonly state: RedisClient;
  readonly history: DecisionHistory | undefined;
  readonly accountNames: FindAccountNames;
}

export interface RiskContext {
  readonly explainRisk: ExplainRisk;
  readonly holdOf: ExplainDeps["holdOf"];
}

const minuteMs = 60_000;

/** What engines know of the sign-ins of an account. */
export function createRiskContext({ storage }: Config, { live, state, history, accountNames }: Parts): RiskContext {
  const settings = () => live.current.risk;
  const reviews = createRiskReviews({
    store: createRiskStore(state, live.current.decisionTimeoutMs),
    names: createRiskNames(storage.redis.password_nonce),
    keyPrefix: storage.redis.prefix,
    settings,
    clock,
  });
  return {
    explainRisk: createExplainRisk({ reviews, history, accountNames, settings, clock }),
    holdOf: async (account) => {
      if (settings().mode !== "enforce") return undefined;
      const hold = (await reviews.facts(account))?.hold;
      const endMs = (hold?.untilMinute ?? 0) * minuteMs;
      return hold !== undefined && endMs > clock.now()
        ? { kind: hold.kind, end: new Date(endMs).toISOString() }
        : undefined;
    },
  };
}
