import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort, scratchFolder, spawnNginx } from "@postern/testing";
import { parse } from "yaml";
import { makeCertificate, makeSignedCertificate } from "../../support/certificates.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { isTree, merged, type Tree } from "../../support/stack-config.ts";
import { startTcpRecorder, type TcpRecorder } from "../../support/tcp-server.ts";
import { startUpstreamServer, type UpstreamServer } from "../../support/upstream-servers.ts";

export const repository = fileURLToPath(new URL("../../../", import.meta.url));

const listeners = { imap: 143, imaps: 993, pop3: 110, pop3s: 995, submission: 587, submissions: 465 } as const;

export type Listener = keyof typeof listeners;

/** nginx with the shipped configuration, between mail clients and mail servers, in front of running services. */
export interface NginxSetting extends AsyncDisposable {
  readonly ports: Readonly<Record<Listener, number>>;
  readonly stack: Stack;
  readonly mailServers: Readonly<Record<"imap" | "pop3" | "smtp", UpstreamServer>>;
  /** The requests of nginx. */
  readonly recorder: TcpRecorder;
  /** The folder has `client.crt` and `client.key` of a client whose certificate the shipped configuration accepts. */
  readonly folder: string;
}

async function shippedPostern(): Promise<Tree> {
  const tree: unknown = parse(await readFile(join(repository, "deploy/nginx/postern.yaml"), "utf8"));
  if (!isTree(tree)) throw new Error("deploy/nginx/postern.yaml contains no object");
  return tree;
}

/** The shipped file, with the ports and the folder of the test. */
async function shippedNginx(ports: NginxSetting["ports"], gatewayPort: number, folder: string): Promise<string> {
  const text = await readFile(join(repository, "deploy/nginx/mail.conf"), "utf8");
  const numbers = new Map(Object.entries(listeners).map(([name, port]) => [String(port), name]));
  const isListener = (name: string): name is Listener => Object.hasOwn(listeners, name);
  return text
    .replaceAll(/(listen\s+)(\d+)/g, (_match, listen: string, port: string) => {
      const name = numbers.get(port) ?? "";
      if (!isListener(name)) throw new Error(`no listener on ${port}`);
      return `${listen}127.0.0.1:${ports[name]}`;
    })
    .replace("127.0.0.1:9080", `127.0.0.1:${gatewayPort}`)
    .replaceAll("/etc/nginx/mail/", `${folder}/`);
}

const many = Array.from({ length: 12 }, (_, index) => `note${index}`);

/** The demo's users with more attributes than nginx can read in one response. */
const talkativeSearch = {
  protocol: ["*"],
  cache_name: "talkative",
  queries: {
    user: `SELECT username AS account, password, mail, hex(zeroblob(700)) AS essay, ${many
      .map((name) => `hex(zeroblob(20)) AS ${name}`)
      .join(", ")} FROM users WHERE username = :username`,
  },
  mapping: { account_field: "account", password_column: "password" },
  attribute: ["mail", "essay", ...many],
};

async function makeCertificates(folder: string): Promise<void> {
  await makeCertificate(folder, "server", "/CN=mail.example.test");
  await makeCertificate(folder, "clients-ca", "/CN=Clients");
  await makeSignedCertificate(folder, { name: "client", subject: "/O=Example/CN=alice", issuer: "clients-ca" });
}

async function freePorts(): Promise<NginxSetting["ports"]> {
  return {
    imap: await freePort(),
    imaps: await freePort(),
    pop3: await freePort(),
    pop3s: await freePort(),
    submission: await freePort(),
    submissions: await freePort(),
  };
}

/** `smtp` is the port of a mail server that replaces the recording one. */
export async function startNginxSetting({ smtp }: { readonly smtp?: number } = {}): Promise<NginxSetting> {
  await using started = new AsyncDisposableStack();
  const { path: folder } = started.use(await scratchFolder());
  await makeCertificates(folder);
  const mailServers = {
    imap: started.use(await startUpstreamServer("imap")),
    pop3: started.use(await startUpstreamServer("pop3")),
    smtp: started.use(await startUpstreamServer("smtp")),
  };
  const upstreams = Object.fromEntries(Object.entries(mailServers).map(([name, { port }]) => [name, { port }]));
  if (smtp !== undefined) upstreams["smtp"] = { port: smtp };
  const httpPort = await freePort();
  const stack = started.use(
    await startStack({
      shape: "five",
      httpPort,
      settings: merged(await shippedPostern(), {
        runtime: { servers: { http: { address: [`127.0.0.1:${httpPort}`] } } },
        auth: { upstreams, backends: { sql: { search: [talkativeSearch] } } },
      }),
    }),
  );
  const recorder = started.use(await startTcpRecorder(() => httpPort));
  const ports = await freePorts();
  const config = await shippedNginx(ports, recorder.port, folder);
  started.use(await spawnNginx({ config, port: ports.imap, modules: ["ngx_mail_module"] }));
  const owned = started.move();
  return { ports, stack, mailServers, recorder, folder, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
