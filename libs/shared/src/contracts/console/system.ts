import { type Static, Type } from "typebox";
import { JobRecord } from "../admin/flush-operations.ts";
import { RegionList } from "../admin/region-operations.ts";
import {
  component,
  flag,
  integer,
  object,
  optional,
  optionalCount,
  optionalFlag,
  records,
  text,
  texts,
  time,
} from "../schema.ts";
import { Sentence } from "./records.ts";

const state = (description = "up, down or unknown.") => text(description);

const Instance = Type.Object({
  instance: text("Identifier of the process among its replicas."),
  version: Type.String(),
  status: text("up, degraded, down, starting, or unknown: it did not answer, and may be gone or hung."),
  started: time("Start of the process."),
  heard: time("Time of its last answer."),
  failed_checks: texts("Health checks that failed, such as redis_state."),
  configuration: Type.Object({
    digest: text("Equal in all processes with the same configuration."),
    loaded: time("Start, or last reload."),
    changed: texts("Keys that reloads changed since the start."),
    needs_restart: texts("Those of them that wait for a restart."),
    refused: optional(
      object("The last reload, if its configuration was refused. The previous configuration stays in effect.", {
        time: time("Time of the reload."),
        reason: text("What is wrong with that configuration."),
      }),
    ),
  }),
});

const Service = Type.Object({
  service: text("gateway, auth-engine, idp, admin or jobs-worker."),
  state: state("up, degraded, down, or unknown: no process answered."),
  instances: Type.Array(Instance),
});

const Finding = Type.Object({
  severity: text("problem or warning."),
  subject: text("What it is about, such as `service idp` or `redis state`."),
  text: text("What is wrong, in a sentence."),
  sentence: Type.Optional(Sentence),
});
export type SystemFinding = Static<typeof Finding>;

const Queue = Type.Object({
  name: text("flush or notifications."),
  state: state("up, or unknown."),
  waiting: optionalCount("Jobs that wait for a worker."),
  active: optionalCount("Jobs in progress."),
  delayed: optionalCount("Jobs that failed and wait for their next attempt."),
  failed: optionalCount("Jobs that failed permanently."),
});

/** The state of the site as admin sees it. A part whose source does not answer is `unknown`. */
export const SystemReport = component("SystemReport", {
  time: time("Time of the report."),
  state: state("up, degraded, or down: sign-ins through mail servers do not work."),
  verdict: text("The state in a sentence."),
  sentence: Type.Optional(Sentence),
  findings: Type.Array(Finding, { description: "What is wrong, problems first. Empty if nothing is." }),
  services: Type.Array(Service),
  engines: Type.Object({
    state: state("up, down (no heartbeat arrives), or unknown (without NATS)."),
    heard: optionalCount("Engines whose heartbeat arrived within the last second."),
  }),
  backends: Type.Array(
    Type.Object({
      name: Type.String(),
      state: state("up, down (for at least one engine), or unknown."),
      down_at: texts("Engines that cannot use it."),
      of_domains: optionalFlag("True if only records of domains name it, whose users alone need it."),
    }),
  ),
  redis: Type.Array(
    Type.Object({
      role: text("state, queue or cache."),
      state: state("up or down."),
      latency_ms: Type.Optional(Type.Number({ description: "Time of a round trip." })),
      used_bytes: optionalCount("Memory in use."),
      max_bytes: optionalCount("maxmemory; 0: no limit."),
    }),
  ),
  nats: Type.Object({
    state: state("up or down."),
    latency_ms: Type.Optional(Type.Number({ description: "Time of a round trip." })),
  }),
  /** Absent without `runtime.regions.name`, and while Redis does not answer. */
  regions: Type.Optional(RegionList),
  queues: Type.Array(Queue),
  jobs: Type.Array(JobRecord, { description: "Flush jobs in progress, waiting and ended, at most 20." }),
  configuration: Type.Object({
    digest: text("Of the configuration in effect in admin."),
    loaded: time("Start of admin, or its last reload."),
    changed: texts("Keys that reloads changed since the start of admin."),
    needs_restart: texts("Keys that wait for a restart of any process."),
    is_uniform: flag("Whether all processes that answered have this configuration."),
  }),
  expiries: records("Certificates, those that end first, first.", {
    name: text("Key of the configuration with the path of the certificate, or a description of the certificate."),
    end: time("End of validity."),
    days: integer("Days until then; negative after it."),
  }),
  signing_keys: optional(
    records("Signing keys of the identity provider. Absent if no process of it has reported any.", {
      name: text("OIDC and the `kid`, or SAML."),
      created: optional(time("When it was created, for SAML a day before. Absent for keys of the configuration.")),
      age_days: optionalCount("Whole days since then."),
      signs: texts("What it signs now, such as RS256. Empty: it only verifies."),
      signs_from: optional(time("When a key that is already published will sign.")),
    }),
  ),
  scripts: records("Scripts of the site that are compiled now.", {
    file: Type.String(),
    services: texts("Where it is loaded."),
  }),
});
export type SystemReport = Static<typeof SystemReport>;
