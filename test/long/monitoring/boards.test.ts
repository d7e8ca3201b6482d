import { globSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ChildServer, freePort, poll, scratchFolder, startChildServer } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { createBrowser } from "../../support/browser.ts";
import { makeCertificate } from "../../support/certificates.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { startTraceReceiver } from "../../support/trace-receiver.ts";

const root = join(import.meta.dirname, "../../..");

interface Board {
  readonly title: string;
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: string | { readonly query: string } }[];
  };
}

const boards = globSync("deploy/monitoring/dashboards/*.json", { cwd: root }).map(
  (path): Board => JSON.parse(readFileSync(join(root, path), "utf8")),
);

const owned = new AsyncDisposableStack();
let stack: Stack;
let prometheus: string;

/** Prometheus with the rules of the deployment, and with the services as its jobs. */
async function startPrometheus(): Promise<string> {
  const folder = owned.use(await scratchFolder());
  const jobs = [...stack.services].map(([name, { privatePort }]) => ({
    job_name: name,
    static_configs: [{ targets: [`127.0.0.1:${privatePort}`] }],
  }));
  const config = {
    global: { scrape_interval: "2s", evaluation_interval: "2s" },
    rule_files: ["alerts", "slo"].map((name) => join(root, `deploy/monitoring/${name}.yaml`)),
    scrape_configs: jobs,
  };
  await writeFile(join(folder.path, "prometheus.yaml"), JSON.stringify(config));
  const port = await freePort();
  const args = [
    "--config.file=prometheus.yaml",
    `--storage.tsdb.path=${folder.path}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const server: ChildServer = await startChildServer({ command: "prometheus", args, cwd: folder.path, port });
  owned.use(server);
  return `http://127.0.0.1:${port}`;
}

/** @throws if Prometheus refuses the query */
async function resultOf(path: string, parameters: Readonly<Record<string, string>>): Promise<readonly unknown[]> {
  const response = await fetch(`${prometheus}/api/v1/${path}?${new URLSearchParams(parameters)}`);
  const { status, error, data } = Object(await response.json());
  if (status !== "success") throw new Error(`${JSON.stringify(parameters)}: ${error}`);
  return path === "query" ? data.result : data;
}

/** What Grafana sends while all instances are chosen. */
const asSent = (query: string): string =>
  query.replaceAll("$__rate_interval", "30s").replaceAll(/\$(?:namespace|instance)/gu, ".*");

/** Only the gateway of this stack has a certificate, and no engine a shadow. */
const withoutSeries = new Set([
  ...["auth-engine", "idp", "admin", "jobs-worker"].map((one) => `Postern: ${one}: First certificate expires in`),
  "Postern: auth-engine: Requests compared with the shadow",
  "Postern: auth-engine: Differences of the shadow",
]);

async function panelsWithoutSeries(): Promise<readonly string[]> {
  const results = boards.flatMap(({ title: board, panels }) =>
    panels.flatMap(({ title, targets = [] }) =>
      targets.map(async ({ expr }) => {
        const found = await resultOf("query", { query: asSent(expr) });
        return found.length > 0 ? [] : [`${board}: ${title}`];
      }),
    ),
  );
  return (await Promise.all(results)).flat();
}

async function signIns(): Promise<void> {
  await askJson(stack.url, alice);
  await askJson(stack.url, { ...alice, password: "wrong" });
  await askJson(stack.url, { ...alice, client_ip: "unknown" });
  const browser = createBrowser([stack.idpUrl]);
  await browser.submit(await browser.open("/mfa/register/home"), {
    username: alice.username,
    password: alice.password,
  });
}

beforeAll(async () => {
  const { path: folder } = owned.use(await scratchFolder());
  await makeCertificate(folder, "grpc", "/CN=localhost");
  const receiver = owned.use(await startTraceReceiver());
  const grpc = {
    enabled: true,
    address: `127.0.0.1:${await freePort()}`,
    tls: { enabled: true, cert: join(folder, "grpc.crt"), key: join(folder, "grpc.key") },
  };
  const server = { host: "mail.example.test" };
  stack = owned.use(
    await startStack({
      redis: true,
      services: ["idp", "admin", "jobs-worker"],
      // What has metrics only while it is on.
      settings: {
        auth: {
          controls: { enabled: ["brute_force"] },
          backends: { lua: { modules: { metrics: { names: ["site_counter"] } } } },
        },
        identity: {
          frontend: { enabled: true },
          mail_clients: { enabled: true, domains: [{ names: ["example.test"], imap: server, smtp: server }] },
          oidc: { enabled: true, issuer: "http://localhost:8080" },
          saml: {
            enabled: true,
            entity_id: "http://localhost:8080/saml/metadata",
            persistent_id_secret: "a-secret-that-is-kept-for-ever",
            service_providers: [{ entity_id: "urn:test:plain", acs_url: "https://plain.example.test/acs" }],
          },
        },
        observability: { audit_history: { enabled: true }, tracing: { enabled: true, endpoint: receiver.url } },
        runtime: {
          developer_mode: true,
          regions: { name: "east", peers: ["west"] },
          servers: { grpc: { authority: grpc } },
        },
      },
    }),
  );
  prometheus = await startPrometheus();
});

afterAll(() => owned.disposeAsync());

beforeAll(async () => {
  // Prometheus computes a rate from two scrapes.
  for (let scrapes = 0; scrapes < 3; scrapes += 1) {
    await signIns();
    const sent = Date.now() / 1000;
    await poll("a scrape and an evaluation", async () => {
      const query = "min(timestamp(up)) and min(timestamp(postern:requests:rate5m))";
      const [latest] = await resultOf("query", { query });
      return Number(Object(latest).value?.[1]) > sent;
    });
  }
});

test("every panel of every board has series after some sign-ins", async () => {
  const other = (await panelsWithoutSeries()).filter((panel) => !withoutSeries.has(panel));
  expect(other).toEqual([]);
});

test.each([
  "Decisions",
  "Password checks",
  "Steps of browser sign-ins",
  "Failed sign-ins",
  "Client addresses that were ignored",
])("the overview shows the traffic: %s", async (name) => {
  const panel = boards.find(({ title }) => title === "Postern: overview")?.panels.find(({ title }) => title === name);
  const found = await resultOf("query", { query: asSent(panel?.targets?.[0]?.expr ?? "") });
  expect(Math.max(...found.map((series) => Number(Object(series).value?.[1])))).toBeGreaterThan(0);
});

test("the instances of each board can be chosen", async () => {
  const results = boards.flatMap(({ templating }) =>
    templating.list.flatMap(({ name, query }) => {
      if (name !== "instance" || typeof query === "string") return [];
      const selector = asSent(query.query).replace(/^label_values\((.+), instance\)$/u, "$1");
      return [resultOf("label/instance/values", { "match[]": selector })];
    }),
  );
  const counts = (await Promise.all(results)).map((found) => found.length);
  expect(counts.toSorted((left, right) => left - right)).toEqual([1, 1, 1, 1, 1, 5]);
});

test("the alert about ignored client addresses sees a caller that sends no address", async () => {
  const query = 'ALERTS{alertname="PosternClientAddressIgnored",dialect="json",reason="unreadable"}';
  expect(await resultOf("query", { query })).toHaveLength(1);
});
