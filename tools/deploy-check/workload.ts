import { isServiceName, type ServiceName, type ServicePorts } from "../../cli/src/config/ports.ts";
import { isPinned } from "./images.ts";
import { at, broken, listAt, type Mapping, mappingAt, type Rule, textAt } from "./tree.ts";

type AllPorts = Readonly<Record<ServiceName, ServicePorts>>;

function podRules(pod: Mapping): readonly Rule[] {
  const security = mappingAt(pod, "securityContext");
  return [
    ["runs as a numeric user other than root", security["runAsNonRoot"] === true && Number(security["runAsUser"]) > 0],
    ["has the runtime's seccomp profile", textAt(security, "seccompProfile", "type") === "RuntimeDefault"],
    ["mounts no service account token", pod["automountServiceAccountToken"] === false],
    ["has no environment variables of other services", pod["enableServiceLinks"] === false],
    ["sets a termination grace period", Number(pod["terminationGracePeriodSeconds"]) > 0],
  ];
}

function containerRules(container: Mapping): readonly Rule[] {
  const security = mappingAt(container, "securityContext");
  const resources = (kind: string, name: string): boolean => textAt(container, "resources", kind, name) !== "";
  return [
    ["has an image with a tag other than latest", isPinned(textAt(container, "image"))],
    ["has a readiness probe", at(container, "readinessProbe") !== undefined],
    ["has a liveness probe", at(container, "livenessProbe") !== undefined],
    ["requests CPU and memory", resources("requests", "cpu") && resources("requests", "memory")],
    ["has a limit of memory", resources("limits", "memory")],
    ["has a read-only root", security["readOnlyRootFilesystem"] === true],
    ["may not gain privileges", security["allowPrivilegeEscalation"] === false],
    ["drops all capabilities", listAt(security, "capabilities", "drop").includes("ALL")],
  ];
}

function portNamed(container: Mapping, name: string): number | undefined {
  const port = listAt(container, "ports").find((one) => textAt(one, "name") === name);
  return port === undefined ? undefined : Number(textAt(port, "containerPort"));
}

/**
 * Additional rules for our own services: the probes of libs/shared/src/platform/lifecycle, and the ports of the configuration.
 */
function serviceRules(name: ServiceName, container: Mapping, ports: AllPorts): readonly Rule[] {
  const probe = (kind: string): string => textAt(container, kind, "httpGet", "path");
  const probed = ["startupProbe", "readinessProbe", "livenessProbe"];
  return [
    [
      "has its liveness probe at /healthz",
      probe("livenessProbe") === "/healthz" && probe("startupProbe") === "/healthz",
    ],
    ["has its readiness probe at /readyz", probe("readinessProbe") === "/readyz"],
    ["is probed on its private port", probed.every((kind) => textAt(container, kind, "httpGet", "port") === "private")],
    [`has the private port ${ports[name].private}`, portNamed(container, "private") === ports[name].private],
    [`has the port ${ports[name].http ?? "none"}`, portNamed(container, "http") === ports[name].http],
    [`has the port ${ports[name].front ?? "none"} for browsers`, portNamed(container, "front") === ports[name].front],
    ["runs its own main", textAt(container, "args", 0) === `services/${name}/dist/bundle/main.js`],
  ];
}

/** Checks a Deployment or StatefulSet: restricted pods, probes, resources, pinned images. */
export function checkWorkload(document: Mapping, ports: AllPorts): readonly string[] {
  const name = textAt(document, "metadata", "name");
  const pod = mappingAt(document, "spec", "template", "spec");
  const containers = listAt(pod, "containers").map((container) => mappingAt(container));
  const selected = textAt(document, "spec", "selector", "matchLabels", "app.kubernetes.io/name");
  const labelled = textAt(document, "spec", "template", "metadata", "labels", "app.kubernetes.io/name");
  return [
    ...broken(name, [
      ["selects its own pods", selected === name && labelled === name],
      ["has a container", containers.length > 0],
      ...podRules(pod),
    ]),
    ...containers.flatMap((container) => broken(name, containerRules(container))),
    ...(isServiceName(name) ? broken(name, serviceRules(name, mappingAt(containers[0]), ports)) : []),
  ];
}
