import { integer, secret, section, string, stringList } from "./fields.ts";
import { ClientTls } from "./tls.ts";

/** The connection of every service to NATS. */
export const Bus = section("Connection of every service to the message bus (NATS).", {
  servers: stringList(["nats://127.0.0.1:4222"], {
    description: "URLs of the NATS servers.",
    form: "nats-url",
    minItems: 1,
  }),
  namespace: string("postern", {
    description: "First token of every subject. Sites that share one NATS must use different namespaces.",
    form: "subject-token",
    minLength: 1,
  }),
  username: string("", { description: "User name for NATS." }),
  password: secret({ description: "Password for NATS." }),
  token: secret({ description: "Token for NATS, in place of a user name and password." }),
  credentials_file: string("", {
    description: "Path of a NATS credentials file (JWT and seed), in place of a user name and password.",
  }),
  tls: ClientTls,
  max_in_flight: integer(1024, {
    description:
      "Maximum number of bus requests that a replica handles concurrently. Further requests are rejected immediately.",
    minimum: 1,
  }),
});
