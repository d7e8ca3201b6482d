import { isServiceName, type ServiceName, type ServicePorts } from "../../cli/src/config/ports.ts";
import { isPinned } from "./images.ts";
import { broken, listAt, type Mapping, mappingAt, type Rule, textAt } from "./tree.ts";

type AllPorts = Readonly<Record<ServiceName, ServicePorts>>;

function everyServiceRules(service: Mapping): readonly Rule[] {
  const limits = mappingAt(service, "deploy", "resources", "limits");
  return [
    ["has an image with a tag other than latest", isPinned(textAt(service, "image"))],
    ["has a health check", listAt(service, "healthcheck", "test").length > 1],
    ["restarts", textAt(service, "restart") !== ""],
    ["has a read-only root", service["read_only"] === true],
    ["drops all capabilities", listAt(service, "cap_drop").includes("ALL")],
    ["may not gain privileges", listAt(service, "security_opt").includes("no-new-privileges:true")],
    ["has limits of CPU, memory and processes", ["cpus", "memory", "pids"].every((name) => name in limits)],
    ["is not privileged", service["privileged"] !== true],
    ["has a network", listAt(service, "networks").length > 0],
  ];
}

function publishRules(name: string, service: Mapping): readonly Rule[] {
  const published = listAt(service, "ports").map(String);
  return name === "gateway"
    ? [["publishes ports on loopback only", published.length > 0 && published.every((one) => one.startsWith("127."))]]
    : [["publishes no port", published.length === 0]];
}

function ownRules(name: ServiceName, service: Mapping, ports: AllPorts): readonly Rule[] {
  const probe = `http://127.0.0.1:${ports[name].private}/readyz`;
  return [
    [
      "has its health check at the private listener",
      listAt(service, "healthcheck", "test").some((one) => String(one).includes(probe)),
    ],
    ["runs its own main", textAt(service, "command", 0) === `services/${name}/dist/bundle/main.js`],
  ];
}

/** Dependencies must exist and be healthy before a service starts. */
function dependencyRules(service: Mapping, names: ReadonlySet<string>): readonly Rule[] {
  const dependencies = Object.entries(mappingAt(service, "depends_on"));
  const isHealthGated = ([other, how]: readonly [string, unknown]): boolean =>
    names.has(other) && textAt(how, "condition") === "service_healthy";
  return [["waits for health", dependencies.every(isHealthGated)]];
}

function isDefined(document: unknown, kind: "secrets" | "networks", service: Mapping): boolean {
  return listAt(service, kind).every((name) => String(name) in mappingAt(document, kind));
}

/** Problems of a compose file whose services listen on `ports`. Anchors and merges must be resolved. */
export function checkCompose(document: unknown, ports: AllPorts): readonly string[] {
  const services = Object.entries(mappingAt(document, "services"));
  const names = new Set(services.map(([name]) => name));
  const missing = Object.keys(ports).filter((name) => !names.has(name));
  return [
    ...missing.map((name) => `${name}: is missing`),
    ...services.flatMap(([name, value]) => {
      const service = mappingAt(value);
      return broken(name, [
        ...everyServiceRules(service),
        ...publishRules(name, service),
        ...dependencyRules(service, names),
        [
          "refers only to secrets and networks that the file defines",
          isDefined(document, "secrets", service) && isDefined(document, "networks", service),
        ],
        ...(isServiceName(name) ? ownRules(name, service, ports) : []),
      ]);
    }),
  ];
}
