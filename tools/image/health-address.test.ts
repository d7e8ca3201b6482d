import { loadConfig } from "@postern/shared/platform/config";
import { expect, test } from "vitest";
import { servicePorts } from "../../cli/src/config/ports.ts";
import { defaultPorts, healthAddress, serviceOf } from "./health-address.ts";

test("the default ports are those of the configuration", () => {
  const result = loadConfig({ file: "none", env: {}, readFile: () => "{}", skipSecretFiles: true });
  if (!result.ok) throw new Error("the defaults are not valid");
  const ports = Object.entries(servicePorts(result.config)).map(([name, { private: port }]) => [name, port]);
  expect(Object.fromEntries(ports)).toEqual(defaultPorts);
});

test.each([
  ["node\0services/auth-engine/dist/bundle/main.js\0", "auth-engine"],
  ["/sbin/docker-init\0--\0node\0/app/services/idp/dist/bundle/main.js\0", "idp"],
  ["node\0services/other/dist/bundle/main.js\0", undefined],
  ["sleep\x0060\0", undefined],
  ["node\0cli/dist/bundle/main.js\0serve\0", "gateway"],
  ["/app/bin/node\0/app/cli/dist/bundle/main.js\0serve\0--services=admin, idp\0", "idp"],
  ["/app/bin/node\0/app/cli/dist/bundle/main.js\0serve\0--services\0jobs-worker,auth-engine\0", "auth-engine"],
  ["/app/bin/node\0/app/cli/dist/bundle/main.js\0doctor\0", undefined],
])("the service of %j is %s", (line, service) => {
  expect(serviceOf(line)).toBe(service);
});

const variable = "SERVICE_RUNTIME_SERVICES_JOBS_WORKER_PRIVATE_ADDRESS";
test.each<[string, Record<string, string>, string, string | undefined]>([
  ["nothing is configured", {}, "", "127.0.0.1:9105"],
  ["sections are empty", {}, "runtime:\n  services:\n    jobs_worker:\n", "127.0.0.1:9105"],
  [
    "the file names all addresses",
    {},
    "runtime: { services: { jobs_worker: { private_address: ':99' } } }",
    "127.0.0.1:99",
  ],
  [
    "a variable names one",
    { [variable]: "0.0.0.0:98" },
    "runtime: { services: { jobs_worker: { private_address: ':99' } } }",
    "127.0.0.1:98",
  ],
  ["the address is of one interface", { [variable]: "192.0.2.7:98" }, "", "192.0.2.7:98"],
  ["there is no private listener", { [variable]: "" }, "", undefined],
])("the health check asks at the right address if %s", (_, environment, text, address) => {
  expect(healthAddress("jobs-worker", environment, text)).toBe(address);
});
