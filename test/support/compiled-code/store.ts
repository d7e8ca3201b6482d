import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { alice, askJson } from "../ask-json.ts";
import { createBrowser } from "../browser.ts";
import { callback } from "../oidc-stack.ts";
import { basicAuth, startStack } from "../stack.ts";

const record = fileURLToPath(new URL("record.ts", import.meta.url));
const nodeArgs = ["--expose-internals", "--disable-warning=internal/test/binding", "--import", record];
const root = fileURLToPath(new URL("../../../", import.meta.url));
/** Names the bundles whose code is stored. */
const stampFile = `${root}.run/test/compiled-code.stamp`;
const issuer = "http://localhost:8080";

/** Changes with every file of the bundles: their builds write only what differs. */
function bundlesStamp(): string {
  const programs = [...readdirSync(join(root, "services")).map((name) => `services/${name}`), "cli"];
  const lines = programs.flatMap((program) => {
    const folder = join(root, program, "dist/bundle");
    return readdirSync(folder).map((file) => `${program}/${file} ${statSync(join(folder, file)).mtimeMs}`);
  });
  return lines.toSorted().join("\n");
}

function isStored(stamp: string): boolean {
  try {
    return readFileSync(stampFile, "utf8") === stamp;
  } catch {
    return false;
  }
}

async function runServices(shape: "five" | "one"): Promise<void> {
  await using stack = await startStack({
    shape,
    redis: true,
    services: ["idp", "admin", "jobs-worker"],
    nodeArgs,
    settings: {
      identity: {
        frontend: { enabled: true },
        oidc: {
          enabled: true,
          issuer,
          clients: [{ client_id: "first", redirect_uris: [callback], scopes: ["openid"], skip_consent: true }],
        },
      },
    },
  });
  for (const password of [alice.password, "wrong", alice.password]) await askJson(stack.url, { ...alice, password });
  await fetch(`${stack.url}/api/v1/bruteforce/list`, { headers: { authorization: basicAuth } });
  const browser = createBrowser([stack.idpUrl]);
  const request = { response_type: "code", client_id: "first", redirect_uri: callback, scope: "openid", state: "s" };
  const challenge = { code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" };
  const page = await browser.open(`/oidc/authorize?${new URLSearchParams({ ...request, ...challenge }).toString()}`);
  await browser.submit(page, { username: alice.username, password: alice.password });
  // The code is stored while they stop.
  const processes = stack.isOneProcess ? [stack.gateway] : [...stack.services.values()];
  await Promise.all(processes.map((service) => service.stop()));
}

/**
 * Runs each service once and stores what V8 has compiled in it, for the hundreds of processes that the tests start: a start takes an eighth
 * less CPU time, and so do first requests. Bundles that have not changed
 * since are not run again.
 */
export async function storeCompiledCode(): Promise<void> {
  const stamp = bundlesStamp();
  if (isStored(stamp)) return;
  try {
    for (const shape of ["five", "one"] as const) await runServices(shape);
    writeFileSync(stampFile, stamp);
  } catch (error) {
    // The tests say better than this what is wrong with the services.
    process.emitWarning(`no compiled code is stored, so tests take longer: ${String(error)}`);
  }
}
