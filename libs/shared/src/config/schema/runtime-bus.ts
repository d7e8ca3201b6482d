import { integer, secret, section, text, texts } from "./fields.ts";
import { ClientTls } from "./tls.ts";

/** The connection of every service to NATS. */
export const Bus = section("The message bus (NATS).", {
  servers: texts(["nats://127.0.0.1:4222"], { description: "Servers of the cluster.", form: "nats-url", minItems: 1 }),
  namespace: text("postern", {
    description: "First token of every subject; several installations may share one NATS.",
    form: "subject-token",
    minLength: 1,
  }),
  username: text("", { description: "User name at NATS." }),
  password: secret({ description: "Password at NATS." }),
  token: secret({ description: "Token at NATS, instead of a user name." }),
  credentials_file: text("", { description: "File with NATS credentials (JWT and seed), instead of a user name." }),
  tls: ClientTls,
  max_in_flight: integer(1024, {
    description: "Requests that one service works on at a time; more are refused at once.",
    minimum: 1,
  }),
});
