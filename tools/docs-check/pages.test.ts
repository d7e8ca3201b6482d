import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadConfig } from "@postern/shared/platform/config";
import GithubSlugger from "github-slugger";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const pages = globSync(["*.md", "{docs,k8s}/**/*.md", "{services,libs}/*/{*.md,src/**/*.md}"], {
  cwd: root,
}).toSorted();

/** Letters that stand for folders in ARCHITECTURE. */
const folders = {
  G: "services/gateway/src",
  E: "services/auth-engine/src",
  L: "libs/shared/src",
  I: "services/idp/src",
};

function brokenLinks(page: string, text: string): readonly string[] {
  const targets = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/gu)].map(([, target = ""]) => target);
  return targets.filter((target) => !/^https?:/u.test(target) && !existsSync(join(root, dirname(page), target)));
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const slugger = new GithubSlugger();
  const prose = text.replaceAll(/^```[\s\S]*?^```/gmu, "");
  const headings = [...prose.matchAll(/^#{1,6} (.+)$/gmu)].map(([, heading = ""]) => heading);
  return new Set(headings.map((heading) => slugger.slug(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1"))));
}

function brokenAnchors(page: string, text: string): readonly string[] {
  const links = [...text.matchAll(/\]\(([^)#\s]*)#([^)\s]+)\)/gu)];
  return links.flatMap(([, target = "", anchor = ""]) => {
    const path = join(root, target === "" ? page : join(dirname(page), target));
    if (/^https?:/u.test(target) || !path.endsWith(".md") || !existsSync(path)) return [];
    const linked = target === "" ? text : readFileSync(path, "utf8");
    return anchorsOf(linked).has(anchor) ? [] : [`${target}#${anchor}`];
  });
}

/**
 * Paths in code marks: from the root, by ARCHITECTURE's letters, or from the page's own folder; `.run/` is created at run time.
 */
function missingPaths(page: string, text: string): readonly string[] {
  const marked = [...text.matchAll(/`([A-Za-z.][\w.-]*\/[\w./-]*\.(?:ts|md|yaml|yml|sh|sql|mjs|json|conf))`/gu)];
  const named = marked.map(([, path = ""]) => path.replace(/^[GELI](?=\/)/u, (letter) => Reflect.get(folders, letter)));
  const kept = named.filter((path) => !path.startsWith(".run/"));
  return kept.filter((path) => !existsSync(join(root, path)) && !existsSync(join(root, dirname(page), path)));
}

test.each(pages)("%s: its links and paths exist", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  expect([...brokenLinks(page, text), ...brokenAnchors(page, text), ...missingPaths(page, text)]).toEqual([]);
});

/** Complete variable names in hand-written pages. */
function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(/\bSERVICE_[A-Z0-9_]+[A-Z0-9]\b/gu)].map(([name]) => name);
}

describe("environment variables", () => {
  const written = pages.filter((page) => !page.startsWith("docs/reference/configuration/"));
  test.each(written)("%s names only keys of the configuration", (page) => {
    const reference = pages
      .filter((path) => path.startsWith("docs/reference/configuration/"))
      .map((path) => readFileSync(join(root, path), "utf8"))
      .join("\n");
    const known = new Set([...variablesIn(reference), "SERVICE_CONFIG_FILE"]);
    const named = variablesIn(readFileSync(join(root, page), "utf8"));
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});

describe("README", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const read = (path: string): string => readFileSync(join(root, path), "utf8");

  test("shows the demo exactly as in config/demo.yaml", () => {
    const result = loadConfig({
      file: join(root, "config/demo.yaml"),
      env: {},
      readFile: (path) => readFileSync(path, "utf8"),
    });
    if (!result.ok) throw new Error("the demo does not load");
    const { auth, runtime, storage } = result.config;
    const { username, password } = auth.backchannel.basic_auth;
    expect(readme).toContain(`\`${username}\` / \`${password}\``);
    for (const address of runtime.servers.http.address) expect(readme).toContain(`http://${address}`);
    expect(readme).toContain(storage.redis.primary.address);
    expect(runtime.bus.servers.join()).toContain("127.0.0.1:14222");
    const seeded = [...read("config/demo-directory.sql").matchAll(/^ {2}\('([^']+)',$/gmu)].map(([, name]) => name);
    expect(seeded.length).toBe(3);
    for (const name of seeded) expect(readme).toContain(`\`${name}\``);
  });
});
