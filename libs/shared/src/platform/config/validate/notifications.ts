import { notificationEvents } from "../../../contracts/events.ts";
import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const root = "identity.notices";

function isHostAndPort(server: string): boolean {
  const url = URL.parse(`smtp://${server}`);
  return url !== null && url.hostname !== "" && url.host === server.toLowerCase() && url.port !== "";
}

/** Cross-key rules of `identity.notices`. */
export function validateNotifications({ identity, storage }: Config, { problem }: Judgement): void {
  const { enabled, events, webhook, mail } = identity.notices;
  const known: readonly string[] = notificationEvents;
  if (events.some((event) => !known.includes(event))) {
    problem(`${root}.events`, messages.unknownNotificationEvent(known.join(", ")));
  }
  if (!enabled) return;
  if (storage.redis.encryption_secret === "") {
    problem("storage.redis.encryption_secret", messages.needsWhen(`${root}.enabled is true`));
  }
  if (webhook.url !== "" && webhook.secret === "") {
    problem(`${root}.webhook.secret`, messages.needsWhen(`${root}.webhook.url is set`));
  }
  if (mail.server === "") return;
  if (!isHostAndPort(mail.server)) problem(`${root}.mail.server`, messages.serverAndPort);
  if (mail.from === "") problem(`${root}.mail.from`, messages.needsWhen(`${root}.mail.server is set`));
  if (mail.username !== "" && mail.tls === "none") problem(`${root}.mail.tls`, messages.passwordNeedsTls);
}
