import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { join } from "node:path";
import { freePort, scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";
import { run } from "../../../cli/src/run.ts";
import { makeCertificate } from "../../support/certificates.ts";

test("commands trust the roots of runtime.outgoing_tls.ca_file, by which the site's own gateway is known", async () => {
  await using folder = await scratchFolder();
  await makeCertificate(folder.path, "own", "/CN=localhost");
  const file = (name: string): string => join(folder.path, name);
  const [key, cert] = [await readFile(file("own.key")), await readFile(file("own.crt"))];
  const server = createServer({ key, cert }, (_request, response) => response.writeHead(404).end("{}"));
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const site = (root: string): string => `
runtime:
  outgoing_tls: { ca_file: "${root}" }
  servers: { http: { address: ["localhost:${port}"], tls: { enabled: true, cert: ${file("own.crt")}, key: ${file("own.key")} } } }
`;
  await writeFile(file("untrusted.yaml"), site(""));
  await writeFile(file("trusted.yaml"), site(file("own.crt")));
  const errorsWith = async (name: string): Promise<string> =>
    (await run(["bans", "--config", file(name)])).errors.join("\n");
  expect(await errorsWith("untrusted.yaml")).toContain("cannot be reached: self-signed certificate");
  expect(await errorsWith("trusted.yaml")).toContain("404: ");
  server.close();
});
