import { messages } from "../messages.ts";
import { validateBackendEntry } from "./auth-backends.ts";
import { checkEncryption, type Judgement } from "./checks.ts";
import { choice, decimal, duration, flag, integer, liveSection, texts } from "./fields.ts";
import type { Config } from "./root.ts";

/** Backends that are asked beside those that decide (ADR 0263). */
export const Shadow = liveSection(
  "Other backends that get a share of the requests after the answer was sent, to compare what they say. They never change an answer, a counter or a cache.",
  {
    order: texts(
      "Backends in the order in which they are queried: `sql`, `sql(pool)`, `ldap` or `ldap(pool)`, with pools and searches of auth.backends. They get connections of their own. If empty, nothing is compared.",
    ),
    percent: decimal(100, "Share of the requests that are compared, chosen at random.", { maximum: 100, unit: "%" }),
    protocols: texts("Protocols whose requests are compared. If empty, those of all protocols are.", {
      form: "protocol",
    }),
    domains: texts("Domains of the user names whose requests are compared. If empty, those of all domains are."),
    passwords: choice(
      ["none", "accepted", "all"],
      "Passwords that these backends get: none, so that accounts are only looked up; those that auth.backends accepted; or all, wrong ones too, which may lock accounts in the new directory. After a password that they refused, an engine only looks the account up for an hour.",
    ),
    second_factors: flag(
      "Whether the kinds of second factors are compared too. It costs a query of the deciding backend for each request.",
    ),
    ignore_attributes: texts("Names of attributes that are not compared, in any letter case."),
    timeout: duration("5s", "Time after which a request is no longer compared, its wait included.", {
      minimum: 100,
      maximum: 60_000,
    }),
    concurrency: integer(8, "Number of requests of an engine that are compared at the same time.", {
      minimum: 1,
      maximum: 256,
    }),
    queue_length: integer(
      256,
      "Number of requests that wait, each with its password if the backends get it. Further ones are not compared, and counted.",
      { maximum: 10_000 },
    ),
  },
);

const path = "auth.shadow.order";

/** `sql` and `sql(default)` are the same database. */
function normalEntry(entry: string): string {
  const text = entry.trim();
  return text === "sql(default)" ? "sql" : text;
}

export function validateShadow(config: Config, judgement: Judgement): void {
  const { order, domains } = config.auth.shadow;
  if (order.length === 0) return;
  const live = config.auth.backends.order.map(normalEntry).filter((entry) => entry !== "cache");
  const shadow = order.map(normalEntry);
  order.forEach((entry, index) => {
    const at = `${path}[${index}]`;
    const kind = entry.trim();
    // Scripts may have effects, and share their threads with those that decide.
    if (kind === "lua" || kind === "cache") judgement.problem(at, messages.shadowUnknown(kind), messages.shadowHint);
    else if (shadow.indexOf(normalEntry(entry)) < index) judgement.problem(at, messages.backendTwice(entry));
    else validateBackendEntry(config, judgement, { entry, at });
  });
  if (shadow.join() === live.join()) judgement.problem(path, messages.shadowIsLive);
  // Without a pool, `ldap` queries the pools of all searches.
  const isQueried = live.includes("ldap") && shadow.some((entry) => entry.startsWith("ldap("));
  if (isQueried) judgement.problem(path, messages.shadowIsQueried);
  domains.forEach((domain, index) => {
    if (domain === "" || domain.includes("@"))
      judgement.problem(`auth.shadow.domains[${index}]`, messages.shadowDomain);
  });
  checkEncryption(config.storage.redis, `${path} is not empty`, judgement);
}
