import { notificationEvents } from "../../../contracts/events.ts";
import { messages } from "../messages.ts";
import { checkEncryption, type Judgement } from "./checks.ts";
import { choice, duration, flag, secret, section, text, texts } from "./fields.ts";
import type { Config } from "./root.ts";

const longestDeliveryMs = 20_000;

const Webhook = section("User notifications as JSON to a service of the site, signed according to Standard Webhooks.", {
  url: text("URL to which user notifications are posted. If empty, none are posted.", { form: "http-url" }),
  secret: secret("Signing key. A value that begins with `whsec_` is decoded as Base64.", { minLength: 16 }),
  domains: texts("Domains about whose accounts user notifications are posted, by name or alias. If empty, all."),
  timeout: duration("5s", "Timeout of one delivery attempt.", { minimum: 100, maximum: longestDeliveryMs }),
});

const Mail = section(
  "User notifications by mail to the users themselves, in the language of the page that they used.",
  {
    server: text("SMTP server, as host:port. If empty, no mail is sent."),
    tls: choice(["starttls", "implicit", "none"], "Encryption of the SMTP connection."),
    username: text("User name for the SMTP server. If empty, no login takes place."),
    password: secret("Password for the SMTP server."),
    from: text("Sender address."),
    address_attribute: text("Backend attribute with the user's mail address.", { default: "mail" }),
    timeout: duration("10s", "Timeout of one delivery attempt.", { minimum: 100, maximum: longestDeliveryMs }),
  },
);

export const IdentityNotifications = section(
  "User notifications about new devices, changed second factors and used recovery codes, as events on the bus, webhook calls and mail.",
  {
    enabled: flag("Whether user notifications are sent. They require storage.redis.encryption_secret and jobs-worker."),
    events: texts("Events about which users are notified.", { default: [...notificationEvents] }),
    webhook: Webhook,
    mail: Mail,
  },
);

const root = "identity.notices";

function isHostAndPort(server: string): boolean {
  const url = URL.parse(`smtp://${server}`);
  return url !== null && url.hostname !== "" && url.host === server.toLowerCase() && url.port !== "";
}

export function validateNotifications({ identity, storage }: Config, judgement: Judgement): void {
  const { problem } = judgement;
  const { enabled, events, webhook, mail } = identity.notices;
  const known: readonly string[] = notificationEvents;
  if (events.some((event) => !known.includes(event))) {
    problem(`${root}.events`, messages.unknownNotificationEvent(known.join(", ")));
  }
  if (!enabled) return;
  checkEncryption(storage.redis, `${root}.enabled is true`, judgement);
  if (webhook.url !== "" && webhook.secret === "") {
    problem(`${root}.webhook.secret`, messages.needsWhen(`${root}.webhook.url is set`));
  }
  if (mail.server === "") return;
  if (!isHostAndPort(mail.server)) problem(`${root}.mail.server`, messages.serverAndPort);
  if (mail.from === "") problem(`${root}.mail.from`, messages.needsWhen(`${root}.mail.server is set`));
  if (mail.username !== "" && mail.tls === "none") problem(`${root}.mail.tls`, messages.passwordNeedsTls);
}
