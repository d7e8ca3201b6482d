import { choice, duration, entries, flag, integer, requiredText, section, text } from "./fields.ts";

const Target = section("A mail server that is looked at.", {
  protocol: choice(["imap", "pop3", "smtp", "lmtp", "sieve", "http"], "imap", {
    description: "What it speaks, and whose logins are sent there.",
  }),
  host: requiredText({ description: "Its address or name; Auth-Server tells the address.", example: "192.0.2.10" }),
  port: integer(0, { description: "Its port, as Auth-Port tells it; 0 takes the protocol's own.", maximum: 65_535 }),
  tls: flag(false, { description: "TLS from the first byte on." }),
  starttls: flag(false, { description: "Ask for StartTLS after the greeting." }),
  tls_skip_verify: flag(false, { description: "Accept any certificate." }),
  haproxy_v2: flag(false, { description: "Begin with a PROXY header, version 2." }),
  request_uri: text("/", { description: "What is asked for by HTTP; below 500 is alive.", form: "header-text" }),
});

/** Services beside the decision (behaviour reference §4.7). */
export const Services = section(
  "Services beside the decision.",
  {
    backend_health_checks: section("The mail servers behind the proxy-style endpoint, and whether they are alive.", {
      interval: duration("10s", {
        description: "Time between two looks at a server, give or take a tenth.",
        minimum: 100,
      }),
      timeout: duration("5s", {
        description: "Name, connection, TLS and greeting together.",
        minimum: 10,
        maximum: 60_000,
      }),
      failure_threshold: integer(1, {
        description: "Failures in a row that take a server out.",
        minimum: 1,
        maximum: 100,
      }),
      recovery_threshold: integer(1, {
        description: "Successes in a row that bring it back.",
        minimum: 1,
        maximum: 100,
      }),
      targets: entries("The servers; those of a protocol take the place of its upstream.", Target),
    }),
  },
  { reload: "live" },
);
