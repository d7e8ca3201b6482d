import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type NatsServer, scratchFolder, spawnNats } from "@postern/testing";
import { createBrowser } from "../../support/browser.ts";
import { demoSeedFile } from "../../support/demo-users.ts";
import { askReplicas, callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { answerOf } from "../../support/relying-party.ts";
import { merged, type Tree } from "../../support/stack-config.ts";
import { factorBackends, moreRows } from "../idp/idp-stack.ts";

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

/** Two regions with one issuer. Each has its own services and Redis; they share the directory, and the NATS that joins them. */
export interface RegionPair extends AsyncDisposable {
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
    auth: { backends, oauthbearer: { issuer: "https://issuer.example.test" } },
  };
}

export async function startRegionPair(): Promise<RegionPair> {
  await using started = new AsyncDisposableStack();
  const folder = started.use(await scratchFolder());
  const nats = started.use(await spawnNats());
  const seedFile = join(folder.path, "seed.sql");
  await writeFile(seedFile, `${await readFile(demoSeedFile, "utf8")}${moreRows}`);
  const backends = factorBackends(folder.path, seedFile);
  const start = async (region: Region): Promise<OidcStack> =>
    started.use(
      await startOidcStack(
        clients,
        {
          issuer: "https://issuer.example.test",
          custom_scopes: [{ name: "imap", description: "Mail" }],
          scopes_supported: scopes,
        },
        {
          oauthbearer: { audience: ["web"], required_scope: ["imap"] },
          more: merged(settingsOf(region, nats, backends), {
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
export function browserOver(pair: RegionPair, reached: readonly Region[] = regions) {
  return createBrowser(reached.map((region) => pair.urlOf(region)));
}
