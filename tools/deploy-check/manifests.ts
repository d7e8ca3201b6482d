import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { type ServiceName, type ServicePorts } from "../../cli/src/config/ports.ts";
import { broken, isMapping, listAt, type Mapping, textAt } from "./tree.ts";
import { checkWorkload } from "./workload.ts";

export interface Manifest {
  /** Relative to the root of the manifests. */
  readonly file: string;
  readonly document: unknown;
}

/** Every document of every YAML file below `root`; a list is a JSON patch. Throws for invalid YAML. */
export function readManifests(root: string): readonly Manifest[] {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".yaml"));
  return files.toSorted().flatMap((file) =>
    parseAllDocuments(readFileSync(join(root, file), "utf8")).map((document) => {
      const [error] = document.errors;
      if (error !== undefined) throw new Error(`${file}: ${error.message}`);
      const parsed: unknown = document.toJS();
      return { file, document: parsed };
    }),
  );
}

/** Excludes files that are no manifests: configuration of kustomize, of Postern and of prometheus-adapter. */
export function isManifest({ file, document }: Manifest): boolean {
  return !/(^|\/)(config|kustomization|prometheus-adapter)\.yaml$/u.test(file) && !Array.isArray(document);
}

type AllPorts = Readonly<Record<ServiceName, ServicePorts>>;

function checkPolicy(document: Mapping, workloads: ReadonlySet<string>): readonly string[] {
  const selector = [document["spec"]].map((spec) => ({
    name: textAt(spec, "podSelector", "matchLabels", "app.kubernetes.io/name"),
    names: listAt(spec, "podSelector", "matchExpressions").flatMap((one) => listAt(one, "values")),
  }));
  const named = selector.flatMap(({ name, names }) => [...(name === "" ? [] : [name]), ...names.map(String)]);
  return broken(textAt(document, "metadata", "name"), [
    ["selects pods that exist", named.every((name) => workloads.has(name))],
  ]);
}

function checkOne(document: unknown, ports: AllPorts, workloads: ReadonlySet<string>): readonly string[] {
  if (!isMapping(document)) return ["is not a mapping"];
  const kind = textAt(document, "kind");
  const head = broken(`${kind} ${textAt(document, "metadata", "name")}`, [
    ["has an apiVersion", textAt(document, "apiVersion") !== ""],
    ["has a kind", kind !== ""],
    ["has a name", textAt(document, "metadata", "name") !== ""],
  ]);
  const isWorkload = kind === "Deployment" || kind === "StatefulSet";
  if (isWorkload) return [...head, ...checkWorkload(document, ports)];
  return kind === "NetworkPolicy" ? [...head, ...checkPolicy(document, workloads)] : head;
}

function namesOf(documents: readonly unknown[], kind: string): readonly string[] {
  return documents.filter((one) => textAt(one, "kind") === kind).map((one) => textAt(one, "metadata", "name"));
}

/** Whether a policy of this name allows traffic from the pods of every deployment. */
function reachedByAll(policy: string, documents: readonly unknown[], deployments: readonly unknown[]): boolean {
  const found = documents.find(
    (one) => textAt(one, "kind") === "NetworkPolicy" && textAt(one, "metadata", "name") === policy,
  );
  const [names] = listAt(found, "spec", "podSelector", "matchExpressions");
  const named = new Set(listAt(names, "values"));
  return deployments.every((one) => named.has(textAt(one, "metadata", "name")));
}

/**
 * Rules for the whole tree: every service has a disruption budget, autoscaled ones set no replicas, the default is deny.
 */
function checkTogether(documents: readonly unknown[]): readonly string[] {
  const deployments = documents.filter((one) => textAt(one, "kind") === "Deployment");
  const budgets = new Set(namesOf(documents, "PodDisruptionBudget"));
  const autoscaled = new Set(namesOf(documents, "HorizontalPodAutoscaler"));
  const denied = documents.some(
    (one) =>
      textAt(one, "kind") === "NetworkPolicy" &&
      textAt(one, "metadata", "name") === "default-deny" &&
      listAt(one, "spec", "policyTypes").length === 2 &&
      listAt(one, "spec", "ingress").length + listAt(one, "spec", "egress").length === 0,
  );
  return [
    ...broken("policies", [
      ["deny traffic by default, in both directions", denied],
      ["let every service reach NATS", reachedByAll("to-nats", documents, deployments)],
      ["let every service reach Redis", reachedByAll("to-redis", documents, deployments)],
    ]),
    ...deployments.flatMap((one) => {
      const name = textAt(one, "metadata", "name");
      return broken(name, [
        ["has a disruption budget", budgets.has(name)],
        ["leaves replicas to its autoscaler", !autoscaled.has(name) || textAt(one, "spec", "replicas") === ""],
      ]);
    }),
  ];
}

/** Problems of manifests; `base` says whether they are complete and meant to run. */
export function checkManifests(
  documents: readonly unknown[],
  { ports, workloads, base }: { ports: AllPorts; workloads: ReadonlySet<string>; base: boolean },
): readonly string[] {
  const each = documents.flatMap((document) => checkOne(document, ports, workloads));
  return base ? [...each, ...checkTogether(documents)] : each;
}
