import { integer, secret, section, text, texts } from "./fields.ts";
import { ClientTls } from "./tls.ts";

/** The connection of every service to NATS. */
export const Bus = section("Connection of every service to the message bus (NATS).", {
  servers: texts("URLs of the NATS servers.", { default: ["nats://127.0.0.1:4222"], form: "nats-url", minItems: 1 }),
  namespace: text("First token of every subject. Sites that share one NATS must use different namespaces.", {
    default: "postern",
    form: "subject-token",
    minLength: 1,
  }),
  username: text("User name for NATS."),
  password: secret("Password for NATS."),
  token: secret("Token for NATS, in place of a user name and password."),
  credentials_file: text("Path of a NATS credentials file (JWT and seed), in place of a user name and password."),
  tls: ClientTls,
  max_in_flight: integer(
    1024,
    "Maximum number of bus requests that a replica handles concurrently. Further requests are rejected immediately.",
    { minimum: 1 },
  ),
});
