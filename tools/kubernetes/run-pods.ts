// Runs the containers of an overlay on this machine, without a cluster and without images: each pod in a network namespace of
// its own, each container with its exact command, environment, mounts and user, a read-only root and no capabilities. Redis
// and NATS are this machine's. Needs root, kubectl and built bundles; tools/kubernetes/run-pods.sh starts it in namespaces that end with it.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { type Pod, type PodContainer, podsOf } from "./pod.ts";

const root = join(import.meta.dirname, "../..");
const work = join(root, ".run/pods");
const [overlay = "k8s/overlays/dev"] = process.argv.slice(2);

const run = (program: string, ...args: string[]): string => execFileSync(program, args, { encoding: "utf8" });
const address = (index: number): string => `10.77.0.${index + 10}`;

/** Writes the files of a container's mounts, and what `enter.sh` reads. */
function prepare(pod: Pod, container: PodContainer): void {
  const folder = join(work, pod.name, container.name);
  mkdirSync(folder, { recursive: true });
  const lines = [`${root} /app ro`, `${root}/node_modules/node/bin /app-bin ro`, `${work}/hosts /etc/hosts ro`];
  for (const [index, { path, files }] of container.mounts.entries()) {
    // A folder that containers of one pod share, as a volume is.
    const source =
      files === undefined ? join(work, pod.name, `volume${path.replaceAll("/", "-")}`) : join(folder, `mount-${index}`);
    mkdirSync(source, { recursive: true });
    for (const [name, content] of Object.entries(files ?? {}))
      writeFileSync(join(source, name), content, { mode: 0o444 });
    if (files === undefined) chownSync(source, pod.user, pod.group);
    lines.push(`${source} ${path} ${files === undefined ? "rw" : "ro"}`);
  }
  writeFileSync(join(folder, "mounts"), `${lines.join("\n")}\n`);
  const variables = Object.entries(container.environment).map(([name, value]) => `${name}=${value}\0`);
  writeFileSync(join(folder, "environment"), variables.join(""));
}

function start(pod: Pod, container: PodContainer): ChildProcess {
  const folder = join(work, pod.name, container.name);
  const log = openSync(join(folder, "log"), "a");
  const enter = join(import.meta.dirname, "enter.sh");
  return spawn(
    "ip",
    [
      "netns",
      "exec",
      pod.name,
      "unshare",
      "--mount",
      "bash",
      enter,
      folder,
      String(pod.user),
      String(pod.group),
      container.folder,
      ...container.command,
    ],
    { stdio: ["ignore", log, log], env: { PATH: process.env["PATH"], HOSTNAME: pod.name } },
  );
}

async function isReady(host: string, { port, path }: PodContainer["probe"]): Promise<boolean> {
  const url = `http://${host}:${port}${path}`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
    return path === "" || response.ok;
  } catch (error) {
    // A server of another protocol: connected, and not HTTP.
    return path === "" && error instanceof Error && !String(error.cause).includes("ECONNREFUSED");
  }
}

async function until(what: string, holds: () => Promise<boolean>, seconds = 60): Promise<void> {
  const started = Date.now();
  while (!(await holds())) {
    if (Date.now() - started > seconds * 1000) throw new Error(`${what}: not within ${seconds} s; see ${work}/*/*/log`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  console.log(`${what} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
}

rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
const secret = readFileSync(join(root, "k8s/secrets.example.yaml"), "utf8");
const rendered = [run("kubectl", "kustomize", join(root, overlay)), secret].flatMap((text) =>
  parseAllDocuments(text).map((document): unknown => document.toJS()),
);
const pods = podsOf(rendered);
const addressOf = new Map(pods.map((pod, index) => [pod.name, address(index)]));
const hosts = pods.flatMap((pod) => pod.hosts.map((host) => `${addressOf.get(pod.name)} ${host}`));
writeFileSync(join(work, "hosts"), `127.0.0.1 localhost\n${hosts.join("\n")}\n`);
run("ip", "link", "set", "lo", "up");
run("ip", "link", "add", "pods", "type", "bridge");
run("ip", "addr", "add", "10.77.0.1/24", "dev", "pods");
run("ip", "link", "set", "pods", "up");
const stopped = new Set<string>();
const processes = new Map<string, ChildProcess>();

/** Starts a container, and again when it ends, as a cluster does. */
function keepRunning(pod: Pod, container: PodContainer): void {
  const child = start(pod, container);
  processes.set(`${pod.name}/${container.name}`, child);
  child.once("exit", (code) => {
    if (stopped.has(pod.name)) return;
    console.log(`${pod.name}/${container.name} ended with ${code}`);
    setTimeout(() => keepRunning(pod, container), 1000);
  });
}

function stopPod(name: string): void {
  stopped.add(name);
  for (const [container, child] of processes) if (container.startsWith(`${name}/`)) child.kill("SIGKILL");
}

const everyReady = async (): Promise<boolean> => {
  const running = pods.filter(({ name }) => !stopped.has(name));
  const states = running.flatMap((pod) =>
    pod.containers.map(({ probe }) => isReady(addressOf.get(pod.name) ?? "", probe)),
  );
  return (await Promise.all(states)).every(Boolean);
};

for (const [index, pod] of pods.entries()) {
  run("ip", "netns", "add", pod.name);
  run("ip", "link", "add", `pod${index}`, "master", "pods", "type", "veth", "peer", "name", "eth0", "netns", pod.name);
  run("ip", "link", "set", `pod${index}`, "up");
  const inside = ["netns", "exec", pod.name, "ip"];
  run("ip", ...inside, "link", "set", "lo", "up");
  run("ip", ...inside, "addr", "add", `${address(index)}/24`, "dev", "eth0");
  run("ip", ...inside, "link", "set", "eth0", "up");
  for (const container of pod.containers) prepare(pod, container);
  for (const container of pod.containers) keepRunning(pod, container);
}

const gateway = addressOf.get("gateway-0");

async function status(port: number, path: string, init: RequestInit = {}): Promise<number> {
  const headers = new Headers(init.headers);
  headers.set("host", "login.example.test");
  headers.set("x-forwarded-proto", "https");
  const response = await fetch(`http://${gateway}:${port}${path}`, {
    redirect: "manual",
    signal: AbortSignal.timeout(5000),
    ...init,
    headers,
  });
  await response.arrayBuffer();
  return response.status;
}

async function expectStatus(what: string, wanted: number, status: Promise<number>): Promise<void> {
  const got = await status;
  if (got !== wanted) throw new Error(`${what}: ${got} instead of ${wanted}`);
  console.log(`${what}: ${got}`);
}

function decide(port: number, password: string): Promise<number> {
  const login = { username: "alice@example.test", password, protocol: "imap", client_ip: "203.0.113.9" };
  const authorization = `Basic ${btoa("backchannel:REPLACE-ME-backchannel-password")}`;
  const init = {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify(login),
  };
  return status(port, "/api/v1/auth/json", init);
}

async function tryDevelopment(): Promise<void> {
  await expectStatus("a correct password at the back channel", 200, decide(8080, "alice-demo-password"));
  await expectStatus("a wrong password at the back channel", 403, decide(8080, "wrong"));
  await expectStatus("the back channel at the port for browsers", 404, decide(8081, "alice-demo-password"));
}

async function tryPages(): Promise<void> {
  await expectStatus("discovery", 200, status(8081, "/.well-known/openid-configuration"));
  await expectStatus("SAML metadata", 200, status(8081, "/saml/metadata"));
  await expectStatus("the sign-in page", 302, status(8081, "/mfa/register/home"));
  await expectStatus("the back channel at the port for browsers", 404, decide(8081, "any"));
  await expectStatus("a password without an LDAP server", 500, decide(8080, "any"));
}

async function isSignInPageServed(): Promise<boolean> {
  try {
    return (await status(8081, "/mfa/register/home")) === 302;
  } catch {
    return false;
  }
}

async function tryProduction(): Promise<void> {
  await tryPages();
  stopPod("nats-0");
  stopPod("redis-0");
  console.log("killed nats-0 and redis-0, the first master");
  await until("the sign-in page writes to the new master", isSignInPageServed);
  await until("every other container is ready", everyReady);
  await tryPages();
}

await until(`${pods.length} pods of ${overlay}: every container is ready`, everyReady);
await (overlay.endsWith("dev") ? tryDevelopment() : tryProduction());
console.log("all steps passed");
process.exit(0);
