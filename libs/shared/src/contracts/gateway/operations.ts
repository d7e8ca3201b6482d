import { Type } from "typebox";
import { page, withLanguage } from "../idp/page-operation.ts";
import { emptyAnswer, jsonAnswer } from "../operations/answers.ts";
import { operationsWith } from "../operations/define-operation.ts";
import { defineFamily } from "../operations/route-family.ts";
import { component, oneOf, time } from "../schema.ts";

const HealthReport = component("HealthReport", {
  status: oneOf("up", "degraded", "down", "starting", "draining"),
  checks: Type.Record(Type.String(), oneOf("up", "down")),
});

const health = { owner: "gateway", channel: "both" } as const;
const ping = defineFamily({ ...health, name: "liveness", prefix: "/ping" });
const healthz = defineFamily({ ...health, name: "health", prefix: "/healthz" });
const metrics = defineFamily({ name: "metrics", prefix: "/metrics", owner: "gateway", channel: "back" });
const status = defineFamily({ name: "public status", prefix: "/status", owner: "gateway", channel: "front" });
const statusJson = defineFamily({ ...status, name: "public status as JSON", prefix: "/status.json" });

/** For customers: without names, numbers and causes. */
const PublicStatus = Type.Union(
  [
    Type.Object({ status: Type.Literal("works") }),
    Type.Object({ status: Type.Literal("degraded"), since: time("When the gateway noticed it, to the minute.") }),
  ],
  { title: "PublicStatus" },
);

const operators = operationsWith({ family: ping, tag: "Operation", audience: "management", security: "none" });
const customers = operationsWith({ family: status, tag: "Operation", audience: "idp", security: "none" });

export const gatewayOperations = [
  operators("get", "/ping", "ping", {
    summary: "Check that the gateway is alive",
    answers: { 200: { description: "pong", content: { "text/plain": Type.Literal("pong") } } },
  }),
  operators("get", "/healthz", "health", {
    family: healthz,
    summary: "Check whether the gateway can serve requests, with the state of its dependencies",
    answers: {
      200: jsonAnswer("Requests are served: up or degraded.", HealthReport),
      503: jsonAnswer("Requests cannot be served.", HealthReport),
    },
  }),
  operators("get", "/metrics", "metrics", {
    family: metrics,
    summary: "Get the gateway's metrics in the Prometheus text format",
    security: "metrics_basic",
    answers: {
      200: { description: "The metrics.", content: { "text/plain": Type.String() } },
      401: emptyAnswer("Credentials are required and are missing or wrong."),
      404: emptyAnswer("observability.metrics.endpoint_enabled is false."),
    },
  }),
  withLanguage(
    customers("get", "/status", "statusPage", {
      summary: "Show customers whether sign-in works",
      answers: { 200: page("Whether sign-in works, and since when it has been degraded.") },
    }),
    {
      summary: "Show customers whether sign-in works, in a given language",
      answers: { 200: page("The page."), 404: emptyAnswer("The path segment is not a language tag.") },
    },
  ),
  customers("get", "/status.json", "publicStatus", {
    family: statusJson,
    summary: "Read whether sign-in works",
    answers: { 200: jsonAnswer("Whether sign-in works.", PublicStatus) },
  }),
];
