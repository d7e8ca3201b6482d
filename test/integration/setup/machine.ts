import { execFileSync, spawn } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const repository = join(import.meta.dirname, "../../..");
const pinnedVersion = "26.1.2";
const pinnedNpm = "11.9.8";

/**
 * Waits (`apt-hangs`), fails (`apt-fails`) or "installs" the requested packages; records the policy in force. A shell continues after a SIGINT
 * that arrives while it runs a program that then succeeds, so it runs none before it waits.
 */
const aptGet = `#!/bin/bash
echo "$*" >>"$MACHINE/apt-calls"
[[ "$*" == *install* ]] || exit 0
cp "$SETUP_POLICY_FILE" "$MACHINE/policy-seen"
[ ! -e "$MACHINE/apt-hangs" ] || { : >"$MACHINE/apt-waits"; exec sleep 60; }
[ ! -e "$MACHINE/apt-fails" ] || { echo "E: Unable to locate package"; exit 100; }
for server in redis-server nats-server slapd ldapadd nginx dovecot wrk; do
  printf '#!/bin/sh\\n' >"$SETUP_SERVER_PATH/$server"; chmod 755 "$SETUP_SERVER_PATH/$server"
done
`;

/** A program that only prints its version. */
const versionOf = (version: string): string => `#!/bin/sh\necho ${version}\n`;

/**
 * `npm ci` fails where \`npm-ci-fails\` exists; \`npm install\` rewrites the lock, as the real one may. With \`--prefix\` it installs the
 * toolchain.
 */
const npm = `#!/bin/bash
[ "$1" != --version ] || { cat "$MACHINE/npm-version"; exit 0; }
echo "$*" >>"$MACHINE/npm-calls"
if [ "$2" = --prefix ]; then
  mkdir -p "$3/node_modules/.bin"
  cp "$MACHINE/pinned/"* "$3/node_modules/.bin"
  exit
fi
[[ "$1" != ci || ! -e "$MACHINE/npm-ci-fails" ]] || exit 1
[ "$1" != install ] || echo '{"rewritten": true}' >package-lock.json
mkdir -p node_modules/.bin
cp "$MACHINE/pinned/node" node_modules/.bin
`;

/** The npm of the toolchain. */
const toolchainNpm = `#!/bin/bash
[ "$1" != --version ] || { echo ${pinnedNpm}; exit 0; }
echo "toolchain $*" >>"$MACHINE/npm-calls"
mkdir -p node_modules/.bin
cp "$MACHINE/pinned/node" node_modules/.bin
`;

const essentials = "bash cat cut date dirname flock grep mkdir rm sed sha256sum sort tr uname".split(" ");

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
}

export interface Machine {
  readonly policy: string;
  path(name: string): string;
  write(name: string, text: string, mode?: number): void;
  read(name: string): string;
  /** Leaves only the programs that every Debian has, so neither Node nor npm. */
  removeNode(): void;
  /** Starts setup.sh in a separate process group. */
  setup(...args: readonly string[]): { readonly pid: number; readonly done: Promise<Outcome> };
}

/** A clone with stand-ins for npm, apt-get, id, servers and policy-rc.d; the real machine is not changed. */
export function plantMachine(root: string, user: "root" | "somebody" = "root"): Machine {
  const path = (name: string): string => join(root, name);
  const write = (name: string, text: string, mode = 0o644): void => {
    mkdirSync(join(path(name), ".."), { recursive: true });
    writeFileSync(path(name), text);
    chmodSync(path(name), mode);
  };
  write("bin/apt-get", aptGet, 0o755);
  write("bin/npm", npm, 0o755);
  write("bin/node", versionOf("v24.0.0"), 0o755);
  write("npm-version", "11.0.0\n");
  write("pinned/node", versionOf(`v${pinnedVersion}`), 0o755);
  write("pinned/npm", toolchainNpm, 0o755);
  write("bin/id", `#!/bin/sh\necho ${user === "root" ? 0 : 1000}\n`, 0o755);
  write(
    "package.json",
    `{\n  "packageManager": "npm@${pinnedNpm}",\n  "devDependencies": {\n    "node": "${pinnedVersion}"\n  }\n}\n`,
  );
  write("package-lock.json", '{"lockfileVersion": 3}\n');
  write(".npmrc", "");
  for (const name of ["libs/shared", "services/gateway"]) write(`${name}/package.json`, "{}\n");
  for (const name of ["tools", "servers", "sbin"]) mkdirSync(path(name));
  copyFileSync(join(repository, "tools/setup.sh"), path("tools/setup.sh"));
  const policy = path("sbin/policy-rc.d");
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    MACHINE: root,
    PATH: `${path("bin")}:${process.env["PATH"]}`,
    SETUP_SERVER_PATH: path("servers"),
    SETUP_APACHE_MODULES: path("apache-modules"),
    SETUP_SASL_MODULES: path("sasl-modules"),
    SETUP_SHARE: path("share"),
    SETUP_POLICY_FILE: policy,
    SETUP_RETRY_SECONDS: "0",
  };
  return {
    policy,
    path,
    write,
    read: (name) => readFileSync(path(name), "utf8"),
    removeNode: () => {
      const programs = execFileSync("which", essentials, { encoding: "utf8" }).trimEnd().split("\n");
      mkdirSync(path("essentials"));
      for (const program of programs) symlinkSync(program, join(path("essentials"), basename(program)));
      env["PATH"] = path("essentials");
    },
    setup: (...args) => {
      const child = spawn("bash", [path("tools/setup.sh"), ...args], { env, detached: true });
      const chunks: string[] = [];
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
      }
      const done = new Promise<Outcome>((resolve) => {
        child.once("close", (code, signal) => resolve({ code, signal, output: chunks.join("") }));
      });
      return { pid: child.pid ?? 0, done };
    },
  };
}
