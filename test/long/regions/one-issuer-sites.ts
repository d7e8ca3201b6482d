import { generateKeyPairSync } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { poll, scratchFolder } from "@postern/testing";
import { factorBackends } from "../../integration/idp/idp-stack.ts";
import {
  browserOver,
  codeOf,
  follow,
  post,
  type Region,
  regions,
} from "../../integration/one-issuer/issuer-regions.ts";
import type { Browser, Page } from "../../support/browser.ts";
import { demoSeedFile } from "../../support/demo-users.ts";
import { type JoinedSites, startJoinedSites } from "../../support/joined-sites.ts";
import type { LinkProxy } from "../../support/link-proxy.ts";
import { askReplicas, callback, type OidcStack } from "../../support/oidc-stack.ts";
import type { Tokens } from "../../support/relying-party.ts";
import type { Stack } from "../../support/stack.ts";
import type { Tree } from "../../support/stack-config.ts";

const issuer = "https://issuer.example.test";
const scope = "openid email offline_access imap";
const scopes = ["openid", "email", "offline_access", "imap"];
const web = { redirect_uris: [callback], scopes, skip_consent: true };

/** `factor` is a client that requires the second factor. */
export type Client = "web" | "signed" | "factor";

const clients: readonly Tree[] = [
  { ...web, client_id: "web", client_secret: "web-secret" },
  { ...web, client_id: "signed", client_secret: "signed-secret", access_token_type: "jwt" },
  { ...web, client_id: "factor", client_secret: "factor-secret", require_mfa: ["totp"] },
];

/** The challenge of a code (PKCE, RFC 7636), so that each region can be sent the same redemption. */
const verifier = "v".repeat(43);
const challenge = "7w_YNF9DSfIdPf_pRjSq646_kPr-2-o9NAl16JGghdM";

export const passwords = { first: "alice-demo-password", second: "bob-demo-password" } as const;
export const factorSecret = "JBSWY3DPEHPK3PXP";
const usersOfEach = 48;
export const userOf = (number: number): string => `user${number}@example.test`;
export const otherOf = { east: "west", west: "east" } as const;

/** Whose codes and tokens the regions keep. */
export const tokenUser = userOf(usersOfEach - 1);
export const factorUserOf = (number: number): string => `factor${number}@example.test`;

export interface IssuerSites extends AsyncDisposable {
  readonly link: LinkProxy;
  readonly stacks: Readonly<Record<Region, Stack>>;
  readonly both: Pick<OidcStack, "ask">;
  urlOf(region: Region): string;
  /** Until a request at each region is answered by the other one. */
  joined(): Promise<void>;
  /** In the directories of both regions, without telling their services. */
  setPassword(user: string, password: keyof typeof passwords): void;
}

/** The demo's users, and many with the password of alice, half of whom have an authenticator app. */
async function seedIn(folder: string) {
  const demo = await readFile(demoSeedFile, "utf8");
  const hashOf = (name: string): string =>
    new RegExp(`'${name}@example\\.test',\\s+'([^']+)'`, "u").exec(demo)?.[1] ?? "";
  const hashes = { first: hashOf("alice"), second: hashOf("bob") };
  const rows = Array.from({ length: usersOfEach }, (_, number) =>
    (
      [
        [userOf(number), "NULL"],
        [factorUserOf(number), `'${factorSecret}'`],
      ] as const
    ).map(([user, secret]) => `('${user}', '${hashes.first}', 'User', '${user}', '${user}', ${secret})`),
  );
  const users = `INSERT INTO users (username, password, display_name, mail, uid, totp_secret) VALUES ${rows.flat().join(", ")};`;
  const file = join(folder, "seed.sql");
  await writeFile(file, `${demo}\n${users}`);
  return { file, hashes };
}

function settingsOf(backends: Tree, key: string): Tree {
  return {
    runtime: { developer_mode: true, servers: { http: { rate_limit: { per_second: 10_000, burst: 10_000 } } } },
    auth: {
      backends,
      pipeline: { local_cache_ttl: "10m" },
      backchannel: { oidc_bearer: { enabled: true, issuer, revocation_ttl: "200ms" } },
      oauthbearer: { enabled: true, issuer, audience: ["web", "signed"], required_scope: ["imap"] },
    },
    identity: {
      frontend: { enabled: true },
      mfa: { totp: { max_attempts: 100, max_failures: 100 } },
      oidc: {
        enabled: true,
        issuer,
        clients,
        custom_scopes: [{ name: "imap", description: "Mail" }],
        scopes_supported: scopes,
        signing_keys: [{ id: "of-both", key, algorithm: "RS256" }],
        // Within the grace, both would rightly get the same successor.
        tokens: { refresh_token_grace: "0s" },
      },
    },
  };
}

/** Whether a region answers for a value of the other one, which does not exist. */
async function isReached(both: IssuerSites["both"], at: Region, keeps: Region): Promise<boolean> {
  const form = { grant_type: "refresh_token", refresh_token: `${keeps}~${"x".repeat(43)}` };
  return (await post({ both }, at, "/oidc/token", form)).status === 400;
}

function viewOf({ sites, links }: JoinedSites): Pick<IssuerSites, "link" | "stacks" | "both" | "urlOf" | "joined"> {
  const [east, west] = sites;
  const [link] = links;
  if (east === undefined || west === undefined || link === undefined) throw new Error("there are no two sites");
  const stacks = { east, west };
  const both = { ask: askReplicas([east.url, west.url]) };
  return {
    link,
    stacks,
    both,
    urlOf: (region) => stacks[region].url,
    joined: async () => {
      for (const at of regions) await poll("the link", () => isReached(both, at, otherOf[at]));
    },
  };
}

/** Two regions with one issuer. Each has two engines and every other service, its own Redis, NATS and directory. */
export async function startIssuerSites(): Promise<IssuerSites> {
  await using started = new AsyncDisposableStack();
  const folder = started.use(await scratchFolder());
  const { file, hashes } = await seedIn(folder.path);
  const places = new Map(regions.map((region) => [region as string, join(folder.path, region)]));
  await Promise.all([...places.values()].map((path) => mkdir(path)));
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = privateKey.export({ type: "pkcs8", format: "pem" });
  const sites = started.use(
    await startJoinedSites(regions, (name) => ({
      shape: "five",
      engines: 2,
      services: ["idp"],
      settings: settingsOf(factorBackends(places.get(name) ?? "", file, ["cache", "sql"]), key),
    })),
  );
  const databases = [...places.values()].map(
    (path) => new DatabaseSync(join(path, "directory.sqlite"), { timeout: 10_000 }),
  );
  started.defer(() => databases.forEach((database) => database.close()));
  const owned = started.move();
  return {
    ...viewOf(sites),
    setPassword: (user, password) => {
      for (const database of databases)
        database.prepare("UPDATE users SET password = ? WHERE username = ?").run(hashes[password], user);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function authorize(browser: Browser, client: Client): Promise<Page> {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: client,
    redirect_uri: callback,
    scope,
    state: "state-1",
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
  return browser.get(`/oidc/authorize?${query.toString()}`, { accept: "text/html" });
}

/** A new browser that has sent the password at one region. @returns the page that follows */
async function signedIn(sites: IssuerSites, region: Region, client: Client, username: string) {
  const browser = browserOver(sites, [region]);
  const form = await follow(browser, await authorize(browser, client));
  const page = await follow(browser, await browser.submit(form, { username, password: passwords.first }));
  return { browser, page };
}

/** A value that one region keeps, as it is sent to the token endpoint. */
export interface Value {
  readonly owner: Region;
  readonly form: Readonly<Record<string, string>>;
}

/** A code of a browser of its own, because what one session got ends together. */
export async function newCode(sites: IssuerSites, owner: Region, client: Client = "web"): Promise<Value> {
  const code = codeOf((await signedIn(sites, owner, client, tokenUser)).page);
  if (code === "") throw new Error(`a valid sign-in at ${owner} got no code`);
  const form = { client, grant_type: "authorization_code", code, redirect_uri: callback, code_verifier: verifier };
  return { owner, form };
}

/** The tokens of a new sign-in at one region. */
export async function newTokens(sites: IssuerSites, owner: Region, client: Client = "web"): Promise<Tokens["body"]> {
  const { status, body } = await post(sites, owner, "/oidc/token", (await newCode(sites, owner, client)).form);
  if (status !== 200) throw new Error(`a valid code at ${owner} got ${status}`);
  return body;
}

export async function newRefreshToken(sites: IssuerSites, owner: Region): Promise<Value> {
  const { refresh_token: token } = await newTokens(sites, owner);
  return { owner, form: { client: "web", grant_type: "refresh_token", refresh_token: String(token) } };
}

/** A browser of one region at the page of its user's second factor. */
export async function atFactor(sites: IssuerSites, region: Region, username: string) {
  const { browser } = await signedIn(sites, region, "factor", username);
  return { browser, page: await browser.get("/login/totp") };
}
