import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Dovecot, freePort, spawnDovecot } from "@postern/testing";
import { parse } from "yaml";
import { type Stack, startStack } from "../../support/stack.ts";
import { isTree, merged, type Tree } from "../../support/stack-config.ts";
import { startTcpRecorder, type TcpRecorder } from "../../support/tcp-server.ts";
import { repository } from "./nginx-setting.ts";

/** Dovecot with the shipped configuration in front of running services. */
export interface DovecotSetting extends AsyncDisposable {
  readonly stack: Stack;
  readonly dovecot: Dovecot;
  /** The requests of Dovecot. */
  readonly recorder: TcpRecorder;
}

export const shipped = (file: string): Promise<string> => readFile(join(repository, "deploy/dovecot", file), "utf8");

/** The demo's users, listed for iteration, with the home directories of `homes`. */
export function search(homes: string): Tree {
  return {
    protocol: ["*", "account-provider"],
    cache_name: "dovecot",
    queries: {
      user: `SELECT username AS account, password, mail, iif(uid = 'bob', '${homes}/of-bob', NULL) AS homeDirectory FROM users WHERE username = :username`,
      list_accounts: "SELECT username AS account FROM users",
    },
    mapping: { account_field: "account", password_column: "password" },
    attribute: ["mail", "homeDirectory"],
  };
}

export async function startDovecotSetting(): Promise<DovecotSetting> {
  await using started = new AsyncDisposableStack();
  const httpPort = await freePort();
  const recorder = started.use(await startTcpRecorder(() => httpPort));
  const lua = await shipped("postern.lua");
  const files = { "/etc/dovecot/postern.lua": lua.replace("127.0.0.1:9080", `127.0.0.1:${recorder.port}`) };
  const dovecot = started.use(await spawnDovecot({ config: await shipped("dovecot.conf"), files }));
  const tree: unknown = parse(await shipped("postern.yaml"));
  if (!isTree(tree)) throw new Error("deploy/dovecot/postern.yaml contains no object");
  const settings = merged(tree, {
    runtime: { servers: { http: { address: [`127.0.0.1:${httpPort}`] } } },
    auth: { backends: { sql: { search: [search(dovecot.homes)] } } },
  });
  const stack = started.use(await startStack({ shape: "five", httpPort, settings }));
  const owned = started.move();
  return { stack, dovecot, recorder, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
