import { duration, secret, section, text } from "./fields.ts";

const privateAddress = (port: number) =>
  text(
    "Address of the private listener with /healthz, /readyz and /metrics. If empty, the service has no private listener.",
    { default: `127.0.0.1:${port}`, form: "host-port" },
  );

const behindGateway = (privatePort: number, port: number) =>
  section("A service that receives HTTP requests from the gateway.", {
    private_address: privateAddress(privatePort),
    address: text("Address on which the service listens for the gateway.", {
      default: `127.0.0.1:${port}`,
      form: "host-port",
      minLength: 1,
    }),
    url: text("URL under which the gateway reaches the service.", {
      default: `http://127.0.0.1:${port}`,
      form: "http-url",
      minLength: 1,
    }),
  });

const onTheBus = (privatePort: number) =>
  section("Private listener of the service.", { private_address: privateAddress(privatePort) });

/** Addresses of the five services, and caller assertions. */
export const Services = section("Addresses of the five services.", {
  gateway: onTheBus(9101),
  auth_engine: onTheBus(9102),
  idp: behindGateway(9103, 9203),
  admin: behindGateway(9104, 9204),
  jobs_worker: onTheBus(9105),
  caller_assertion: section(
    "Caller assertions, in which the gateway tells idp and admin which caller it has authenticated.",
    {
      secret: secret("Signing key, identical in all services. If it is empty, idp and admin reject every caller.", {
        minLength: 32,
      }),
      ttl: duration("30s", "Lifetime of a caller assertion.", { minimum: 1000, maximum: 300_000 }),
    },
  ),
});
