import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type NatsServer, scratchFolder, spawnNats } from "@postern/testing";
import { type Browser, createBrowser, type Page } from "../../support/browser.ts";
import { demoSeedFile } from "../../support/demo-users.ts";
import { askReplicas, callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { answerOf, type Tokens } from "../../support/relying-party.ts";
import { merged, type Tree } from "../../support/stack-config.ts";
import { factorBackends, moreRows } from "../idp/idp-stack.ts";

const issuer = "https://issuer.example.test";
export const regionCookie = "__Host-service_region";
export const regions = ["east", "west"] as const;
export type Region = (typeof regions)[number];

const scopes = ["openid", "profile", "email", "offline_access", "imap"];
const web = { redirect_uris: [callback], scopes, skip_consent: true };

const clients: readonly Tree[] = [
  { ...web, client_id: "web", client_secret: "web-secret" },
  { ...web, client_id: "signed", client_secret: "signed-secret", access_token_type: "jwt" },
  { ...web, client_id: "factor", client_secret: "factor-secret", require_mfa: ["totp", "recovery"] },
  { client_id: "tv", scopes, grant_types: ["urn:ietf:params:oauth:grant-type:device_code"] },
];

/**
 * Two regions with one issuer. Each has its own services and Redis, and a directory that has not yet heard of what was used in the other one's.
 */
export interface RegionPair extends AsyncDisposable {
  /** Joins them. */
  readonly nats: NatsServer;
  readonly stacks: Readonly<Record<Region, OidcStack>>;
  /** Both, as clients reach them through one name: each request to the other one. */
  readonly both: OidcStack;
  urlOf(region: Region): string;
}

const other = { east: "west", west: "east" } as const;

function settingsOf(region: Region, nats: NatsServer, backends: Tree): Tree {
  return {
    runtime: { regions: { name: region, peers: [other[region]], bus: { servers: [nats.url] } } },
    auth: { backends, oauthbearer: { issuer: issuer } },
  };
}

export async function startRegionPair(): Promise<RegionPair> {
  await using started = new AsyncDisposableStack();
  const folder = started.use(await scratchFolder());
  const nats = started.use(await spawnNats());
  const seedFile = join(folder.path, "seed.sql");
  await writeFile(seedFile, `${await readFile(demoSeedFile, "utf8")}${moreRows}`);
  const directories = { east: join(folder.path, "east"), west: join(folder.path, "west") };
  await Promise.all(Object.values(directories).map((path) => mkdir(path)));
  const start = async (region: Region): Promise<OidcStack> =>
    started.use(
      await startOidcStack(
        clients,
        {
          issuer: issuer,
          custom_scopes: [{ name: "imap", description: "Mail" }],
          scopes_supported: scopes,
          dynamic_registration: { enabled: true, open: true, per_minute: 1000, max_pending_per_network: 1000 },
        },
        {
          oauthbearer: { audience: ["web"], required_scope: ["imap"] },
          more: merged(settingsOf(region, nats, factorBackends(directories[region], seedFile)), {
            runtime: { developer_mode: true },
            identity: { mfa: { totp: { max_attempts: 100, max_failures: 100 } } },
          }),
        },
      ),
    );
  const east = await start("east");
  const west = await start("west");
  const urls = { east: east.stack.url, west: west.stack.url };
  const replicas = [urls.east, urls.west];
  const owned = started.move();
  return {
    nats,
    stacks: { east, west },
    both: { ...east, replicas, ask: askReplicas(replicas) },
    urlOf: (region) => urls[region],
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The region that a code or token names. */
export function regionOf(value: unknown): string | undefined {
  return /^([a-z]+)~/.exec(String(value))?.[1];
}

export const codeOf = (page: Parameters<typeof answerOf>[0]): string => answerOf(page).get("code") ?? "";

/** A browser whose requests reach these regions in turn. */
export function browserOver(pair: Pick<RegionPair, "urlOf">, reached: readonly Region[] = regions) {
  return createBrowser(reached.map((region) => pair.urlOf(region)));
}

/** Follows the redirects within the issuer, over whatever region comes next. */
export async function follow(browser: Browser, page: Page): Promise<Page> {
  let now = page;
  for (let hops = 0; hops < 10; hops += 1) {
    const place = now.location?.replace(issuer, "");
    if (place?.startsWith("/") !== true) return now;
    now = await browser.get(place);
  }
  return now;
}

/** Sends a client's form to one region. */
export async function post(
  { both }: { readonly both: Pick<OidcStack, "ask"> },
  region: Region,
  path: string,
  { client = "web", ...form }: Record<string, string>,
): Promise<Tokens> {
  const headers = client === "" ? {} : { authorization: `Basic ${btoa(`${client}:${client}-secret`)}` };
  const body = new URLSearchParams(form);
  const response = await both.ask(regions.indexOf(region), path, { method: "POST", headers, body });
  const text = await response.text();
  const answer = text.startsWith("{") ? Object(JSON.parse(text)) : {};
  return { status: response.status, body: answer, headers: response.headers };
}
