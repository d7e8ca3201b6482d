import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Dovecot, spawnDovecot } from "@postern/testing";
import { parse } from "yaml";
import { shipped } from "../../integration/interop/dovecot-setting.ts";
import { repository } from "../../integration/interop/nginx-setting.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { merged, type Tree } from "../../support/stack-config.ts";

export const clientSecret = "a1b2c3d4e5f60718293a4b5c6d7e8f90";

/** The first block of this language after the heading on the page about applications. */
export async function blockOfPage(language: string, heading: string): Promise<string> {
  const page = await readFile(join(repository, "docs/connect/applications.md"), "utf8");
  const text = page.slice(page.indexOf(heading));
  const [, block = ""] = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "m").exec(text) ?? [];
  return block;
}

/** The client of the page, with access tokens that are valid for `lifetime`. */
async function clientOfPage(clientId: string, lifetime: string): Promise<Tree> {
  const { identity } = Object(parse(await blockOfPage("yaml", "## Register the clients")));
  const client = identity.oidc.clients.find(({ client_id }: Tree) => client_id === clientId);
  return merged(client, { client_secret: clientSecret, access_token_lifetime: lifetime });
}

/** Postern with its pages, this client of the page, and Dovecot as resource server. */
export async function startPostern(clientId: string, httpPort: number, lifetime: string): Promise<Stack> {
  const dovecot = {
    client_id: "dovecot",
    client_secret: "dovecot-secret",
    resource_server: true,
    grant_types: [],
    scopes: [],
  };
  const issuer = `http://localhost:${httpPort}`;
  const oidc = { enabled: true, issuer, clients: [await clientOfPage(clientId, lifetime), dovecot] };
  return startStack({
    redis: true,
    httpPort,
    services: ["idp"],
    settings: { identity: { frontend: { enabled: true }, oidc } },
  });
}

/** Dovecot that accepts the access tokens of this Postern. */
export async function startDovecot(url: string): Promise<Dovecot> {
  const introspection = (await shipped("oauth2-introspection.conf.ext"))
    .replaceAll("https://id.example.com", url)
    .replace("change-me", "dovecot-secret");
  return spawnDovecot({
    config: await shipped("dovecot-oauth2.conf"),
    files: { "/etc/dovecot/oauth2.conf.ext": introspection },
  });
}

/** Whether a client has obtained an access token for a refresh token. */
export async function hasRefreshed(stack: Stack): Promise<boolean> {
  const metrics = (await stack.services.get("idp")?.metrics()) ?? "";
  return /grants_total\{(?=[^}]*grant="refresh_token")(?=[^}]*result="issued")[^}]*\} [1-9]/.test(metrics);
}
