import { Type } from "typebox";
import { emptyAnswer, jsonAnswer } from "../openapi/answers.ts";
import { defineOperation, type Operation } from "../openapi/define-operation.ts";

const HealthReport = Type.Object(
  {
    status: Type.Union(["up", "degraded", "down", "starting", "draining"].map((status) => Type.Literal(status))),
    checks: Type.Record(Type.String(), Type.Union([Type.Literal("up"), Type.Literal("down")])),
  },
  { title: "HealthReport" },
);

const common = { tag: "Operation", audience: "management", method: "get" } as const;

export const gatewayOperations: readonly Operation[] = [
  defineOperation({
    ...common,
    path: "/ping",
    operationId: "ping",
    summary: "Whether the process answers",
    security: "none",
    answers: { 200: { description: "pong", content: { "text/plain": Type.Literal("pong") } } },
  }),
  defineOperation({
    ...common,
    path: "/healthz",
    operationId: "health",
    summary: "Whether it can serve, and what it depends on",
    security: "none",
    answers: {
      200: jsonAnswer("It serves: up or degraded.", HealthReport),
      503: jsonAnswer("It does not serve.", HealthReport),
    },
  }),
  defineOperation({
    ...common,
    path: "/metrics",
    operationId: "metrics",
    summary: "The gateway's metrics in the Prometheus text format",
    security: "metrics_basic",
    answers: {
      200: { description: "The metrics.", content: { "text/plain": Type.String() } },
      401: emptyAnswer("Credentials are asked for and are missing or wrong."),
      404: emptyAnswer("observability.metrics.endpoint_enabled is off."),
    },
  }),
];
