import { at, listAt, type Mapping, mappingAt, textAt } from "../deploy-check/tree.ts";

export interface Mount {
  readonly path: string;
  /** Files of a ConfigMap or Secret; undefined for an empty folder that the container may write to. */
  readonly files: Readonly<Record<string, string>> | undefined;
}

export interface PodContainer {
  readonly name: string;
  readonly command: readonly string[];
  /** Working folder, as the image sets it. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  /** Port and path of the readiness probe; without a path, a connection is enough. */
  readonly probe: { readonly port: number; readonly path: string };
}

export interface Pod {
  readonly name: string;
  /** Names by which other pods reach this one. */
  readonly hosts: readonly string[];
  readonly user: number;
  readonly group: number;
  readonly containers: readonly PodContainer[];
}

/** What the image's Dockerfile sets. */
const image = { entrypoint: ["node"], NODE_ENV: "production", SERVICE_CONFIG_FILE: "/etc/postern/config.yaml" };

type Lookup = (kind: string, name: string) => Mapping;

function filesOf(volume: Mapping, lookup: Lookup): Readonly<Record<string, string>> | undefined {
  const configMap = textAt(volume, "configMap", "name");
  const secret = textAt(volume, "secret", "secretName");
  if (configMap === "" && secret === "") return undefined;
  const data =
    configMap === ""
      ? mappingAt(lookup("Secret", secret), "stringData")
      : mappingAt(lookup("ConfigMap", configMap), "data");
  const items = listAt(volume, "secret", "items").map((item): [string, unknown] => [
    textAt(item, "path"),
    data[textAt(item, "key")],
  ]);
  const entries = items.length > 0 ? items : Object.entries(data);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

function environmentOf(container: Mapping, pod: string, lookup: Lookup): Readonly<Record<string, string>> {
  const fromMaps = listAt(container, "envFrom").flatMap((one) =>
    Object.entries(mappingAt(lookup("ConfigMap", textAt(one, "configMapRef", "name")), "data")),
  );
  const own = listAt(container, "env").map((one): [string, unknown] => {
    const { secretKeyRef, fieldRef } = mappingAt(one, "valueFrom");
    const secret = mappingAt(lookup("Secret", textAt(secretKeyRef, "name") || "none"), "stringData");
    const value = fieldRef === undefined ? secret[textAt(secretKeyRef, "key")] : pod;
    return [textAt(one, "name"), at(one, "value") ?? value];
  });
  return Object.fromEntries([...fromMaps, ...own].map(([name, value]) => [name, String(value)]));
}

function probeOf(container: Mapping): PodContainer["probe"] {
  const ports = listAt(container, "ports");
  const probe = mappingAt(container, "readinessProbe");
  const named = textAt(probe, "httpGet", "port") || textAt(probe, "tcpSocket", "port");
  const port = ports.find((one) => textAt(one, "name") === named) ?? ports[0];
  return { port: Number(textAt(port, "containerPort")), path: textAt(probe, "httpGet", "path") };
}

function containerOf(container: Mapping, volumes: readonly unknown[], pod: string, lookup: Lookup): PodContainer {
  const environment = environmentOf(container, pod, lookup);
  const expand = (text: string): string =>
    text.replaceAll(/\$\((\w+)\)/gu, (all, name: string) => environment[name] ?? all);
  const isOurs = textAt(container, "image").includes("postern:");
  const { entrypoint, ...defaults } = image;
  const command = listAt(container, "command").length > 0 ? listAt(container, "command") : entrypoint;
  return {
    name: textAt(container, "name"),
    command: [...command, ...listAt(container, "args")].map((word) => expand(String(word))),
    folder: isOurs ? "/app" : textAt(container, "image").startsWith("redis:") ? "/data" : "/",
    environment: { ...(isOurs ? defaults : {}), ...environment },
    mounts: listAt(container, "volumeMounts").map((mount) => {
      const volume = volumes.find((one) => textAt(one, "name") === textAt(mount, "name"));
      return { path: textAt(mount, "mountPath"), files: filesOf(mappingAt(volume), lookup) };
    }),
    probe: probeOf(container),
  };
}

/** The pods of rendered manifests, as a cluster would create them with the least replicas. Documents include the Secret. */
export function podsOf(documents: readonly unknown[]): readonly Pod[] {
  const lookup: Lookup = (kind, name) =>
    mappingAt(documents.find((one) => textAt(one, "kind") === kind && textAt(one, "metadata", "name") === name));
  const workloads = documents.filter((one) => ["Deployment", "StatefulSet"].includes(textAt(one, "kind")));
  return workloads.flatMap((one) => {
    const name = textAt(one, "metadata", "name");
    const least = textAt(lookup("HorizontalPodAutoscaler", name), "spec", "minReplicas");
    const replicas = Number(textAt(one, "spec", "replicas") || least || 1);
    const spec = mappingAt(one, "spec", "template", "spec");
    return Array.from({ length: replicas }, (_, index): Pod => {
      const pod = `${name}-${index}`;
      return {
        name: pod,
        hosts:
          textAt(one, "kind") === "StatefulSet"
            ? [`${pod}.${name}`, ...(index === 0 ? [name] : [])]
            : index === 0
              ? [name]
              : [],
        user: Number(textAt(spec, "securityContext", "runAsUser")),
        group: Number(textAt(spec, "securityContext", "fsGroup")),
        containers: listAt(spec, "containers").map((container) =>
          containerOf(mappingAt(container), listAt(spec, "volumes"), pod, lookup),
        ),
      };
    });
  });
}
