import { expect, test } from "vitest";
import { podsOf } from "./pod.ts";

const container = {
  name: "one",
  image: "nats:2",
  command: ["serve"],
  args: ["--token", "$(TOKEN)", "$(UNKNOWN)"],
  envFrom: [{ configMapRef: { name: "settings" } }],
  env: [
    { name: "TOKEN", valueFrom: { secretKeyRef: { name: "secrets", key: "token" } } },
    { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
  ],
  ports: [
    { name: "main", containerPort: 4222 },
    { name: "monitor", containerPort: 8222 },
  ],
  readinessProbe: { httpGet: { path: "/healthz", port: "monitor" } },
  volumeMounts: [
    { name: "data", mountPath: "/data" },
    { name: "secrets", mountPath: "/run/secrets" },
  ],
};
const volumes = [{ name: "secrets", secret: { secretName: "secrets", items: [{ key: "token", path: "the-token" }] } }];
const workload = {
  kind: "StatefulSet",
  metadata: { name: "nats" },
  spec: {
    replicas: 2,
    template: { spec: { securityContext: { runAsUser: 7, fsGroup: 8 }, containers: [container], volumes } },
  },
};
const documents = [
  workload,
  { kind: "ConfigMap", metadata: { name: "settings" }, data: { COLOUR: "blue" } },
  { kind: "Secret", metadata: { name: "secrets" }, stringData: { token: "t1" } },
];

test("a container has its command, variables, mounts and probe as in a cluster", () => {
  const [, second] = podsOf(documents);
  expect(second).toEqual({
    name: "nats-1",
    hosts: ["nats-1.nats"],
    user: 7,
    group: 8,
    containers: [
      {
        name: "one",
        command: ["serve", "--token", "t1", "$(UNKNOWN)"],
        folder: "/",
        environment: { COLOUR: "blue", TOKEN: "t1", POD: "nats-1" },
        mounts: [
          { path: "/data", files: undefined },
          { path: "/run/secrets", files: { "the-token": "t1" } },
        ],
        probe: { port: 8222, path: "/healthz" },
      },
    ],
  });
});

test("an autoscaled deployment has its least replicas, and one otherwise", () => {
  const deployment = { ...workload, kind: "Deployment", spec: { template: workload.spec.template } };
  const scaler = { kind: "HorizontalPodAutoscaler", metadata: { name: "nats" }, spec: { minReplicas: 3 } };
  expect(podsOf([deployment, ...documents.slice(1)]).map(({ hosts }) => hosts)).toEqual([["nats"]]);
  expect(podsOf([deployment, scaler, ...documents.slice(1)])).toHaveLength(3);
});
