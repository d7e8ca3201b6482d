import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { runAtFixedRate } from "../generator/fixed-rate.ts";
import { listAgain } from "../generator/listings.ts";
import { signInAtRate } from "../generator/sign-ins.ts";
import { measureInTurn, type Row, type RowPlan } from "../measure/row.ts";
import { writeSqlBackend } from "../stack/backends.ts";
import { writeBodies } from "../stack/bodies.ts";
import { guarded, sqlBackends } from "../stack/config.ts";
import { startOneProcess } from "../stack/one-process.ts";
import { type Postern, startPostern, writeConfig } from "../stack/postern.ts";
import { createSignIns, type SignIns, samlIdentity, samlKeyPair } from "../stack/saml.ts";
import type { Servers } from "../stack/servers.ts";
import { mailOf, userPassword } from "../stack/users.ts";

const accounts = 100_000;
/** Users whose decisions are cached. */
const cachedUsers = 100;
const connections = 64;
/** Enough decisions for a p99, at a rate at which nothing waits for a processor. */
const perSecond = 200;
const windowSeconds = 5;
const hashedPerSecond = 20;
const samlPerSecond = 5;

/** What else the site does while decisions are measured. */
class OtherWork {
  private readonly folder: string;
  private readonly signIns: SignIns;
  private nextUser = cachedUsers;

  constructor(folder: string, signIns: SignIns) {
    this.folder = folder;
    this.signIns = signIns;
  }

  /** Sign-ins of users who were not seen before, whose passwords are hashed; SAML sign-ins; and lists of all accounts, one after another. */
  async during(url: string, seconds: number): Promise<void> {
    const users = hashedPerSecond * seconds;
    const first = this.nextUser;
    this.nextUser += users;
    const username = (index: number): string => mailOf(first + index);
    const bodiesFile = await writeBodies(this.folder, `busy-${first}`, { username, password: userPassword, users });
    const saml = await this.signIns(samlPerSecond * seconds);
    const [hashed, refused, lists] = await Promise.all([
      runAtFixedRate({ url, bodiesFile, perSecond: hashedPerSecond, connections }, seconds),
      signInAtRate(Number(new URL(url).port), saml, samlPerSecond),
      listAgain(url, seconds),
    ]);
    const failed = hashed.refused + hashed.socketErrors;
    if (failed + refused > 0 || lists === 0)
      throw new Error(`${failed} sign-ins with a password and ${refused} by SAML failed; ${lists} lists were read`);
  }
}

/** In the order of lists, so that a page is read by the index, as the page about listing accounts asks for. */
function indexAccounts(file: string): void {
  using database = new DatabaseSync(file);
  database.exec("CREATE INDEX in_list_order ON users (username COLLATE BINARY)");
}

type Shape = "apart" | "one";

function planOf(postern: Postern, shape: Shape, bodiesFile: string, other?: OtherWork): RowPlan {
  const { url, processes, gateway } = postern;
  const load = { url, bodiesFile, perSecond, connections };
  const where = shape === "one" ? "one process" : "five processes";
  return {
    id: `${shape}-${other === undefined ? "calm" : "busy"}`,
    title: `cached, ${perSecond}/s, ${where}${other === undefined ? "" : ", with other work"}`,
    connections,
    processes,
    windowSeconds,
    generate: async (seconds) => {
      const [report] = await Promise.all([runAtFixedRate(load, seconds), other?.during(url, seconds)]);
      return report;
    },
    verify: ({ refused }) => {
      gateway.assertAlive();
      if (refused > 0) throw new Error(`${refused} decisions were not a success`);
    },
  };
}

/**
 * How long decisions take while the same process, or its neighbours, hash 20 passwords a second, sign 5 SAML responses a second, and list
 * 100,000 accounts: in one process, each of these may delay the others.
 */
export async function measureBusy(servers: Servers): Promise<readonly Row[]> {
  const { folder, redisPort } = servers;
  const file = join(folder, "busy.sqlite");
  await writeSqlBackend(file, accounts);
  indexAccounts(file);
  const backends = sqlBackends(file, "SELECT username AS account FROM users");
  const { privateKey, publicKey } = await samlKeyPair();
  const options = { servers, backends, protection: guarded("10m"), identity: () => samlIdentity(publicKey) };
  const { configFile } = await writeConfig(servers, backends, options);
  const other = new OtherWork(folder, await createSignIns(await readFile(configFile, "utf8"), redisPort, privateKey));
  const bodiesFile = await writeBodies(folder, "busy", { password: userPassword, users: cachedUsers });
  await using apart = await startPostern(options);
  await using one = await startOneProcess(options);
  return await measureInTurn([
    planOf(apart, "apart", bodiesFile),
    planOf(one, "one", bodiesFile),
    planOf(apart, "apart", bodiesFile, other),
    planOf(one, "one", bodiesFile, other),
  ]);
}
