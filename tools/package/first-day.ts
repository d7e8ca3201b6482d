// Follows docs/start/debian.md in a bare Debian 12 with systemd, from the copied package to the Dovecot login, and prints each command with
// its output and time. Usage: tools/package/first-day.ts [--mirror http://HOST/debian]. Needs root, debootstrap, systemd-container and the
// result of make package.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { stepsScript } from "./first-day-script.ts";
import { guideSteps } from "./guide-commands.ts";

const project = join(import.meta.dirname, "../..");
const run = join(project, ".run");
const bare = join(run, "first-day-base");
const root = join(run, "first-day-root");
const { values } = parseArgs({ options: { mirror: { type: "string", default: "http://deb.debian.org/debian" } } });
const mirror = new URL(values.mirror);
/** The machine inside reaches only this address, where the mirror is passed on. */
const [outside, inside] = ["10.222.0.1", "10.222.0.2"];

const unit = `[Unit]
After=multi-user.target
[Service]
Type=oneshot
WorkingDirectory=/root
Environment=HOME=/root DEBIAN_FRONTEND=noninteractive
ExecStart=/bin/bash /first-day/steps.sh
ExecStopPost=/bin/systemctl --no-block poweroff
StandardOutput=append:/first-day/log
StandardError=inherit
TimeoutStartSec=1200
`;

function prepareRoot(): void {
  if (!existsSync(join(bare, "etc/debian_version")))
    execFileSync("debootstrap", ["bookworm", bare, mirror.href], { stdio: "ignore" });
  rmSync(root, { recursive: true, force: true });
  execFileSync("cp", ["-a", bare, root]);
  mkdirSync(join(root, "first-day"));
  for (const file of globSync(join(run, "package/{*.deb,*.json,*.jsonl,SHA256SUMS}")))
    copyFileSync(file, join(root, "root", basename(file)));
  const guide = readFileSync(join(project, "docs/start/debian.md"), "utf8");
  const steps = guideSteps(guide, "There, in the folder with the files:", "\n## Operate\n");
  writeFileSync(join(root, "first-day/steps.sh"), stepsScript(steps, inside));
  writeFileSync(
    join(root, "etc/hosts"),
    `127.0.0.1 localhost\n::1 localhost\n127.0.1.1 mail\n${outside} ${mirror.hostname}\n`,
  );
  writeFileSync(join(root, "etc/hostname"), "mail\n");
  writeFileSync(join(root, "etc/systemd/system/first-day.service"), unit);
  const wants = join(root, "etc/systemd/system/multi-user.target.wants");
  mkdirSync(wants, { recursive: true });
  symlinkSync("../first-day.service", join(wants, "first-day.service"));
}

/** Passes connections to the mirror. */
const forwarder = createServer((client) => {
  const server = connect(Number(mirror.port || 80), mirror.hostname);
  client.on("error", () => server.destroy()).pipe(server);
  server.on("error", () => client.destroy()).pipe(client);
});

function boot(): Promise<unknown> {
  const link = ["--network-veth-extra=first-day0:host0", "--resolv-conf=off"];
  const quiet = ["--quiet", "--register=no", "--keep-unit", "--link-journal=no"];
  return once(spawn("systemd-nspawn", ["-D", root, "--boot", ...link, ...quiet], { stdio: "ignore" }), "exit");
}

function hasLink(): boolean {
  try {
    execFileSync("ip", ["address", "replace", `${outside}/24`, "dev", "first-day0"], { stdio: "ignore" });
    execFileSync("ip", ["link", "set", "first-day0", "up"]);
    return true;
  } catch {
    return false;
  }
}

prepareRoot();
const ended = boot();
while (!hasLink()) await new Promise((resolve) => setTimeout(resolve, 50));
forwarder.listen(Number(mirror.port || 80), outside);
await ended;
forwarder.close();
const log = readFileSync(join(root, "first-day/log"), "utf8");
console.log(log);
if (!log.includes("\nall commands succeeded\n")) process.exitCode = 1;
