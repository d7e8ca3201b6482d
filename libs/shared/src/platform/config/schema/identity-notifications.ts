import { notificationEvents } from "../../../contracts/events.ts";
import { boolean, choice, duration, secret, section, string, stringList } from "./fields.ts";

const longestDeliveryMs = 20_000;

const Webhook = section("User notifications as JSON to a service of the site, signed according to Standard Webhooks.", {
  url: string("", {
    description: "URL to which user notifications are posted. If empty, none are posted.",
    form: "http-url",
  }),
  secret: secret({
    description: "Signing key. A value that begins with `whsec_` is decoded as Base64.",
    minLength: 16,
  }),
  timeout: duration("5s", {
    description: "Timeout of one delivery attempt.",
    minimum: 100,
    maximum: longestDeliveryMs,
  }),
});

const Mail = section(
  "User notifications by mail to the users themselves, in the language of the page that they used.",
  {
    server: string("", { description: "SMTP server, as host:port. If empty, no mail is sent." }),
    tls: choice(["starttls", "implicit", "none"], "starttls", { description: "Encryption of the SMTP connection." }),
    username: string("", { description: "User name for the SMTP server. If empty, no login takes place." }),
    password: secret({ description: "Password for the SMTP server." }),
    from: string("", { description: "Sender address." }),
    address_attribute: string("mail", { description: "Backend attribute with the user's mail address." }),
    timeout: duration("10s", {
      description: "Timeout of one delivery attempt.",
      minimum: 100,
      maximum: longestDeliveryMs,
    }),
  },
);

/** User notifications. */
export const IdentityNotifications = section(
  "User notifications about new devices, changed second factors and used recovery codes, as events on the bus, webhook calls and mail.",
  {
    enabled: boolean(false, {
      description: "Whether user notifications are sent. They require storage.redis.encryption_secret and jobs-worker.",
    }),
    events: stringList([...notificationEvents], { description: "Events about which users are notified." }),
    webhook: Webhook,
    mail: Mail,
  },
  { reload: "restart" },
);
