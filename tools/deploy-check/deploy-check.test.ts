import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { loopbackAddresses, serviceNames, servicePorts } from "../../cli/src/config/ports.ts";
import { checkCompose } from "./compose.ts";
import { literalsOf, loadDeployed, secretFiles } from "./load-deployed.ts";
import { checkManifests, isManifest, readManifests } from "./manifests.ts";
import { at, isMapping, listAt, mappingAt, textAt } from "./tree.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const parsed = (path: string): unknown => parse(read(path), { merge: true });

const composeConfig = loadDeployed(join(root, "config/compose.yaml"));
const baseConfig = loadDeployed(join(root, "k8s/base/config.yaml"));
const manifests = readManifests(join(root, "k8s")).filter(isManifest);
const inBase = manifests.filter(({ file }) => file.startsWith("base/")).map(({ document }) => document);
const elsewhere = manifests.filter(({ file }) => !file.startsWith("base/"));
const workloads = new Set([...serviceNames, "redis", "nats"]);
const options = { ports: servicePorts(baseConfig), workloads };
const kustomizations = globSync("k8s/**/kustomization.yaml", { cwd: root });

function copyOf(documents: readonly unknown[]): unknown[] {
  return structuredClone([...documents]);
}

function find(documents: readonly unknown[], kind: string, name: string): Record<string, unknown> {
  const found = documents.find((one) => textAt(one, "kind") === kind && textAt(one, "metadata", "name") === name);
  if (!isMapping(found)) throw new Error(`no ${kind} ${name}`);
  return found;
}

/** A copy of the base with one difference. */
function baseWith(kind: string, name: string, path: readonly (string | number)[], value: unknown): unknown[] {
  const documents = copyOf(inBase);
  const parent: unknown = at(find(documents, kind, name), ...path.slice(0, -1));
  const last = path.at(-1) ?? "";
  if (typeof parent !== "object" || parent === null) throw new Error(`nothing at ${path.join(".")}`);
  Reflect.set(parent, last, value);
  return documents;
}

describe("kubernetes", () => {
  test("the base follows every rule", () => {
    expect(inBase.length).toBeGreaterThan(20);
    expect(checkManifests(inBase, { ...options, base: true })).toEqual([]);
  });

  test("additions of the overlays follow every rule of a manifest", () => {
    const documents = elsewhere.map(({ document }) => document).filter((one) => textAt(one, "kind") !== "Secret");
    expect(documents.length).toBeGreaterThan(5);
    expect(checkManifests(documents, { ...options, base: false })).toEqual([]);
  });

  const container = ["spec", "template", "spec", "containers", 0] as const;
  test.each<[string, string, string, readonly (string | number)[], unknown]>([
    ["has an image with a tag", "Deployment", "idp", [...container, "image"], "postern:latest"],
    ["has a readiness probe", "Deployment", "admin", [...container, "readinessProbe"], undefined],
    ["has a liveness probe", "Deployment", "admin", [...container, "livenessProbe"], undefined],
    [
      "has its liveness probe at /healthz",
      "Deployment",
      "gateway",
      [...container, "livenessProbe", "httpGet", "path"],
      "/readyz",
    ],
    ["private port 9102", "Deployment", "auth-engine", [...container, "ports", 0, "containerPort"], 9100],
    ["requests CPU and memory", "Deployment", "idp", [...container, "resources", "requests"], {}],
    ["has a limit of memory", "Deployment", "idp", [...container, "resources", "limits"], {}],
    ["read-only root", "Deployment", "idp", [...container, "securityContext", "readOnlyRootFilesystem"], false],
    ["drops all capabilities", "Deployment", "idp", [...container, "securityContext", "capabilities"], {}],
    ["runs its own main", "Deployment", "idp", [...container, "args", 0], "services/admin/dist/bundle/main.js"],
    ["numeric user", "Deployment", "idp", ["spec", "template", "spec", "securityContext", "runAsUser"], 0],
    ["selects its own pods", "Deployment", "idp", ["spec", "selector", "matchLabels"], {}],
    ["leaves replicas", "Deployment", "gateway", ["spec", "replicas"], 3],
    ["has an apiVersion", "Service", "gateway", ["apiVersion"], undefined],
    ["has a name", "Service", "gateway", ["metadata", "name"], undefined],
    ["has a disruption budget", "PodDisruptionBudget", "idp", ["metadata", "name"], "other"],
    [
      "let every service reach NATS",
      "NetworkPolicy",
      "to-nats",
      ["spec", "podSelector", "matchExpressions"],
      [{ key: "app.kubernetes.io/name", operator: "In", values: ["gateway", "auth-engine", "idp", "admin"] }],
    ],
    ["deny traffic by default", "NetworkPolicy", "default-deny", ["spec", "policyTypes"], ["Ingress"]],
    [
      "selects pods that exist",
      "NetworkPolicy",
      "engine-to-ldap",
      ["spec", "podSelector", "matchLabels"],
      { "app.kubernetes.io/name": "engine" },
    ],
  ])("a planted fault is found: %s", (rule, kind, name, path, value) => {
    const found = checkManifests(baseWith(kind, name, path, value), { ...options, base: true });
    expect(found.join("\n")).toContain(rule);
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
    expect(manifests.filter(({ document }) => textAt(document, "kind") === "Secret").map(({ file }) => file)).toEqual([
      "secrets.example.yaml",
    ]);
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
    const narrowed = manifests.filter(({ file }) => file === "overlays/production/ways-out.yaml");
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
  const composeWith = (service: string, key: string, value: unknown): readonly string[] => {
    const copy: unknown = structuredClone(document);
    Reflect.set(mappingAt(copy, "services", service), key, value);
    return checkCompose(copy, ports);
  };

  test("the file follows every rule", () => {
    expect(checkCompose(document, ports)).toEqual([]);
  });

  test.each<[string, string, string, unknown]>([
    ["a tag other than latest", "redis", "image", "redis"],
    ["has a health check", "nats", "healthcheck", undefined],
    ["restarts", "nats", "restart", undefined],
    ["read-only root", "idp", "read_only", false],
    ["drops all capabilities", "idp", "cap_drop", []],
    ["may not gain privileges", "idp", "security_opt", []],
    ["has limits", "idp", "deploy", {}],
    ["is not privileged", "idp", "privileged", true],
    ["publishes no port", "admin", "ports", ["9204:9204"]],
    ["publishes ports on loopback only", "gateway", "ports", ["8080:8080"]],
    ["waits for health", "gateway", "depends_on", { nats: { condition: "service_started" } }],
    ["waits for health", "gateway", "depends_on", { rabbit: { condition: "service_healthy" } }],
    ["refers only to secrets and networks", "gateway", "secrets", ["unheard_of"]],
    ["has its health check at the private listener", "gateway", "healthcheck", { test: ["CMD", "true"] }],
    ["runs its own main", "gateway", "command", ["services/idp/dist/bundle/main.js"]],
  ])("a planted fault is found: %s", (rule, service, key, value) => {
    expect(composeWith(service, key, value).join("\n")).toContain(rule);
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
