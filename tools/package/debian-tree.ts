import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { commands } from "../../cli/src/commands.ts";
import { completionFor } from "../../cli/src/completion.ts";
import { manualPage } from "./manual.ts";
import { services } from "./services.ts";

export interface DebianPackage {
  readonly root: string;
  /** Folder whose content becomes the package. */
  readonly target: string;
  readonly version: string;
  readonly architecture: "amd64" | "arm64";
}

/** The builder of a package, in the form that Debian's own tools use. */
const { DEBFULLNAME: builder = "Postern", DEBEMAIL: mail = "postern@localhost" } = process.env;
const maintainer = `${builder} <${mail}>`;

function write(target: string, path: string, content: string | Uint8Array): void {
  const file = join(target, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Every build has the same bytes. */
const packed = (content: string | Uint8Array): Buffer => gzipSync(content, { level: 9 });

interface Unit {
  readonly name: string;
  readonly description: string;
  /** Lines about other units. */
  readonly relations: string;
  readonly program: string;
  /** What follows `postern config check`. */
  readonly checked: string;
  readonly wantedBy: string;
  readonly environment?: string;
}

function serviceUnit(service: string): Unit {
  return {
    name: `postern-${service}`,
    description: `Postern ${service}`,
    relations: "PartOf=postern.target",
    program: `services/${service}/dist/bundle/main.js`,
    checked: ` --service ${service}`,
    wantedBy: "postern.target",
  };
}

/** Starting either shape stops the other one first, because they have the same listeners: `Conflicts` and the order hold both ways. */
function wholeSite(): Unit {
  const apart = ["postern.target", ...services.map((service) => `postern-${service}.service`)].join(" ");
  return {
    name: "postern",
    description: "Postern, authentication gateway and identity provider in one process",
    relations: `# The services as processes of their own.\nConflicts=${apart}\nAfter=${apart}`,
    program: "cli/dist/bundle/main.js serve",
    checked: "",
    wantedBy: "multi-user.target",
  };
}

function units({ root, target }: DebianPackage): void {
  const template = readFileSync(join(root, "deploy/debian/service.in"), "utf8");
  const writeUnit = (unit: Unit, file = `${unit.name}.service`): void => {
    const text = template
      .replace("@DESCRIPTION@", unit.description)
      .replace("@RELATIONS@", unit.relations)
      .replace("@NAME@", unit.name)
      .replace("@PROGRAM@", unit.program)
      .replace("@CHECKED@", unit.checked)
      .replace("@WANTED_BY@", unit.wantedBy)
      .replace(unit.environment === undefined ? "@ENVIRONMENT@\n" : "@ENVIRONMENT@", unit.environment ?? "");
    write(target, `lib/systemd/system/${file}`, text);
  };
  for (const service of services) writeUnit(serviceUnit(service));
  const environment =
    "# A further engine on this machine, such as postern-auth-engine@9112: its private port.\nEnvironment=SERVICE_RUNTIME_SERVICES_AUTH_ENGINE_PRIVATE_ADDRESS=127.0.0.1:%i";
  writeUnit({ ...serviceUnit("auth-engine"), environment }, "postern-auth-engine@.service");
  writeUnit(wholeSite());
}

const places = {
  "postern.target": "lib/systemd/system/postern.target",
  "sysusers.conf": "usr/lib/sysusers.d/postern.conf",
  "tmpfiles.conf": "usr/lib/tmpfiles.d/postern.conf",
  logrotate: "etc/logrotate.d/postern",
  "postern.sh": "usr/bin/postern",
  "lintian-overrides": "usr/share/lintian/overrides/postern",
  postinst: "DEBIAN/postinst",
  prerm: "DEBIAN/prerm",
  postrm: "DEBIAN/postrm",
} as const;

function control({ version, architecture }: DebianPackage): string {
  return [
    "Package: postern",
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${maintainer}`,
    "Section: mail",
    "Priority: optional",
    "Depends: libc6 (>= 2.28), libstdc++6, libgcc-s1, libatomic1, libcrypt1, libsystemd0, systemd, init-system-helpers (>= 1.52)",
    "Recommends: redis-server",
    "Suggests: nats-server, dovecot-auth-lua, logrotate",
    "Description: authentication gateway and identity provider for mail platforms",
    " Mail servers ask Postern over HTTP or gRPC whether a user may sign in, and the",
    " same users sign in to web applications with OpenID Connect or SAML2, with a",
    " second factor. Accounts remain in the site's LDAP or SQL backends.",
    " .",
    ' The package contains its own Node.js. Run "postern init" after installation.',
    "",
  ].join("\n");
}

/** The pages for people who run Postern, without records of its development and pictures. */
const otherPages = /^(?:contributing|reference\/pages)|\.(?:png|webp|json)$/u;

function writeManuals(root: string, target: string): void {
  cpSync(join(root, "docs"), join(target, "docs"), {
    recursive: true,
    filter: (path) => !otherPages.test(relative(join(root, "docs"), path)),
  });
  cpSync(join(root, "README.md"), join(target, "README.md"));
}

/** Files that other programs read: dashboards of Grafana, rules of Prometheus, schemas. */
function sharedFiles({ root, target }: DebianPackage): void {
  const shared = "usr/share/postern";
  cpSync(join(root, "deploy/monitoring/dashboards"), join(target, shared, "dashboards"), { recursive: true });
  for (const name of ["alerts.yaml", "slo.yaml"]) {
    const rules = readFileSync(join(root, "deploy/monitoring", name), "utf8");
    write(target, `${shared}/${name}`, rules.replaceAll("runbook: docs/", "runbook: /usr/share/doc/postern/docs/"));
  }
  write(target, `${shared}/config.schema.json`, readFileSync(join(root, "docs/reference/configuration/schema.json")));
  for (const name of readdirSync(join(root, "docs/reference/api")).filter((file) => /\.(?:yaml|proto)$/u.test(file)))
    write(target, `${shared}/${name}`, readFileSync(join(root, "docs/reference/api", name)));
}

function documentation({ root, target, version }: DebianPackage): void {
  const doc = "usr/share/doc/postern";
  const history = readFileSync(join(root, "CHANGELOG.md"));
  write(target, `${doc}/changelog.gz`, packed(history));
  const entry = [
    `postern (${version}) unstable; urgency=medium`,
    "",
    "  * See changelog.gz.",
    "",
    ` -- ${maintainer}  Thu, 01 Jan 2026 00:00:00 +0000`,
    "",
  ];
  write(target, `${doc}/changelog.Debian.gz`, packed(entry.join("\n")));
  const licence = readFileSync(join(root, "deploy/debian/copyright"), "utf8");
  write(target, `${doc}/copyright`, licence);
  for (const name of ["example.yaml", "minimal.yaml", "ldap-example.yaml"]) {
    write(target, `${doc}/examples/${name}`, readFileSync(join(root, "config", name)));
  }
  writeManuals(root, join(target, doc));
  for (const name of ["dovecot", "dovecot-2.4", "haproxy", "ldap", "nginx", "postfix", "saml", "traefik"])
    cpSync(join(root, "deploy", name), join(target, doc, "examples", name), { recursive: true });
}

/** Everything of the package beside the runtime tree in usr/lib/postern. */
export function writeDebianTree(of: DebianPackage): void {
  const { root, target, version } = of;
  for (const [name, path] of Object.entries(places))
    write(target, path, readFileSync(join(root, "deploy/debian", name)));
  units(of);
  documentation(of);
  sharedFiles(of);
  write(target, "usr/share/man/man1/postern.1.gz", packed(manualPage(version)));
  write(target, "usr/share/bash-completion/completions/postern", completionFor("bash", commands));
  write(target, "usr/share/zsh/vendor-completions/_postern", completionFor("zsh", commands));
  write(target, "usr/share/fish/vendor_completions.d/postern.fish", completionFor("fish", commands));
  write(target, "DEBIAN/control", control(of));
  write(target, "DEBIAN/conffiles", "/etc/logrotate.d/postern\n");
  mkdirSync(join(target, "etc/postern"), { recursive: true });
}
