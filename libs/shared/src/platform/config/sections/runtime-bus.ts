import { messages } from "../messages.ts";
import { checkPair, type Judgement, remoteHostOf } from "./checks.ts";
import { integer, secret, section, text, texts } from "./fields.ts";
import type { Config } from "./root.ts";
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

export function validateBus({ runtime }: Config, judgement: Judgement): void {
  const { servers, username, password, token, credentials_file, tls } = runtime.bus;
  const { problem, warning } = judgement;
  const logins = [username, token, credentials_file].filter((login) => login !== "");
  if (logins.length > 1) problem("runtime.bus", messages.oneNatsLogin);
  if (password !== "" && username === "") {
    problem("runtime.bus.username", messages.needsWhen("runtime.bus.password is set"));
  }
  checkPair(tls, "runtime.bus.tls", ["cert", "key"], judgement);
  const remote = servers.map(remoteHostOf).find((host) => host !== undefined);
  if (remote === undefined) return;
  if (logins.length === 0) warning("runtime.bus.username", messages.remoteWithoutLogin(remote));
  const plain = servers.filter((server) => !server.startsWith("tls:"));
  if (!tls.enabled && plain.some((server) => remoteHostOf(server) !== undefined)) {
    warning("runtime.bus.tls.enabled", messages.remoteWithoutTls(remote));
  }
}
