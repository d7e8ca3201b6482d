import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { isServiceName, loopbackAddresses, serviceNames, servicePorts } from "../../cli/src/config/ports.ts";
import { literalsOf, loadDeployed, secretFiles } from "./load-deployed.ts";
import { at, isMapping, listAt, mappingAt, textAt } from "./tree.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const parsed = (path: string): unknown => parse(read(path), { merge: true });

const composeConfig = loadDeployed(join(root, "config/compose.yaml"));
const baseConfig = loadDeployed(join(root, "k8s/base/config.yaml"));
const isManifest = (file: string): boolean => !/\/(config|kustomization|prometheus-adapter)\.yaml$/u.test(file);
const manifests = globSync("k8s/**/*.yaml", { cwd: root })
  .filter(isManifest)
  .flatMap((file) => parseAllDocuments(read(file)).map((one) => ({ file, document: one.toJS() as unknown })));
const inBase = manifests.filter(({ file }) => file.startsWith("k8s/base/")).map(({ document }) => document);
const kustomizations = globSync("k8s/**/kustomization.yaml", { cwd: root });
const pinned = expect.stringMatching(/[:@](?!latest$)[\w.-]+$/u);
const present = expect.anything();

function find(documents: readonly unknown[], kind: string, name: string): Record<string, unknown> {
  const found = documents.find((one) => textAt(one, "kind") === kind && textAt(one, "metadata", "name") === name);
  if (!isMapping(found)) throw new Error(`no ${kind} ${name}`);
  return found;
}

const probe = (path: string): object => ({ httpGet: { path, port: "private" } });
const nameOf = (document: unknown): string => textAt(document, "metadata", "name");
const ofKind = (...kinds: readonly string[]): readonly unknown[] =>
  manifests.map(({ document }) => document).filter((one) => kinds.includes(textAt(one, "kind")));

describe("kubernetes", () => {
  const ports = servicePorts(baseConfig);

  test.each(ofKind("Deployment", "StatefulSet").map((one) => [nameOf(one), one]))(
    "%s: restricted, with probes and limits",
    (name, workload) => {
      const pod = at(workload, "spec", "template", "spec");
      const labels = { "app.kubernetes.io/name": name };
      expect(at(workload, "spec")).toMatchObject({
        selector: { matchLabels: labels },
        template: { metadata: { labels } },
      });
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        terminationGracePeriodSeconds: expect.any(Number),
        securityContext: {
          runAsNonRoot: true,
          runAsUser: expect.any(Number),
          seccompProfile: { type: "RuntimeDefault" },
        },
      });
      expect(listAt(pod, "containers").length).toBeGreaterThan(0);
      for (const container of listAt(pod, "containers")) {
        expect(container).toMatchObject({
          image: pinned,
          readinessProbe: present,
          livenessProbe: present,
          resources: { requests: { cpu: present, memory: present }, limits: { memory: present } },
          securityContext: {
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ["ALL"] },
          },
        });
      }
    },
  );

  test.each(serviceNames)("%s: its command, probes and ports are those of the configuration", (name) => {
    const deployment = find(inBase, "Deployment", name);
    const container = at(deployment, "spec", "template", "spec", "containers", 0);
    expect(container).toMatchObject({
      args: [`services/${name}/dist/bundle/main.js`],
      startupProbe: probe("/healthz"),
      livenessProbe: probe("/healthz"),
      readinessProbe: probe("/readyz"),
    });
    const named = listAt(container, "ports").map((port) => [textAt(port, "name"), at(port, "containerPort")] as const);
    const { private: privatePort, http, front } = ports[name];
    const expected = { private: privatePort, http, front };
    expect({ http: undefined, front: undefined, ...Object.fromEntries(named) }).toMatchObject(expected);
    expect(find(inBase, "PodDisruptionBudget", name)).toBeDefined();
    const isScaled = ofKind("HorizontalPodAutoscaler").some((one) => nameOf(one) === name);
    expect(isScaled && at(deployment, "spec", "replicas") !== undefined).toBe(false);
  });

  test("policies deny traffic by default, select pods that exist, and let every service reach NATS and Redis", () => {
    expect(at(find(inBase, "NetworkPolicy", "default-deny"), "spec")).toEqual({
      podSelector: {},
      policyTypes: ["Ingress", "Egress"],
    });
    const workloads = [...serviceNames, "redis", "nats"];
    const selected = (policy: unknown): readonly unknown[] => [
      ...listAt(policy, "spec", "podSelector", "matchExpressions").flatMap((one) => listAt(one, "values")),
      at(policy, "spec", "podSelector", "matchLabels", "app.kubernetes.io/name") ?? workloads[0],
    ];
    for (const policy of ofKind("NetworkPolicy"))
      expect(workloads).toEqual(expect.arrayContaining([...selected(policy)]));
    for (const name of ["to-nats", "to-redis"])
      expect(selected(find(inBase, "NetworkPolicy", name))).toEqual(expect.arrayContaining([...serviceNames]));
  });

  test.each(kustomizations)("every file that %s names exists", (file) => {
    const kustomization = parsed(file);
    const named = [
      ...listAt(kustomization, "resources"),
      ...listAt(kustomization, "components"),
      ...listAt(kustomization, "patches").map((patch) => at(patch, "path") ?? "."),
      ...listAt(kustomization, "configMapGenerator").flatMap((one) => listAt(one, "files")),
    ].map(String);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((path) => !existsSync(join(root, dirname(file), path)))).toEqual([]);
  });

  test("no kustomization contains secrets, and the example names what the configuration reads", () => {
    expect(kustomizations.filter((file) => read(file).includes("secretGenerator"))).toEqual([]);
    const secrets = manifests.filter(({ document }) => textAt(document, "kind") === "Secret");
    expect(secrets.map(({ file }) => file)).toEqual(["k8s/secrets.example.yaml"]);
    const example = mappingAt(parsed("k8s/secrets.example.yaml"), "stringData");
    const inProduction = secretFiles(read("k8s/overlays/production/config.yaml"), "/run/secrets/postern/");
    expect(Object.keys(example).toSorted()).toEqual(inProduction);
    expect(inProduction).toEqual(
      expect.arrayContaining([...secretFiles(read("k8s/base/config.yaml"), "/run/secrets/postern/")]),
    );
    expect(Object.values(example).every((value) => String(value).startsWith("REPLACE-ME-"))).toBe(true);
  });

  test("pods have more time to end than the service takes", () => {
    for (const name of serviceNames) {
      const pod = at(find(inBase, "Deployment", name), "spec", "template", "spec");
      const variables = listAt(pod, "containers", 0, "env").map((one): [string, string] => [
        textAt(one, "name"),
        textAt(one, "value"),
      ]);
      const { shutdown_delay: delay, shutdown_grace: grace } = loadDeployed(
        join(root, "k8s/base/config.yaml"),
        Object.fromEntries(variables),
      ).runtime.timeouts;
      expect(Number(textAt(pod, "terminationGracePeriodSeconds")) * 1000).toBeGreaterThan(delay + grace);
    }
  });

  test.each([
    ["k8s/base", "k8s/base/config.yaml"],
    ["k8s/overlays/production", "k8s/overlays/production/config.yaml"],
    ["k8s/components/redis-sentinel", "k8s/overlays/production/config.yaml"],
    ["k8s/components/nats-cluster", "k8s/overlays/production/config.yaml"],
    ["k8s/base", "k8s/overlays/dev/config.yaml"],
  ])("the variables of %s are keys, and load with %s", (folder, file) => {
    const generators = listAt(parsed(`${folder}/kustomization.yaml`), "configMapGenerator");
    const literals = generators.flatMap((one) => listAt(one, "literals"));
    expect(literals.length).toBeGreaterThan(0);
    const config = loadDeployed(join(root, file), literalsOf(literals));
    expect(loopbackAddresses(config)).toEqual([]);
    const named = literals.join("\n");
    if (named.includes("BUS_SERVERS")) expect(config.runtime.bus.servers.join()).not.toContain("127.0.0.1");
    if (named.includes("PRIMARY")) expect(config.storage.redis.roles.state.url).not.toContain("127.0.0.1");
  });

  test("production has the base's configuration, with the identity provider and named proxies", () => {
    const { identity, ...production } = mappingAt(parsed("k8s/overlays/production/config.yaml"));
    expect(production).toEqual(parsed("k8s/base/config.yaml"));
    const { oidc, saml } = loadDeployed(join(root, "k8s/overlays/production/config.yaml")).identity;
    expect([oidc.enabled, oidc.clients.length, saml.enabled, saml.service_providers.length]).toEqual([
      true,
      2,
      true,
      2,
    ]);
    expect(mappingAt(identity)).not.toEqual({});
    expect(read("k8s/overlays/production/kustomization.yaml")).toContain("HTTP_TRUSTED_PROXIES=");
    expect(isMapping(identity) && at(parsed("deploy/compose/production-config.yaml"), "identity")).toEqual(
      parse(JSON.stringify(identity).replaceAll("/run/secrets/postern/", "/run/secrets/")),
    );
  });

  test("policies that narrow a way out exist in the base", () => {
    const names = new Set(inBase.map((one) => textAt(one, "metadata", "name")));
    const narrowed = manifests.filter(({ file }) => file === "k8s/overlays/production/ways-out.yaml");
    expect(narrowed).toHaveLength(5);
    expect(narrowed.filter(({ document }) => !names.has(textAt(document, "metadata", "name")))).toEqual([]);
  });

  test("the development overlay's copies equal their originals", () => {
    expect(read("k8s/overlays/dev/demo-directory.sql")).toBe(read("config/demo-directory.sql"));
    expect(read("k8s/overlays/dev/nats.conf")).toBe(read("deploy/nats/nats.conf"));
    const dev = loadDeployed(join(root, "k8s/overlays/dev/config.yaml"));
    const { runtime, storage, observability } = baseConfig;
    expect([dev.runtime, dev.storage, dev.observability]).toEqual([runtime, storage, observability]);
    expect(dev.auth.backends.sql).toEqual(composeConfig.auth.backends.sql);
  });
});

describe("compose", () => {
  const document = parsed("docker-compose.yml");
  const ports = servicePorts(composeConfig);
  const services = Object.entries(mappingAt(document, "services"));

  test("has every service", () => {
    expect(services.map(([name]) => name)).toEqual(expect.arrayContaining([...serviceNames]));
  });

  test.each(services)("%s: restricted, with a health check and limits", (name, service) => {
    expect(service).toMatchObject({
      image: pinned,
      healthcheck: { test: present },
      restart: present,
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      deploy: { resources: { limits: { cpus: present, memory: present, pids: present } } },
      networks: present,
    });
    expect(at(service, "privileged")).toBeUndefined();
    for (const condition of Object.values(mappingAt(service, "depends_on")))
      expect(condition).toEqual({ condition: "service_healthy" });
    const published = listAt(service, "ports").map(String);
    expect(published.every((one) => name === "gateway" && one.startsWith("127."))).toBe(true);
    if (!isServiceName(name)) return;
    expect(textAt(service, "command", 0)).toBe(`services/${name}/dist/bundle/main.js`);
    expect(listAt(service, "healthcheck", "test").join(" ")).toContain(
      `http://127.0.0.1:${ports[name].private}/readyz`,
    );
  });

  test("its configuration reads the secrets that the script creates, and listens on reachable addresses", () => {
    const names = secretFiles(read("config/compose.yaml"), "/run/secrets/");
    expect(Object.keys(mappingAt(document, "secrets")).toSorted()).toEqual(names);
    for (const name of names) expect(read("deploy/compose/make-secrets.sh")).toMatch(new RegExp(`\\b${name}\\b`, "u"));
    expect(loopbackAddresses(composeConfig)).toEqual([]);
  });

  test("the production set-up gives every service its configuration, and every secret that this reads", () => {
    const production = parsed("deploy/compose/production.yaml");
    expect(Object.keys(mappingAt(production, "services")).toSorted()).toEqual([...serviceNames].toSorted());
    const secrets = ["docker-compose.yml", "deploy/compose/production.yaml"].flatMap((file) =>
      listAt(parsed(file), "services", "gateway", "secrets"),
    );
    const names = secretFiles(read("deploy/compose/production-config.yaml"), "/run/secrets/");
    expect(secrets.map(String).toSorted()).toEqual(names);
    for (const name of names) expect(read("deploy/compose/make-secrets.sh")).toContain(name);
    const config = loadDeployed(join(root, "deploy/compose/production-config.yaml"));
    expect(loopbackAddresses(config)).toEqual([]);
    expect(servicePorts(config)).toEqual(ports);
    expect(config.runtime.servers.http.trusted_proxies).toContain("172.30.250.1");
    expect(read("deploy/compose/production.yaml")).toContain("172.30.250.0/24");
  });

  test("the set-up with one process starts no other service, and none that it needs is missing", () => {
    const one = parse(read("deploy/compose/one-process.yaml"), { merge: true, logLevel: "silent" });
    const gateway = mappingAt(one, "services", "gateway");
    expect(listAt(gateway, "command")).toEqual(["cli/dist/bundle/main.js", "serve"]);
    expect(mappingAt(gateway, "depends_on")).toEqual({ redis: { condition: "service_healthy" } });
    const off = Object.entries(mappingAt(one, "services")).filter(
      ([, service]) => listAt(service, "profiles").length > 0,
    );
    const others = Object.keys(mappingAt(document, "services")).filter(
      (name) => name !== "gateway" && name !== "redis",
    );
    expect(off.map(([name]) => name).toSorted()).toEqual(others.toSorted());
    for (const network of listAt(gateway, "networks"))
      expect(mappingAt(document, "networks")).toHaveProperty(String(network));
    const env = mappingAt(gateway, "environment");
    const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]));
    const { runtime } = loadDeployed(join(root, "config/compose.yaml"), variables);
    expect(runtime.bus.servers).toEqual([]);
    expect(new URL(runtime.services.idp.url).port).toBe(String(ports.idp.http));
    expect(new URL(runtime.services.admin.url).port).toBe(String(ports.admin.http));
  });

  test("the variables of its services are keys of the configuration", () => {
    const variables = Object.keys(mappingAt(document, "services", "auth-engine", "environment"));
    expect(variables.length).toBeGreaterThan(2);
    const env = {
      ...Object.fromEntries(variables.map((name) => [name, "ldap"])),
      SERVICE_AUTH_BACKENDS_LDAP_DEFAULT_SERVER_URI: "ldaps://ldap.example.test",
    };
    expect(loadDeployed(join(root, "config/compose.yaml"), env).auth.backends.order).toEqual(["ldap"]);
  });

  test("the script that creates secrets is executable", () => {
    expect(statSync(join(root, "deploy/compose/make-secrets.sh")).mode & 0o100).toBe(0o100);
  });

  test("NATS accepts messages as large as those of the bus", () => {
    expect(read("deploy/nats/nats.conf")).toContain("max_payload: 4MB");
  });
});
