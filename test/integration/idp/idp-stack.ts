import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scratchFolder } from "@postern/testing";
import { demoSeedFile } from "../../support/demo-users.ts";
import type { ServiceName, ServiceProcess } from "../../support/service-process.ts";
import { type Stack, type StackOptions, startStack } from "../../support/stack.ts";
import { demoBackends, merged, type Tree } from "../../support/stack-config.ts";

/** Recovery codes of bob, who also has TOTP. */
export const moreRows = `
INSERT INTO postern_recovery_codes (account, code) VALUES
  ('bob@example.test', 'BOBS-2345'), ('bob@example.test', 'BOBS-6789'), ('bob@example.test', 'BOBS-RACE');
`;

const mfa = {
  enabled: true,
  queries: {
    totp_read: "SELECT totp_secret FROM users WHERE username = :account",
    totp_write: "UPDATE users SET totp_secret = :secret WHERE username = :account",
    totp_delete: "UPDATE users SET totp_secret = NULL WHERE username = :account",
  },
};

/** The demo's users with second factors, in a database of this folder. */
export function factorBackends(folder: string, seedFile: string, order: readonly string[] = ["sql"]): Tree {
  const tree = demoBackends(folder);
  const { sql } = Object(tree);
  const [search] = sql.search;
  return {
    ...tree,
    order,
    sql: { default: { ...sql.default, seed_file: seedFile }, search: [merged(search, { mfa })] },
  };
}

/** Idp, an engine or several, and a gateway unless it is turned off. With `shape: "five"` or several engines, two replicas of idp, which are otherwise one. */
export interface IdpStack extends AsyncDisposable {
  readonly stack: Stack;
  readonly replicas: readonly [string, string];
  readonly first: ServiceProcess;
  /** The SQLite file with the users. */
  readonly directoryFile: string;
  readonly second: ServiceProcess;
  /** Each process of idp once. */
  readonly processes: readonly ServiceProcess[];
}

/** Optional parts of a stack. */
export interface IdpStackMore extends Pick<StackOptions, "gateway" | "shape"> {
  /** Environment of all services, including those that are started later. */
  readonly env?: Readonly<Record<string, string>>;
  readonly engines?: number;
  /** Of idp; two by default, unless the stack is one process. */
  readonly idps?: 1 | 2;
  /** In addition to idp. */
  readonly services?: readonly ServiceName[];
  /** `auth.backends.order` */
  readonly order?: readonly string[];
  /** Replaces `auth.backends`. */
  readonly others?: Tree;
}

export async function startIdpStack(
  settings: Tree = {},
  { env = {}, engines = 1, others, gateway, shape, services = [], idps = 2, order = ["sql"] }: IdpStackMore = {},
): Promise<IdpStack> {
  await using started = new AsyncDisposableStack();
  const folder = started.use(await scratchFolder());
  const seedFile = join(folder.path, "seed.sql");
  await writeFile(seedFile, `${await readFile(demoSeedFile, "utf8")}${moreRows}`);
  const stack = started.use(
    await startStack({
      redis: true,
      engines,
      env,
      gateway,
      shape,
      services: ["idp", ...services],
      backends: others ?? factorBackends(folder.path, seedFile, order),
      settings: merged(
        {
          runtime: { developer_mode: true },
          identity: {
            session: { remember_me_ttl: "720h" },
            frontend: { enabled: true, branding: { name: "Example Mail" } },
            oidc: { issuer: "http://localhost:8080" },
          },
        },
        settings,
      ),
    }),
  );
  const first = stack.service("idp");
  const second =
    stack.isOneProcess || idps === 1 ? { url: stack.idpUrl, process: first } : await stack.startReplica("idp");
  const owned = started.move();
  return {
    stack,
    first,
    directoryFile: join(folder.path, "directory.sqlite"),
    second: second.process,
    processes: [...new Set([first, second.process])],
    replicas: [stack.idpUrl, second.url],
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
