import { type Html, html } from "@postern/shared/platform/pages";
import type { Texts } from "../texts.ts";

export interface ShownServer {
  readonly protocol: "IMAP" | "POP3" | "SMTP";
  readonly host: string;
  readonly port: number;
  readonly security: "SSL/TLS" | "STARTTLS";
}

export interface ServersView {
  readonly userName: string;
  readonly servers: readonly ShownServer[];
}

/** The servers of the pages' samples. */
export const sampleServers: readonly ShownServer[] = [
  { protocol: "IMAP", host: "mail.example.test", port: 993, security: "SSL/TLS" },
  { protocol: "SMTP", host: "mail.example.test", port: 465, security: "SSL/TLS" },
];

interface ServersParts extends Partial<ServersView> {
  /** The user needs the settings now. */
  readonly isOpen?: boolean;
}

/** The settings, for clients that do not find them. `userName` is left out where the page shows it already. */
export function serversOf({ userName, servers, isOpen = false }: ServersParts, text: Texts): Html {
  const rows = servers?.map(
    ({ protocol, host, port, security }) =>
      html`<dt>${protocol}</dt><dd><code>${host}</code><span>${text("mail_client.port", { port: String(port) })}, ${security}</span></dd>`,
  );
  return html`<details class="manual"${isOpen && " open"}><summary>${text("mail_client.settings")}</summary><dl class="facts">${
    userName !== undefined && html`<dt>${text("app_passwords.username")}</dt><dd><code>${userName}</code></dd>`
  }${rows}</dl></details>`;
}

export interface PasswordView {
  readonly userName: string;
  readonly password: string;
}

/** A new app password on one line, as it is typed into a mail program; with script, it can be copied. */
export function passwordOf({ userName, password }: PasswordView, text: Texts): Html {
  const label = text("login.password");
  return html`<dl class="facts"><dt>${text("app_passwords.username")}</dt><dd><code>${userName}</code></dd><dt>${label}</dt><dd class="whole"><code id="password">${password}</code></dd></dl>
<div class="tools"><button type="button" class="quiet" data-from="password" data-copy="${text("codes.copied")}" hidden>${text("codes.copy")}<span class="hidden"> ${label}</span></button></div>`;
}
