import { noticeEvents } from "../../contracts/idp/events.ts";
import { choice, duration, flag, secret, section, text, texts } from "./fields.ts";

const longestDeliveryMs = 20_000;

const Webhook = section("Notices as JSON to a service of the site, signed as Standard Webhooks says.", {
  url: text("", { description: "Where they are posted; empty: nowhere.", form: "http-url" }),
  secret: secret({
    description: "Key of their signature; after whsec_ it is base64.",
    minLength: 16,
  }),
  timeout: duration("5s", { description: "For one attempt.", minimum: 100, maximum: longestDeliveryMs }),
});

const Mail = section("Notices to the users themselves, in the language of the page that they saw.", {
  server: text("", { description: "SMTP server as host:port; empty: no mail." }),
  tls: choice(["starttls", "implicit", "none"], "starttls", { description: "Encryption of the connection." }),
  username: text("", { description: "User at the server; empty: no login." }),
  password: secret({ description: "Its password." }),
  from: text("", { description: "Sender." }),
  address_attribute: text("mail", { description: "Attribute of the directory that has the user's address." }),
  timeout: duration("10s", { description: "For one attempt.", minimum: 100, maximum: longestDeliveryMs }),
});

/** What is told of changes to accounts. */
export const IdentityNotices = section(
  "Notices of new devices, changed factors and used recovery codes: events on the bus, webhooks and mail.",
  {
    enabled: flag(false, { description: "Tell of them; needs storage.redis.encryption_secret and jobs-worker." }),
    events: texts([...noticeEvents], { description: "What is told." }),
    webhook: Webhook,
    mail: Mail,
  },
  { reload: "restart" },
);
