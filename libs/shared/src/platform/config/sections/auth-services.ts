import { messages } from "../messages.ts";
import type { Judgement } from "./checks.ts";
import { choice, duration, entries, flag, integer, requiredText, section, text } from "./fields.ts";
import type { Config } from "./root.ts";

const Target = section("A mail server whose health is checked.", {
  protocol: choice(
    ["imap", "pop3", "smtp", "lmtp", "sieve", "http"],
    "Protocol of the mail server. Sessions of this protocol are directed to it.",
  ),
  host: requiredText("IP address or host name of the mail server. Its IP address is sent as Auth-Server.", {
    example: "192.0.2.10",
  }),
  port: integer(0, "Port of the mail server, sent as Auth-Port. 0 uses the protocol's default.", { maximum: 65_535 }),
  tls: flag("Whether the connection uses TLS from the first byte."),
  starttls: flag("Whether StartTLS is requested after the greeting."),
  tls_skip_verify: flag("Whether any server certificate is accepted."),
  haproxy_v2: flag("Whether the connection begins with a PROXY protocol header, version 2."),
  request_uri: text("Path of the HTTP request, with protocol `http`. A status below 500 means healthy.", {
    default: "/",
    form: "header-text",
  }),
});

/** Supporting services. */
export const Services = section(
  "Supporting services.",
  {
    backend_health_checks: section("Health checks of the mail servers behind the proxy dialect.", {
      interval: duration("10s", "Interval between two checks of a server, varied by up to 10%.", { minimum: 100 }),
      timeout: duration("5s", "Timeout of a check, including name resolution, connection, TLS and greeting.", {
        minimum: 10,
        maximum: 60_000,
      }),
      failure_threshold: integer(1, "Number of consecutive failures after which a server is no longer used.", {
        minimum: 1,
        maximum: 100,
      }),
      recovery_threshold: integer(1, "Number of consecutive successes after which a server is used again.", {
        minimum: 1,
        maximum: 100,
      }),
      targets: entries("Mail servers. For protocols with an entry here, auth.upstreams is not used.", Target),
    }),
  },
  { reload: "live" },
);

const root = "auth.services.backend_health_checks.targets";
/** Each gateway checks every target. */
const maxTargets = 256;

export function validateServices({ auth }: Config, { problem }: Judgement): void {
  const { targets } = auth.services.backend_health_checks;
  if (targets.length > maxTargets) problem(root, messages.tooMany(maxTargets));
  targets.forEach(({ tls, starttls, protocol }, index) => {
    if (starttls && tls) problem(`${root}[${index}].starttls`, messages.notWith(`${root}[${index}].tls`));
    if (starttls && protocol === "http") problem(`${root}[${index}].starttls`, messages.notWith("protocol http"));
  });
}
