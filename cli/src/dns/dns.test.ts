import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";
import { runDnsCommand } from "./dns.ts";

test("records of a source are read for domains that are named, by name and alias", async () => {
  await using folder = await scratchFolder();
  const [database, file] = [join(folder.path, "domains.sqlite"), join(folder.path, "config.yaml")];
  using domains = new DatabaseSync(database);
  domains.exec("CREATE TABLE domains (name TEXT, aliases TEXT, mail TEXT)");
  const put = domains.prepare("INSERT INTO domains VALUES (?, ?, ?)");
  put.run("a.test", "alias.test", JSON.stringify({ imap: { host: "imap.a.test" }, smtp: { host: "smtp.a.test" } }));
  put.run("without.test", "", null);
  const query = "SELECT name, aliases, mail FROM domains WHERE :domain IN (name, aliases)";
  const config = (text: string) => ({
    auth: {
      backends: { sql: { pools: { domains: { file: database } } } },
      domains: { source: { kind: "sql", pool: "domains", query: text } },
    },
    identity: { oidc: { issuer: "https://id.a.test" }, mail_clients: { enabled: true } },
    storage: { redis: { encryption_secret: "a-secret-of-the-test" } },
  });
  await writeFile(file, JSON.stringify(config(query)));
  const run = (...names: readonly string[]) => runDnsCommand([...names, "--config", file]);
  for (const name of ["a.test", "alias.test"]) {
    const { exitCode, output } = await run(name);
    expect([exitCode, output]).toEqual([0, expect.arrayContaining([expect.stringContaining("imap.a.test.")])]);
    expect(output).toContain(`_imaps._tcp.${name}. IN SRV 0 1 993 imap.a.test.`);
  }
  expect(await run("a.test", "without.test", "b.test")).toEqual({
    exitCode: 1,
    output: [],
    errors: ["no mail domain: without.test", "no mail domain: b.test"],
  });
  await writeFile(file, JSON.stringify(config("SELECT nothing FROM domains WHERE name = :domain")));
  expect((await run("a.test")).errors).toEqual([expect.stringContaining("the record of a.test could not be read")]);
});
