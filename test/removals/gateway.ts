import type { Removal } from "../../tools/removals/removal.ts";

const serviceAgent = "services/gateway/src/internal-services/service-agent.ts";
const frozenReplica = "test/long/outages/frozen-replica.test.ts";

/** The gateway: callers, limits, and the services behind it. */
export const gatewayRemovals: readonly Removal[] = [
  {
    name: "frozen-owner",
    mechanism: "requests to an owner that answers no probe are given up",
    file: "services/gateway/src/internal-services/service-watch.ts",
    find: "      if (probing.ticksLeft === 0) this.#giveUp();\n",
    replace: "      if (probing.ticksLeft === -1_000_000) this.#giveUp();\n",
    tests: ["test/integration/gateway/frozen-owners.slow.test.ts"],
    rows: ["idp or admin frozen: 500 on its paths"],
  },
  {
    name: "long-forward-timeout",
    mechanism: "a forwarded request whose response does not begin within 30 s fails",
    file: serviceAgent,
    find: "      headersTimeout: timeoutMs,\n",
    replace: "",
    tests: [frozenReplica],
    pattern: "otherwise they fail after 30 s",
    rows: ["one of two replicas of idp or admin frozen, behind a proxy"],
  },
  {
    name: "long-several-probes",
    mechanism: "an owner is probed over several connections, so that each of its replicas receives one",
    file: serviceAgent,
    find: "const connectionsOfProbe = 3;",
    replace: "const connectionsOfProbe = 1;",
    tests: [frozenReplica],
    pattern: "otherwise they fail after 30 s",
    rows: ["one of two replicas of idp or admin frozen, behind a proxy"],
  },
  {
    name: "graceful-stop",
    mechanism: "a listener that closes answers what clients may already have sent",
    file: "libs/shared/src/platform/http/closing-server.ts",
    find: "const quietMs = 200;",
    replace: "const quietMs = 0;",
    tests: ["test/integration/gateway/graceful-stop.slow.test.ts"],
    rows: ["a gateway, SIGTERM under keep-alive load"],
  },
  {
    name: "concurrency-limit",
    mechanism: "requests above `max_concurrent_requests` are refused",
    file: "services/gateway/src/limits/concurrency.ts",
    find: "      if (inside >= limit) {",
    replace: "      if (inside >= limit * 1000) {",
    tests: ["test/integration/callers/limits.test.ts"],
    rows: ["more requests than `max_concurrent_requests`"],
  },
  {
    name: "shared-budget",
    mechanism: "gateways take tokens of the failure budget in Redis",
    file: "services/gateway/src/limits/shared-budget-redis.ts",
    find: "      if (!isUnavailable()) return attempt(addressKey, rate);\n",
    replace: "      if (!isUnavailable()) return undefined;\n",
    tests: ["test/integration/callers/budget.test.ts"],
    rows: ["guessing from one address through two gateways"],
  },
  {
    name: "budget-without-redis",
    mechanism: "a gateway whose failure Redis did not count counts on its own, and says so",
    file: "services/gateway/src/limits/shared-budget-redis.ts",
    find: "      if (!isUnavailable()) onUnavailable(reason);\n      breaker.failed();\n",
    replace: "      void [reason, onUnavailable];\n",
    tests: ["test/integration/callers/redis-unavailable.test.ts"],
    rows: ["failure budgets: each gateway counts on its own and reports it"],
  },
  {
    name: "unknown-is-503",
    mechanism: "a token whose revocation cannot be read is undecided, not invalid",
    file: "services/gateway/src/callers/bearer.ts",
    find: `      return "unavailable";\n`,
    replace: `      return "bad_token";\n`,
    tests: ["test/integration/callers/bearer.test.ts"],
    rows: ["Bearer callers receive 503 with `Retry-After`, never 401"],
  },
];
