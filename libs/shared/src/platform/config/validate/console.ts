import { isLoopback } from "../../net/ip.ts";
import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const root = "runtime.console";

function validateUrl(text: string, { problem }: Judgement): void {
  const url = URL.parse(text);
  if (url === null) return;
  if (url.origin !== text) problem(`${root}.url`, messages.consoleOrigin);
  const host = url.hostname.replaceAll(/[[\]]/gu, "");
  if (url.protocol === "http:" && host !== "localhost" && !isLoopback(host))
    problem(`${root}.url`, messages.httpIssuer);
}

/** While the console has a listener, it needs the identity provider and a client of it. */
export function validateConsole({ runtime, identity, storage }: Config, judgement: Judgement): void {
  const { problem, warning } = judgement;
  const { url, client_id, roles } = runtime.console;
  const condition = "runtime.servers.http.console_address is set";
  if (runtime.servers.http.console_address.length === 0) return;
  if (url === "") problem(`${root}.url`, messages.needsWhen(condition));
  if (!identity.oidc.enabled) problem("identity.oidc.enabled", messages.needsWhen(condition));
  if (storage.redis.encryption_secret === "") {
    problem("storage.redis.encryption_secret", messages.needsWhen(condition));
  }
  validateUrl(url, judgement);
  const client = identity.oidc.clients.find((one) => one.client_id === client_id);
  if (client_id === "") problem(`${root}.client_id`, messages.needsWhen(condition));
  else if (client === undefined) problem(`${root}.client_id`, messages.noSuchClient);
  else if (client.client_secret === "") problem(`${root}.client_id`, messages.clientNeedsSecret);
  if (Object.values(roles).every((values) => values.length === 0)) warning(`${root}.roles`, messages.noOperators);
}
