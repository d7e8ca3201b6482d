import { type Dovecot, freePort, type Postfix, spawnDovecot, spawnPostfix } from "@postern/testing";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";
import { demoBackends, merged, type Tree } from "../../support/stack-config.ts";
import { shipped } from "./dovecot-setting.ts";

export const mailScope = "urn:ietf:params:oauth:scope:mail";

/** Mail servers in front of two engines, and an identity provider with which mail clients register. */
export interface MailServersSetting extends AsyncDisposable {
  readonly stack: Stack;
  readonly issuer: string;
  /** Asks the engines about each token. Postfix uses its authentication. */
  readonly asking: Dovecot;
  /** Introspects each token. */
  readonly introspecting: Dovecot;
  /** Undefined without root, which Postfix needs. */
  readonly postfix: Postfix | undefined;
}

const mfa = {
  enabled: true,
  queries: {
    totp_read: "SELECT totp_secret FROM users WHERE username = :account",
    totp_write: "UPDATE users SET totp_secret = :secret WHERE username = :account",
    totp_delete: "UPDATE users SET totp_secret = NULL WHERE username = :account",
  },
};

function backends(folder: string): Tree {
  const { sql, ...rest } = Object(demoBackends(folder));
  return { ...rest, sql: { ...sql, search: [merged(sql.search[0], { mfa })] } };
}

function settings(issuer: string): Tree {
  const server = { host: "mail.example.test" };
  return {
    auth: {
      backchannel: { oidc_bearer: { enabled: true, issuer } },
      oauthbearer: { enabled: true },
    },
    identity: {
      frontend: { enabled: true },
      mail_clients: {
        enabled: true,
        oauth2: { enabled: true },
        domains: [{ names: ["example.test"], imap: server, smtp: server }],
      },
      oidc: {
        enabled: true,
        issuer,
        mail_registration: { enabled: true, resources: ["mail.example.test"] },
        clients: [
          {
            client_id: "dovecot",
            client_secret: "dovecot-secret",
            resource_server: true,
            protocols: ["imap", "submission"],
            grant_types: [],
            scopes: [],
          },
        ],
      },
    },
  };
}

interface AskingSetting {
  readonly url: string;
  readonly issuer: string;
  readonly saslPort: number;
}

/** Dovecot that passes passwords and tokens to Postern, and answers Postfix. */
async function startAsking({ url, issuer, saslPort }: AskingSetting): Promise<Dovecot> {
  const discovery = (await shipped("oauth2-discovery.conf.ext")).replace("https://id.example.com", issuer);
  const config = `${await shipped("dovecot.conf")}
${await shipped("dovecot-discovery.conf")}
service auth {
  inet_listener postfix {
    address = 127.0.0.1
    port = ${saslPort}
  }
}
`;
  const lua = (await shipped("postern.lua"))
    .replace("http://127.0.0.1:9080", url)
    .replace(/Basic [\w=]+(?=")/, basicAuth);
  const files = { "/etc/dovecot/postern.lua": lua, "/etc/dovecot/oauth2-discovery.conf.ext": discovery };
  return spawnDovecot({ config, files });
}

async function startIntrospecting(issuer: string): Promise<Dovecot> {
  const oauth = (await shipped("oauth2-introspection.conf.ext"))
    .replaceAll("https://id.example.com", issuer.replace("localhost", "127.0.0.1"))
    .replace("change-me", "dovecot-secret");
  const discovery = `openid_configuration_url = ${issuer}/.well-known/openid-configuration\nscope = ${mailScope}\n`;
  const files = { "/etc/dovecot/oauth2.conf.ext": `${oauth}\n${discovery}` };
  return spawnDovecot({ config: await shipped("dovecot-oauth2.conf"), files });
}

const mainConfig = (saslPort: number): string => `
myhostname = mail.example.test
mydestination = example.test
mynetworks =
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:127.0.0.1:${saslPort}
smtpd_sasl_security_options = noanonymous
smtpd_relay_restrictions = permit_sasl_authenticated, reject
`;

export async function startMailServersSetting(): Promise<MailServersSetting> {
  await using started = new AsyncDisposableStack();
  const [httpPort, saslPort] = [await freePort(), await freePort()];
  // Passkeys need a host name.
  const issuer = `http://localhost:${httpPort}`;
  const stack = started.use(
    await startStack({ redis: true, engines: 2, httpPort, services: ["idp"], backends, settings: settings(issuer) }),
  );
  const asking = started.use(await startAsking({ url: stack.url, issuer, saslPort }));
  const introspecting = started.use(await startIntrospecting(issuer));
  const isRoot = process.getuid?.() === 0;
  const postfix = isRoot ? started.use(await spawnPostfix({ config: mainConfig(saslPort) })) : undefined;
  const owned = started.move();
  return { stack, issuer, asking, introspecting, postfix, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
