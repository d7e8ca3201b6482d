import { messages } from "../messages.ts";
import { checkPair, type Judgement, remoteHostOf } from "./checks.ts";
import { integer, secret, section, text, texts } from "./fields.ts";
import type { BusConfig } from "./root.ts";
import { ClientTls } from "./servers.ts";

/** How a connection to NATS is authenticated. */
export const natsLogin = {
  username: text("User name for NATS."),
  password: secret("Password for NATS."),
  token: secret("Token for NATS, in place of a user name and password."),
  credentials_file: text("Path of a NATS credentials file (JWT and seed), in place of a user name and password."),
  tls: ClientTls,
};

export const Bus = section("Connection of every service to the message bus (NATS).", {
  servers: texts(
    "URLs of the NATS servers. May be empty if one process runs the whole site (`postern serve`), which then needs no NATS.",
    { default: ["nats://127.0.0.1:4222"], form: "nats-url" },
  ),
  namespace: text("First token of every subject. Sites that share one NATS must use different namespaces.", {
    default: "postern",
    form: "subject-token",
    minLength: 1,
  }),
  ...natsLogin,
  max_in_flight: integer(
    1024,
    "Maximum number of bus requests that a replica handles concurrently. Further requests are rejected immediately.",
    { minimum: 1 },
  ),
});

type Connection = Pick<BusConfig, "servers" | keyof typeof natsLogin>;

export function validateBus(bus: Connection, path: string, judgement: Judgement): void {
  const { servers, username, password, token, credentials_file, tls } = bus;
  const { problem, warning } = judgement;
  const logins = [username, token, credentials_file].filter((login) => login !== "");
  if (logins.length > 1) problem(path, messages.oneNatsLogin);
  if (password !== "" && username === "") {
    problem(`${path}.username`, messages.needsWhen(`${path}.password is set`));
  }
  checkPair(tls, `${path}.tls`, ["cert", "key"], judgement);
  const remote = servers.map(remoteHostOf).find((host) => host !== undefined);
  if (remote === undefined) return;
  if (logins.length === 0) warning(`${path}.username`, messages.remoteWithoutLogin(remote));
  const plain = servers.filter((server) => !server.startsWith("tls:"));
  if (!tls.enabled && plain.some((server) => remoteHostOf(server) !== undefined)) {
    warning(`${path}.tls.enabled`, messages.remoteWithoutTls(remote));
  }
}
