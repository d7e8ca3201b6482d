import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { pathTo } from "@postern/shared/contracts";
import { freePort, poll } from "@postern/testing";
import { makeCertificate, makeSignedCertificate } from "../../test/support/certificates.ts";
import { startStack } from "../../test/support/stack.ts";
import type { Tree } from "../../test/support/stack-config.ts";
import type { ClientCertificate, Provided } from "./plans.ts";
import { spreadConnections } from "./spread-connections.ts";

const run = promisify(execFile);

const longestRotationMs = 60_000;

/** The password of the API caller in the test configuration. */
const backchannelSecret = "demo-backchannel-secret";

const commandLine = fileURLToPath(new URL("../../bin/postern", import.meta.url));
const seedFile = fileURLToPath(new URL("directory.sql", import.meta.url));

/** A certificate for localhost and its key, as `tls.crt` and `tls.key` in the folder. */
export async function makeTls(folder: string): Promise<void> {
  const names = "subjectAltName=DNS:localhost,IP:127.0.0.1";
  const files = ["-keyout", join(folder, "tls.key"), "-out", join(folder, "tls.crt")];
  const kind = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", names];
  await run("openssl", ["req", ...kind, ...files]);
}

function backends(folder: string): Tree {
  const attribute = ["displayName", "givenName", "sn", "middleName", "nickname", "mail", "verified", "telephoneNumber"];
  const others = ["postalAddress", "preferredLanguage", "zoneinfo", "gender", "birthdate", "labeledURI"];
  return {
    order: ["sql"],
    sql: {
      default: { file: join(folder, "directory.sqlite"), seed_file: seedFile },
      search: [
        {
          protocol: ["*"],
          cache_name: "conformance",
          queries: { user: "SELECT * FROM users WHERE account = :username" },
          mapping: { account_field: "account", password_column: "password", display_name_field: "displayName" },
          attribute: [...attribute, ...others, "uid", "profilePage", "pictureUrl", "updatedAt"],
        },
      ],
    },
  };
}

/** The authorities that Postern trusts in addition to the system's: its own and that of a suite that runs elsewhere. */
async function makeTrustFile(folder: string): Promise<string> {
  const { NODE_EXTRA_CA_CERTS: others } = process.env;
  const files = [join(folder, "tls.crt"), ...(others === undefined || others === "" ? [] : [others])];
  const file = join(folder, "trusted.crt");
  await writeFile(file, (await Promise.all(files.map((path) => readFile(path, "utf8")))).join("\n"));
  return file;
}

export interface Provider extends Provided {
  /** Rotates the signing keys. Resolves when both replicas publish the new ones. */
  readonly rotateKeys: () => Promise<void>;
}

async function publishedKeys(replica: string): Promise<number> {
  const { keys }: { keys: readonly unknown[] } = Object(await (await fetch(`${replica}${pathTo("jwks")}`)).json());
  return keys.length;
}

/** An operator does this with the command line. */
function createRotateKeys(issuer: string, replicas: readonly string[], trustFile: string): Provider["rotateKeys"] {
  const credentials = { POSTERN_URL: issuer, POSTERN_USER: "backchannel", POSTERN_PASSWORD: backchannelSecret };
  const env = { ...process.env, ...credentials, NODE_EXTRA_CA_CERTS: trustFile };
  return async () => {
    const before = await publishedKeys(replicas[0] ?? "");
    await run(commandLine, ["keys", "rotate"], { env });
    await poll(
      "both replicas to publish the new keys",
      async () => {
        const counts = await Promise.all(replicas.map(publishedKeys));
        return counts.every((count) => count > before);
      },
      longestRotationMs,
    );
  };
}

const authority = "clients";

/** A certificate for each of these clients, issued by a separate authority. */
async function makeClientCertificates(folder: string, ids: readonly string[]): Promise<readonly ClientCertificate[]> {
  await makeCertificate(folder, authority, "/CN=Authority of clients");
  return Promise.all(
    ids.map(async (name) => {
      await makeSignedCertificate(folder, { name, subject: `/CN=${name}`, issuer: authority });
      const [cert = "", key = ""] = await Promise.all(
        ["crt", "key"].map((ending) => readFile(join(folder, `${name}.${ending}`), "utf8")),
      );
      return { cert, key };
    }),
  );
}

export interface ProviderParts {
  readonly clients: readonly Tree[];
  readonly oidc: Tree;
  /** Clients that authenticate by certificates. */
  readonly certified: readonly string[];
}

/** Starts Postern over TLS: two gateways behind one address, two replicas of the identity provider, an engine. */
export async function startProvider(
  owned: AsyncDisposableStack,
  folder: string,
  { clients, oidc, certified }: ProviderParts,
): Promise<Provider> {
  const [port = 0, idpPort = 0, mutualPort = 0, firstMutual = 0, secondMutual = 0] = await Promise.all(
    [1, 2, 3, 4, 5].map(() => freePort()),
  );
  const [issuer, mutualUrl] = [`https://localhost:${port}`, `https://localhost:${mutualPort}`];
  const trustFile = await makeTrustFile(folder);
  const certificates = await makeClientCertificates(folder, certified);
  const tls = { enabled: true, cert: join(folder, "tls.crt"), key: join(folder, "tls.key") };
  const asking = { address: [`127.0.0.1:${firstMutual}`], ca_file: join(folder, `${authority}.crt`) };
  const limit = { per_second: 1000, burst: 2000 };
  const stack = owned.use(
    await startStack({
      shape: "five",
      redis: true,
      services: ["idp", "admin"],
      backends,
      env: { NODE_EXTRA_CA_CERTS: trustFile },
      settings: {
        runtime: {
          servers: { http: { rate_limit: limit, tls, client_certificates: asking } },
          services: { idp: { url: `http://127.0.0.1:${idpPort}` } },
        },
        auth: { backchannel: { oidc_bearer: { enabled: true, issuer } } },
        identity: {
          frontend: { enabled: true },
          oidc: { enabled: true, issuer, mtls_url: mutualUrl, clients, ...oidc },
        },
      },
    }),
  );
  const second = await stack.startReplica("idp");
  const replicas = [stack.idpUrl, second.url].map((url) => Number(new URL(url).port));
  owned.use(await spreadConnections(idpPort, replicas));
  const gateway = await stack.startReplica("gateway", {
    SERVICE_RUNTIME_SERVERS_HTTP_CLIENT_CERTIFICATES_ADDRESS: `127.0.0.1:${secondMutual}`,
  });
  const gateways = [stack.httpPort, Number(new URL(gateway.url).port)];
  owned.use(await spreadConnections(port, gateways));
  owned.use(await spreadConnections(mutualPort, [firstMutual, secondMutual]));
  const rotateKeys = createRotateKeys(issuer, [stack.idpUrl, second.url], trustFile);
  return { issuer, mutualUrl, certificates, rotateKeys };
}
