import { duration, secret, section, text } from "./fields.ts";

const privateAddress = (port: number) =>
  text(`127.0.0.1:${port}`, {
    description: "Private listener with /healthz, /readyz and /metrics; empty opens none.",
    form: "host-port",
  });

const behindGateway = (privatePort: number, port: number) =>
  section("A service that answers HTTP behind the gateway.", {
    private_address: privateAddress(privatePort),
    address: text(`127.0.0.1:${port}`, {
      description: "Where it listens for the gateway.",
      form: "host-port",
      minLength: 1,
    }),
    url: text(`http://127.0.0.1:${port}`, {
      description: "Where the gateway reaches it.",
      form: "http-url",
      minLength: 1,
    }),
  });

const onTheBus = (privatePort: number) =>
  section("A service that is reached over the bus, or not at all.", { private_address: privateAddress(privatePort) });

/** Where the five services are, and how the gateway vouches for a caller. */
export const Services = section("The five services.", {
  gateway: onTheBus(9101),
  auth_engine: onTheBus(9102),
  idp: behindGateway(9103, 9203),
  admin: behindGateway(9104, 9204),
  jobs_worker: onTheBus(9105),
  caller_assertion: section("Signed statement of the gateway about its caller, for idp and admin.", {
    secret: secret({
      description: "Signing key, the same for all services; without it idp and admin refuse every caller.",
      minLength: 32,
    }),
    ttl: duration("30s", { description: "Life of one statement.", minimum: 1000, maximum: 300_000 }),
  }),
});
