import { flag, section, text, texts } from "./fields.ts";

const role = (name: string) => texts(`Groups, or values of role_attribute, whose accounts have the role ${name}.`);

/** The console for operators. */
export const Console = section(
  "Console for operators in the browser. It exists if runtime.servers.http.console_address is set.",
  {
    url: text("Origin under which the operators' browsers reach the console, such as https://console.example.org.", {
      form: "http-url",
    }),
    client_id: text(
      "Client of the console in identity.oidc.clients. It has a client_secret, the scopes openid and profile, and /console/callback below url among its redirect_uris.",
      { maxLength: 200 },
    ),
    account_claim: text(
      "Claim of the ID token with the operator's account name. Users must not be able to change its value.",
      { default: "preferred_username", minLength: 1, maxLength: 128 },
    ),
    role_attribute: text(
      "Backend attribute that determines the roles of accounts. If empty, the names of their groups do. Users must not be able to change its values.",
      { maxLength: 256, reload: "live" },
    ),
    roles: section(
      "Who may use the console. An account with several roles has the highest.",
      {
        helpdesk: role("helpdesk, which may search, unban, flush and unlock"),
        security: role("security, which may also end sessions and reset second factors"),
        admin: role("admin, which may do everything"),
      },
      { reload: "live" },
    ),
    helpdesk_resets_factors: flag("Whether the role helpdesk may reset second factors.", { reload: "live" }),
  },
);
