/** A file that repeats the version of package.json, and the form in which it does; the group is what precedes the version. */
export interface VersionPlace {
  readonly file: string;
  readonly form: RegExp;
}

const number = String.raw`\d+\.\d+\.\d+`;
const after = (prefix: string): RegExp => new RegExp(`(${prefix})${number}`, "gu");
const workspaces = [
  "cli",
  "libs/shared",
  "test/servers",
  ...["gateway", "auth-engine", "idp", "admin", "jobs-worker"].map((name) => `services/${name}`),
];

/** Every file that repeats the version. package-lock.json follows from the manifests. */
export const versionPlaces: readonly VersionPlace[] = [
  { file: "package.json", form: after('^  "version": "') },
  ...workspaces.map((folder) => ({
    file: `${folder}/package.json`,
    form: after('^  "version": "|"@postern/shared": "'),
  })),
  {
    file: "package-lock.json",
    form: after('"name": "(?:postern|@postern/[a-z-]+)",\\s+"version": "|"@postern/shared": "|^  "version": "'),
  },
  { file: "libs/shared/src/platform/lifecycle/version.ts", form: after('version = "') },
  { file: "Dockerfile", form: after("postern:|ARG VERSION=") },
  { file: "docker-compose.yml", form: after("postern:") },
  ...["gateway", "auth-engine", "idp", "admin", "jobs-worker"].map((name) => ({
    file: `k8s/base/${name}.yaml`,
    form: after("image: postern:"),
  })),
  { file: "k8s/overlays/production/kustomization.yaml", form: after("newTag: ") },
  { file: "docs/operate/image.md", form: after("postern:") },
].map(({ file, form }) => ({ file, form: new RegExp(form.source, "gmu") }));

/** The versions that a file names. */
export function versionsIn(text: string, { form }: VersionPlace): readonly string[] {
  return [...text.matchAll(form)].map(([whole, prefix = ""]) => whole.slice(prefix.length));
}

export function withVersion(text: string, { form }: VersionPlace, version: string): string {
  return text.replaceAll(form, (_, prefix: string) => `${prefix}${version}`);
}
